/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Registers in memory that ERDT describes: RDT_CTRL, MBA bandwidth levels, and occupancy. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/checks/families.h"
#include "core/checks/firmware/erdt.h"
#include "core/cluster/cluster_view.h"
#include "core/experiment/monitor.h"

/* Reads only what ERDT describes as a register: aligned, inside its block, not in memory of SRAT. */
static enum status erdt_read(struct check *c, uint64_t base, uint64_t pages, uint64_t offset, uint64_t *value)
{
    uint64_t bytes = pages * ERDT_PAGE;

    if (base == 0 || base % ERDT_PAGE || offset % 8 || offset + 8 > bytes || base + bytes < base ||
        srat_has_memory(c, base, bytes))
        return ST_RANGE;
    return mmio_read(c->platform, base + offset, 8, value);
}

#define MBA_FIELDS UINT64_C(0x01FF01FF01FF01FF) /* four regions a register, nine bits each; all ones: not throttled */

/* In total MBA mode these registers are not judged: 356688 has software use MSRs then. */
static void judge_mba_levels(struct check *c, const struct erdt *t, const struct erdt_domain *d, bool by_region)
{
    static const char *const names[3] = { "optimal", "minimum", "maximum" };
    const struct erdt_block *b = &d->blocks[ERDT_MARC];
    uint64_t open = MBA_FIELDS & low_bits(mrrm_regions(c) >= 4 ? 64 : 16 * mrrm_regions(c));

    for (uint32_t i = 0; i < 3; i++) {
        bool there = b->flags & BIT(i);

        if (there && b->base[i] == 0)
            finding(c, FINDING_UNUSUAL, 0, FOUND_TABLE_INVALID, erdt_place(d),
                    "MARC flags %s bandwidth levels without an address", names[i]);
        for (uint32_t clos = 0; there && b->base[i] && clos <= t->max_clos && clos < 64; clos++) {
            uint64_t value = 0;

            if (erdt_read(c, b->base[i], b->pages, erdt_mba_offset(clos, 0), &value) != ST_OK)
                break;
            evidence_register(c, "mmio", names[i], b->base[i] + erdt_mba_offset(clos, 0), value);
            if (by_region && (value & open) != open)
                finding(c, FINDING_UNUSUAL, 0, FOUND_NOT_RESET_VALUE, place_with(erdt_place(d), PLACE_CLOS, clos),
                        "%s bandwidth is 0x%lx, unthrottled is 0x1ff in each field", names[i], value);
        }
    }
}

static enum status check_erdt_control(struct check *c)
{
    struct erdt t;
    uint64_t first = 0, value = 0;
    uint32_t n = 0;
    enum status st = erdt_open(c, &t);

    TRY(st);
    EACH(const struct erdt_domain, d, t.domains, t.n_domains) {
        st = erdt_read(c, d->control_base, d->control_pages, 0, &value);
        if (st != ST_OK) {
            check_note(c, "ERDT domain %u: RDT_CTRL at 0x%lx was not read: %s", d->id, d->control_base,
                       status_text(st));
            continue;
        }
        evidence_register(c, "mmio", "RDT_CTRL", d->control_base, value);
        if (n++ == 0)
            first = value;
        else if (value != first)
            finding(c, FINDING_UNUSUAL, 0, FOUND_READS_DIFFER, erdt_place(d),
                    "RDT_CTRL is 0x%lx, that of the first domain 0x%lx", value, first);
        if (value != RDT_CTRL_TME)
            finding(c, FINDING_UNUSUAL, 0, FOUND_NOT_RESET_VALUE, erdt_place(d),
                    "RDT_CTRL is 0x%lx, reset value 4 (total MBA mode)", value);
        if (d->blocks[ERDT_MARC].present)
            judge_mba_levels(c, &t, d, !(value & RDT_CTRL_TME));
    }
    if (n == 0)
        check_skip(c, "no RDT_CTRL register of ERDT could be read");
    erdt_free(&t);
    return ST_OK;
}

/* --- occupancy by MSR and by MMIO --------------------------------------------------------------------------------- */

#define CMT_UNAVAILABLE BIT(63)
#define CMT_COUNT       BITS(62, 0)

#define SHOWN_RMIDS 8u /* with evidence; of the others those that hold something or differ */

struct comparison {
    uint32_t rmids; /* that were compared                                              */
    uint32_t held;  /* of them, with an occupancy: idle ones are the same in any order */
};

/* CMRC, IA32_QM_CTR, CMRC again: a change meanwhile shows as a difference between the reads of CMRC. */
static void compare_occupancy(struct check *c, const struct erdt_domain *d, uint32_t l3, uint32_t rmid,
                              struct comparison *compared)
{
    const struct erdt_block *b = &d->blocks[ERDT_CMRC];
    struct qm_domain *q = domain_qm(c, l3);
    uint64_t offset = erdt_cmt_offset(b, rmid), before = 0, after = 0;
    double unit = (double)(b->scale > q->upscaling_factor ? b->scale : q->upscaling_factor), bytes, lo, hi;
    struct qm_sample s;

    if (offset == UINT64_MAX || erdt_read(c, b->base[0], b->pages, offset, &before) != ST_OK ||
        qm_read(c->platform, q, rmid, QM_EVENT_L3_OCCUPANCY, &s) != ST_OK ||
        erdt_read(c, b->base[0], b->pages, offset, &after) != ST_OK)
        return;
    if (b->flags & ERDT_CMRC_UNAVAILABLE && (before | after) & CMT_UNAVAILABLE)
        return;
    lo = (double)(before & CMT_COUNT) * (double)b->scale;
    hi = (double)(after & CMT_COUNT) * (double)b->scale;
    if (lo > hi) {
        bytes = lo;
        lo = hi;
        hi = bytes;
    }
    bytes = (double)qm_bytes(q, s.counts);
    compared->rmids++;
    compared->held += bytes > 0;
    if (rmid >= SHOWN_RMIDS && bytes == 0 && hi == 0)
        return;
    evidence_register(c, "mmio", "CMRC", b->base[0] + offset, after);
    evidence_msr(c, q->cpu, IA32_QM_CTR, s.raw, s.tsc);
    if (bytes > 0)
        excludes(c, "a difference of the two occupancies", unit + (hi - bytes > bytes - lo ? hi - bytes : bytes - lo),
                 "bytes");
    if (!check_measure(c, "occupancy by MSR, bounds by MMIO", place_rmid(l3, rmid), bytes, "bytes", lo - unit,
                       hi + unit))
        finding(c, FINDING_UNUSUAL, 0, FOUND_MONITORS_DISAGREE, place_rmid(l3, rmid),
                "IA32_QM_CTR and CMRC differ by more than one count");
}

/* Fills lines under an RMID other than 0, so that one register can be distinguished from the next. */
static void fill_under_rmid(struct check *c, uint32_t l3)
{
    struct test_buffer b;
    struct traffic_part part;
    struct reading r;
    struct experiment e;
    char why[256];
    enum status st = test_buffer_any(c, l3, 1, 2 * load_small_fill_bytes(c, l3), &b);

    if (st == ST_ABSENT) {
        check_take_reason(c, why, sizeof why);
        check_note(c, "%s: nothing is filled", why);
        return;
    }
    if (st == ST_OK) {
        part = part_fill(c, l3, b.rmids[0], b.base, b.bytes);
        r = reading_of("occupancy by MSR", l3, b.rmids[0], QM_EVENT_L3_OCCUPANCY);
        r.lo = 0;
        r.hi = (double)c->machine->domains[l3].l3_bytes;
        st = experiment_stream(c, b.cpu, &part, 1, &r, 1, &e);
    }
    check_conclude(c, st);
}

/* Every RMID. view: where the L3 is cut into clusters the fill is one of them, under an RMID that counts there. */
static void compare_domain(struct check *c, struct check *view, const struct erdt_domain *d, uint32_t l3,
                           struct comparison *compared)
{
    uint32_t last = domain_qm(c, l3)->max_rmid;

    fill_under_rmid(view, view->machine->cpus[c->machine->domains[l3].cpu].domain);
    last = last < d->max_rmid ? last : d->max_rmid;
    for (uint32_t rmid = 0; rmid <= last; rmid++)
        compare_occupancy(c, d, l3, rmid, compared);
    evidence_swept(c, "CMRC and IA32_QM_CTR of every RMID of an L3", last + 1);
}

static enum status compare_domains(struct check *c, const struct erdt *t, struct comparison *compared)
{
    struct check view;
    enum status st = cluster_enter(c, &view), left;

    for (uint32_t i = 0; i < t->n_domains && st == ST_OK; i++) {
        const struct erdt_domain *d = &t->domains[i];
        uint32_t l3 = erdt_l3_domain(c, t, d);

        if (l3 != NO_DOMAIN && d->blocks[ERDT_CMRC].present && domain_qm(c, l3))
            compare_domain(c, &view, d, l3, compared);
    }
    left = st == ST_OK ? cluster_leave(c, &view) : ST_OK;
    st = status_first(st, left);
    return st == ST_OK ? ST_OK : check_unmeasured(c, st, c->platform->bsp, "MSR_RMID_SNC_CONFIG");
}

static enum status check_erdt_occupancy(struct check *c)
{
    struct erdt t;
    struct comparison compared = { 0 };
    enum status st;

    TRY(erdt_open(c, &t));
    st = compare_domains(c, &t, &compared);
    erdt_free(&t);
    TRY(st);
    if (compared.rmids == 0 && check_verdict(c) == VERDICT_PASS)
        check_skip(c, "no CMRC register of ERDT could be read together with IA32_QM_CTR");
    else if (compared.held == 0 && check_verdict(c) == VERDICT_PASS)
        check_skip(c, "no RMID has an occupancy by which registers could be distinguished");
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "acpi.erdt-control",
      .title = "RDT_CTRL has its reset value (total MBA mode), regions unthrottled",
      .spec = RDTA_ERDT ", RDT_CTRL; MARC",
      .covers = "AC-08 AC-09",
      .detects = "domains in different MBA modes, a default that throttles",
      .run = check_erdt_control },
    { .id = "acpi.erdt-occupancy",
      .title = "Occupancy is the same by IA32_QM_CTR and by ERDT's CMRC",
      .spec = RDTA_ERDT ", CMRC",
      .covers = "AC-10",
      .means = "CMRC (MMIO) and IA32_QM_CTR return different occupancy for one RMID",
      .next =
          "`acpi.erdt-blocks` (the address); `acpi.erdt-cpuid` (the upscaling factor); which of the two agrees with "
          "`cmt.fill`",
      .needs = NEED_OCCUPANCY,
      .excludes = true,
      .run = check_erdt_occupancy },
};
CHECK_FAMILY(erdt_registers, rows, ACPI_FAMILY, .risk = RISK_MSR, .grade = GRADE_W, .order = 220);
