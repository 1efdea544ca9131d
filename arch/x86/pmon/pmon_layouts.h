/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/pmon/pmon_layouts.h: what the tables of several generations share: control layouts, box controls, events. */
#pragma once
#include "arch/x86/pmon/pmon.h"
#include "core/base/bits.h"

#define PMON_COUNT_OF(rows) (uint32_t)(sizeof(rows) / sizeof(rows)[0])
#define PMON_EVENTS(rows)   .events = rows, .n_events = PMON_COUNT_OF(rows)
/* Free-running counters of the memory controllers behind MEMn_BAR. */
#define PMON_FREE_MEMORY(rows)                                                                                         \
    .name = "MC", .kind = PMON_FREE, .access = PMON_MMIO, .find = PMON_FIND_MEMORY, .most = 4, .free = rows,           \
    .n_free = PMON_COUNT_OF(rows)
#define PMON_PLACES(rows)                                                                                              \
    .find = PMON_FIND_PLACES, .access = PMON_PCI, .places = rows, .n_places = PMON_COUNT_OF(rows),                     \
    .most = PMON_COUNT_OF(rows)

/* A place that every part of the generation has, and one that only larger parts have. */
#define AT(dev, fn, id)                                                                                                \
    {                                                                                                                  \
        .device = (dev), .function = (fn), .did = (id)                                                                 \
    }
#define MAYBE(dev, fn, id)                                                                                             \
    {                                                                                                                  \
        .device = (dev), .function = (fn), .did = (id), .optional = true                                               \
    }

/* Counters by PCI: E5-2600 uncore guide (327043-001), tables of the PMON registers of HA, iMC, QPI, R2PCIe, R3QPI. */
#define PMON_PCI_REGISTERS .box_ctl = 0xF4, .ctl = 0xD8, .ctr = 0xA0, .has_status = true, .status = 0xF8
#define PMON_IMC_FIXED(bits)                                                                                           \
    .fixed_ctl = 0xF0, .fixed_ctr = 0xD0, .fixed_bits = (bits), .fixed_en = BIT(22), .fixed_rst = BIT(19)

/* Controls of a counter: 327043-001 2.2.3.2 table 2-2 and the like tables of the other boxes; ov_en from 329468-002 on.
 * `5`: the threshold has five bits (UBox, PCU); `8`: eight. */
extern const struct pmon_control pmon_control_snb_5, pmon_control_snb_8, pmon_control_snb_cbo, pmon_control_snb_qpi,
    pmon_control_snb_pcu;
extern const struct pmon_control pmon_control_5, pmon_control_8, pmon_control_cbo, pmon_control_qpi, pmon_control_pcu;

/* Box controls: with frz_en (SNB-EP, HSX, BDX), without (IVB-EP, SKX, ICX), and the new order of SPR. */
extern const struct pmon_box_control pmon_box_frz_en, pmon_box_frz, pmon_box_new;

/* Events that kept their codes over generations. bytes: a CAS moves a line. */
extern const struct pmon_named pmon_imc_events[6]; /* SNB-EP to CLX */
/* FREQ_BANDn_CYCLES of the power control unit: byte n of its filter is the band's threshold, in 100 MHz. */
extern const struct pmon_named pmon_band_events[4]; /* SNB-EP to BDX */
