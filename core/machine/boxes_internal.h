/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/machine/boxes_internal.h: what the files of core/machine/boxes.h share. */
#pragma once
#include "core/machine/boxes.h"

struct finder {
    struct platform *platform;
    const struct machine *machine;
    struct pmon *pmon;
    enum status status; /* ST_NO_MEMORY from then on nothing is added */
};

struct bus_owner { /* whose a bus is */
    uint32_t package, die;
};
/* Of the package NO_PACKAGE: it belongs to one that no processor is known of. */
struct bus_owner owner_of_bus(struct finder *f, struct pci_address at);
/* Whether node maps and bus number registers agree; what does not is kept in pmon->bus_faults. */
void compare_buses(struct finder *f);
/* Every Intel function of every bus into pmon->functions. */
void scan_functions(struct finder *f);
/* A box is looked at and kept. Its cpu is set here. */
void add_box(struct finder *f, struct pmon_box box);
/* One that cannot be looked at. value: what why says about it. */
void add_missing(struct finder *f, const struct pmon_unit *unit, uint32_t package, uint32_t number, enum pmon_why why,
                 uint64_t value);
/* A box by MSR, as its unit's location has it. */
struct pmon_box msr_box(const struct pmon_unit *u, struct bus_owner of, uint32_t number);
/* Whether the package's CPUID enumerates a unit that has a feature bit; where not, the unit is listed as missing. */
bool is_enumerated(struct finder *f, const struct pmon_unit *u, uint32_t package);
/* An L3 of each core complex of the package; its data fabric; its memory channels. */
void find_ccx(struct finder *f, const struct pmon_unit *u, uint32_t package);
void find_df(struct finder *f, const struct pmon_unit *u, uint32_t package);
void find_umcs(struct finder *f, const struct pmon_unit *u, uint32_t package);
/* Boxes of discovery tables. */
void find_discovered(struct finder *f);
