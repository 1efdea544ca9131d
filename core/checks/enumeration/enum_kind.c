/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* EN-17: CPUID of this processor against recorded CPUID of parts of the same family and model. */
#include "core/domain/domains.h"

/* CPUID of production parts, recorded by InstLatx64. A zero is not compared. */
static const struct known_part {
    uint32_t family, model;
    uint32_t rmids_per_unit; /* RMIDs are a multiple of this: each L3 slice adds as many            */
    uint32_t scale_per_rmid; /* upscaling factor over the number of RMIDs                           */
    uint32_t rmids;          /* or their number, where all parts have the same                        */
    uint32_t width, events;
    uint32_t resources; /* 10H.0:EBX                                                              */
    uint32_t cbm_len, other_cbm_len, shareable, classes;
    uint32_t counts, other_counts; /* L3 size over upscaling factor: the same for every L3 size         */
    bool cdp;                      /* on every recorded part                                            */
} known_parts[] = {
    { .family = 6, .model = 0x3F, .rmids_per_unit = 4, .scale_per_rmid = 1024, .events = 1, .counts = 640 },
    { 6, 0x4F, 8, 512, 0, 24, 7, 0x2, 20, 0, 0xC0000, 16, 640, 0, true },
    { 6, 0x56, 8, 512, 0, 24, 7, 0x2, 12, 0, 0xC00, 16, 384, 0, false },
    { 6, 0x55, 8, 512, 0, 24, 7, 0xA, 11, 0, 0x600, 16, 352, 0, true },
    { 6, 0x6A, 8, 256, 0, 32, 7, 0xA, 12, 0, 0xC00, 15, 768, 0, false },
    { 6, 0x8F, 8, 256, 0, 32, 7, 0xE, 15, 0, 0x6000, 15, 960, 0, true },
    { 6, 0xCF, 8, 256, 0, 32, 7, 0xE, 15, 20, 0, 15, 960, 2560, true },
    { 6, 0xAD, 8, 256, 0, 32, 7, 0xE, 16, 0, 0xC000, 15, 2048, 0, true },
    { .family = 0x17, .model = 0x31, .rmids = 256, .events = 7, .cbm_len = 16, .classes = 16 },
    { .family = 0x19, .model = 0x01, .rmids = 256, .events = 7, .cbm_len = 16, .classes = 16 },
    { .family = 0x19, .model = 0x11, .rmids = 256, .events = 7, .cbm_len = 16, .classes = 16 },
    { .family = 0x19, .model = 0xA0, .rmids = 256, .events = 7, .cbm_len = 16, .classes = 16 },
    { .family = 0x1A, .model = 0x02, .rmids = 4096, .events = 7, .cbm_len = 16, .classes = 16 },
    { .family = 0x1A, .model = 0x11, .rmids = 4096, .events = 7, .cbm_len = 16, .classes = 16 },
};

static const struct known_part *known_part_of(const struct cpu_identity *id)
{
    for (uint32_t i = 0; i < sizeof known_parts / sizeof known_parts[0]; i++)
        if ((id->vendor == VENDOR_INTEL || id->vendor == VENDOR_AMD) && known_parts[i].family == id->family &&
            known_parts[i].model == id->model)
            return &known_parts[i];
    return NULL;
}

static void compare_field(struct check *c, enum finding_code code, const char *what, const char *where, uint32_t got,
                          uint32_t known)
{
    if (known == 0)
        return;
    if (!check_measure(c, what, place_of("%s", where), got, "", known, known))
        finding(c, FINDING_UNUSUAL, 0, code, PLACE_NONE, "%s (%s) is %u, on recorded parts of this model %u", what,
                where, got, known);
}

/* The ratio is the same on parts with fewer RMIDs or a smaller L3. */
static void compare_counts(struct check *c, const struct rdt_info *rdt, const struct known_part *k)
{
    const struct machine *m = c->machine;
    uint64_t counts;

    if (k->counts == 0 || m->n_domains == 0 || rdt->upscaling_factor == 0)
        return;
    counts = l3_whole_bytes(&m->domains[0]) / rdt->upscaling_factor;
    if (counts != k->other_counts)
        compare_field(c, FOUND_UPSCALING_FACTOR_OFF, "L3 size over upscaling factor", "leaf 4, 0FH.1:EBX",
                      counts < UINT32_MAX ? (uint32_t)counts : UINT32_MAX, k->counts);
}

static void compare_monitoring(struct check *c, const struct rdt_info *rdt, const struct known_part *k)
{
    uint32_t rmids = rdt->max_rmid + 1;

    evidence_leaf(c, c->machine->reference, 0xF, 1, &rdt->leaf0f[1]);
    compare_field(c, FOUND_RMID_COUNT_OFF, "number of RMIDs", "0FH.1:ECX + 1", rmids, k->rmids);
    compare_field(c, FOUND_UNUSUAL_VALUE, "event bitmap", "0FH.1:EDX", rdt->leaf0f[1].regs.edx, k->events);
    compare_field(c, FOUND_UNUSUAL_VALUE, "MBM counter width", "0FH.1:EAX[7:0] + 24", rdt->counter_width, k->width);
    if (k->rmids_per_unit && rmids % k->rmids_per_unit)
        finding(c, FINDING_UNUSUAL, 0, FOUND_RMID_COUNT_OFF, PLACE_NONE,
                "number of RMIDs is %u, on recorded parts of this model a multiple of %u", rmids, k->rmids_per_unit);
    if (k->scale_per_rmid)
        compare_field(c, FOUND_UPSCALING_FACTOR_OFF, "upscaling factor over RMIDs", "0FH.1",
                      rdt->upscaling_factor / rmids, k->scale_per_rmid);
    compare_counts(c, rdt, k);
}

static void compare_allocation(struct check *c, const struct rdt_info *rdt, const struct known_part *k)
{
    evidence_leaf(c, c->machine->reference, 0x10, 0, &rdt->leaf10[0]);
    evidence_leaf(c, c->machine->reference, 0x10, 1, &rdt->leaf10[1]);
    compare_field(c, FOUND_UNUSUAL_VALUE, "resource bitmap", "10H.0:EBX", rdt->leaf10[0].regs.ebx, k->resources);
    if (!rdt->l3.known)
        return;
    if (rdt->l3.cbm_len != k->other_cbm_len)
        compare_field(c, FOUND_CBM_LENGTH_OFF, "CBM length", "10H.1:EAX + 1", rdt->l3.cbm_len, k->cbm_len);
    compare_field(c, FOUND_UNUSUAL_VALUE, "shareable bits", "10H.1:EBX", rdt->l3.shareable, k->shareable);
    compare_field(c, FOUND_CLOS_COUNT_OFF, "number of CLOS", "10H.1:EDX + 1", rdt->l3.clos, k->classes);
    if (k->cdp && !rdt->l3.cdp)
        finding(c, FINDING_UNUSUAL, 0, FOUND_NOT_ENUMERATED, PLACE_NONE,
                "CDP (10H.1:ECX[2]) is not enumerated, on recorded parts of this model it is");
}

static enum status check_kind(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    const struct known_part *k = known_part_of(&c->machine->cpus[c->machine->reference].id);

    if (k == NULL)
        return check_absent(c, "no recorded CPUID of a part of this family and model");
    if (rdt->monitoring && rdt->l3_known)
        compare_monitoring(c, rdt, k);
    else
        finding(
            c, FINDING_UNUSUAL, 0, FOUND_NOT_ENUMERATED, PLACE_NONE,
            "L3 monitoring is not enumerated, on recorded parts of this model it is: fuses, firmware or a hypervisor");
    if (rdt->allocation && rdt->leaf10_known)
        compare_allocation(c, rdt, k);
    else if (k->classes)
        finding(
            c, FINDING_UNUSUAL, 0, FOUND_NOT_ENUMERATED, PLACE_NONE,
            "L3 allocation is not enumerated, on recorded parts of this model it is: fuses, firmware or a hypervisor");
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "enum.kind",
      .weak = true,
      .title = "CPUID enumerates the same as recorded parts of its model",
      .spec = "CPUID of production parts, recorded by InstLatx64",
      .covers = "EN-17",
      .detects = "firmware or fuses that hide RMIDs, CLOS or resources",
      .means = "CPUID differs from other parts of the model: fused, disabled by firmware or hidden by a hypervisor",
      .next = "firmware settings for RDT and SNC; the brand string; the leaf in the evidence",
      .run = check_kind },
};
CHECK_FAMILY(enum_kind, rows, .no_monitor = true, .grade = GRADE_W, .rests_on = RESTS_ON_TABLES | RESTS_ON_CLASSES,
             .order = 210);
