/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* AMD's PQoS registers at handoff from firmware: limits, event types, assignable counters, I/O injection, reserved ways
 * and the association of CPL 0. */
#include "core/checks/firmware/reset.h"

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/platform/script.h"

#define APM_PQOS                                                                                                       \
    "APM vol. 2 7.6.6 L3 Cache Range Reservation, 19.3.3 Bandwidth Monitoring Event Configuration, 19.4.5 to 19.4.7 "  \
    "AMD Bandwidth Enforcement"

static uint32_t compare_limits(struct check *c, const struct alloc_table *t, const char *means)
{
    uint64_t unlimited = L3QOS_BW_CONTROL_U(t->bits - 1);
    struct reset_registers l = {
        .first = t->first, .n = t->classes, .reset = unlimited, .bits = unlimited, .scope = t->scope, .means = means
    };

    return reset_compare(c, &l);
}

/* Types that the part does not have are not set. */
static uint32_t compare_types(struct check *c, uint32_t event, uint64_t reset, const char *means)
{
    const struct rdt_info *rdt = reference_rdt(c);
    struct reset_registers l = { .first = QOS_EVT_CFG(event),
                                 .n = (rdt->qosx_ebx & CPUID_8000_0020_0_EBX_BMEC) != 0,
                                 .reset = rdt_event_reset(rdt, reset),
                                 .scope = ALLOC_CPU,
                                 .means = means };

    return reset_compare(c, &l);
}

/* On every processor: Linux writes L3_QOS_EXT_CFG on each of an L3's (monitor.c _resctrl_abmc_enable()). */
static uint32_t compare_bit(struct check *c, bool there, uint32_t msr, uint64_t bit, const char *means)
{
    struct reset_registers l = { .first = msr, .n = there, .bits = bit, .scope = ALLOC_CPU, .means = means };

    return reset_compare(c, &l);
}

/* --- ways of a reserved range ------------------------------------------------------------------------------------- */

static uint32_t build_reservation(struct sweep *s, uint32_t cpu, struct step *steps)
{
    if (!alloc_writes(s->check, cpu, ALLOC_L3))
        return 0;
    steps[0] = step_rdmsr(L3RangeReserveMaxAddr);
    steps[1] = step_rdmsr(L3RangeReserveWayMask);
    steps[2] = step_rdmsr(L3RangeReserveBaseAddr);
    return 3;
}

struct reservations {
    struct sweep sweep;
    uint32_t on, cpu; /* L3s with En = 1, and the processor of the first */
    uint64_t max, ways, base;
};

static void judge_reservation(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct reservations *r = s->context;
    enum status st = ST_OK;
    bool on;

    for (uint32_t i = 0; i < n; i++)
        st = status_first(st, steps[i].status);
    s->compared++;
    if (st != ST_OK) {
        finding(s->check, FINDING_EXPECTED, 0, FOUND_REGISTER_MISSING, place_cpu(cpu),
                "RDMSR of the L3 Range Reservation registers raised %s although the feature is enumerated",
                status_text(st));
        return;
    }
    on = steps[0].value & L3RangeReserveMaxAddr_En;
    for (uint32_t i = 0; i < n && (s->compared == 1 || on); i++)
        evidence_msr(s->check, cpu, steps[i].reg, steps[i].value, steps[i].tsc);
    if (!on || r->on++ > 0)
        return;
    r->cpu = cpu;
    r->max = steps[0].value & ~L3RangeReserveMaxAddr_En;
    r->ways = steps[1].value;
    r->base = steps[2].value;
}

static uint32_t look_for_reservations(struct check *c)
{
    struct reservations r = { .sweep = { .check = c,
                                         .max_steps = 3,
                                         .build = build_reservation,
                                         .judge = judge_reservation,
                                         .what = "L3RangeReserveMaxAddr" } };

    if (!(reference_rdt(c)->qosx_ebx & CPUID_8000_0020_0_EBX_L3RR))
        return 0;
    r.sweep.context = &r;
    if (sweep_processors(&r.sweep) != ST_OK)
        check_conclude(c, ST_NO_MEMORY);
    if (r.on)
        finding(c, FINDING_UNUSUAL, 0, FOUND_NOT_RESET_VALUE, place_cpu(r.cpu),
                "L3 Range Reservation was enabled at handoff: ways 0x%lx hold lines of 0x%lx to 0x%lx alone, and no "
                "COS fills them (%u of %lu L3s)",
                r.ways, r.base, r.max, r.on, r.sweep.compared);
    evidence_swept(c, "L3 Range Reservation of each L3", r.sweep.compared);
    return (uint32_t)r.sweep.compared;
}

static enum status check_reset_amd(struct check *c)
{
    uint32_t features = reference_rdt(c)->qosx_ebx, there;
    struct alloc_table memory = alloc_amd_bandwidth(c), slow = alloc_amd_slow_bandwidth(c);
    struct alloc_table global = alloc_amd_global(c), global_slow = alloc_amd_global_slow(c);
    bool abmc = features & CPUID_8000_0020_0_EBX_ABMC, io = features & CPUID_8000_0020_0_EBX_SDCIAE;

    there = compare_limits(c, &memory, "memory bandwidth of this COS is limited");
    there += compare_limits(c, &slow, "bandwidth of slow memory of this COS is limited");
    there += compare_limits(c, &global, "memory bandwidth of this COS is limited over several L3s");
    there += compare_limits(c, &global_slow, "bandwidth of slow memory of this COS is limited over several L3s");
    there += compare_types(c, 0, QOS_EVT_CFG_TOTAL_RESET, "MBM total counts another set of transaction types");
    there += compare_types(c, 1, QOS_EVT_CFG_LOCAL_RESET, "MBM local counts another set of transaction types");
    there += compare_bit(c, abmc, L3_QOS_EXT_CFG, L3_QOS_EXT_CFG_ABMC_EN,
                         "ABMC is enabled: bandwidth is counted only for assigned RMIDs");
    there += compare_bit(c, io, L3_QOS_EXT_CFG, L3_QOS_EXT_CFG_SDCIAE_EN,
                         "SDCIAE is enabled: I/O devices fill the ways of the highest COS");
    there += compare_bit(c, features & CPUID_8000_0020_0_EBX_PLZA, PQR_PLZA_ASSOC, PQR_PLZA_ASSOC_PLZA_EN,
                         "CPL 0, and so Assay, runs with another RMID and COS than PQR_ASSOC has");
    there += look_for_reservations(c);
    return there || check_verdict(c) != VERDICT_PASS
               ? ST_OK
               : check_absent(c, "CPUID Fn8000_0020 enumerates none of these features");
}

static const struct check_row rows[] = {
    { .id = "reset.amd",
      .title = "AMD bandwidth limits, event types and reserved ways have reset values",
      .spec = APM_PQOS,
      .covers = "RS-10 RS-14",
      .means =
          "a bandwidth limit, an event configuration, L3_QOS_EXT_CFG, PQR_PLZA_ASSOC or L3RangeReserveMaxAddr does "
          "not have its reset value",
      .next = "the register in the evidence; firmware settings; a cold boot",
      .run = check_reset_amd },
};
CHECK_FAMILY(reset_amd, rows, RESET_FAMILY, .needs = NEED_AMD_QOS, .grade = GRADE_W);
