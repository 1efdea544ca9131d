/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore/model_discovery.h: tables that tell software which uncore units a package has, and where.
 *
 * A table is made from the boxes of the package each time that a word of it is read, so the two cannot disagree unless
 * a fault of faults/discovery.h makes them. Words of 64 bits: one entry for the package, then one for each unit, STRIDE
 * words apart.
 *
 *   package  0  7:0 type, 15:8 stride in words, 25:16 number of units, 63:62 access
 *            1  address of the global control
 *            2  7:0 distance of the status from it, 23:8 number of status registers
 *   unit     0  7:0 counters, 15:8 distance of the controls from the unit control, 23:16 bits of a counter, 31:24
 *               distance of the counters, 39:32 of the status, 63:62 access
 *            1  address of the unit control
 *            2  15:0 kind, 31:16 number of it, 47:32 bit in the global status
 *
 * Access: 0 MSR, 1 MMIO, 2 PCI configuration, where an address is segment 30:28, bus 27:20, device 19:15, function
 * 14:12, register 11:0. Kinds: enum discovery_type. Source: Linux uncore_discovery.c and intel/pcm; the stride of real
 * parts is in neither. A package has a table for each of its dies (uncore_box_type.die): Linux searches every function.
 */
#pragma once
#include "tests/silicon/uncore/uncore.h"

enum discovery_type {
    TYPE_CHA,
    TYPE_IIO,
    TYPE_IRP,
    TYPE_M2PCIE,
    TYPE_PCU,
    TYPE_UBOX,
    TYPE_IMC,
    TYPE_M2M,
    TYPE_UPI,
    TYPE_M3UPI,
    TYPE_MDF = 11,
    TYPE_CXLCM,
    TYPE_CXLDP,
    TYPE_HBM,
    TYPE_B2HOT = 15,
    TYPE_B2CMI,
    TYPE_B2CXL,
    TYPE_B2UPI,
    TYPE_MSE,
    TYPE_MDF_SBO,
    TYPE_PCIEX16,
    TYPE_PCIEX8,
    TYPE_SCA, /* Diamond Rapids and later */
    TYPE_DMR_CXLCM,
    TYPE_HAMVF = 30,
    TYPE_CBO,
    TYPE_SANTA,
    TYPE_CNCU,
    TYPE_SNCU,
    TYPE_ULA,
    TYPE_DDA,
    TYPE_SB2UCIE,
    TYPE_DMR_SBO,
    TYPE_UBR = 43,
    TYPE_PCIE4 = 45,
    TYPE_CRS,
    TYPE_CPC,
    TYPE_ITC,
    TYPE_OTC,
    TYPE_CMS,
    TYPE_PCIE6,
};
#define LISTED_AS(type) .table_type = (type) + 1

#define DISCOVERY_STRIDE 4u
#define DISCOVERY_BYTES  0x10000u /* of the region that the table lies in; 0 after its end */

/* Register n of box i: word n of the table of die i of its package. */
uncore_source source_discovery;
/* Where table arg of the package is. */
uncore_source source_discovery_table;
/* Function i leads to table i: base address register (arg: the low or the high dword), and the dword of its
 * capability that says which of them it is. */
uncore_source source_discovery_bar, source_discovery_bir;
#define DISCOVERY_BAR_HIGH 1u
/* The tables of a package, as boxes; NULL: the part has none. */
const struct uncore_box_type *discovery_tables(const struct model *m);
/* How many functions lead to tables. */
uint32_t discovery_functions(const struct model *m);
