/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Code and data prioritization (CDP): IA32_L3_QOS_CFG. Its effect on the cache: cdp_effect.c. */
#include "core/checks/allocation/cdp.h"

#include "arch/x86/rdt/pqr.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/domain/alloc_owners.h"
#include "core/platform/script.h"

#define SDM_CDP "SDM vol. 3B 17.17.4 Code and Data Prioritization (CDP): Enumerating and Enabling L3 CDP Technology"
#define APM_CDP "APM vol. 2 19.4.2 Code and Data Prioritization"

/* --- enabling and disabling */

struct cdp_sweep {
    struct sweep sweep;
    uint32_t msr;
    bool on, refused;
};

static uint32_t build_class_0(struct sweep *s, uint32_t cpu, struct step *steps)
{
    uint64_t found = alloc_found(s->check, cpu, IA32_PQR_ASSOC);

    steps[0] = step_wrmsr(IA32_PQR_ASSOC, pqr_with_clos(found, 0));
    return pqr_decode(found).clos ? 1 : 0;
}

static uint32_t build_cdp_enable(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct cdp_sweep *f = s->context;

    if (reference_is_intel(s->check) && !alloc_writes(s->check, cpu, ALLOC_L3))
        return 0;
    steps[0] = step_wrmsr(IA32_L3_QOS_CFG, f->on ? IA32_L3_QOS_CFG_CDP_ENABLE : 0);
    return 1;
}

static void judge_cdp_enable(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t)
{
    struct cdp_sweep *f = s->context;

    if (s->compared++ == 0 || steps[0].status != ST_OK)
        evidence_wrmsr(s->check, cpu, steps[0].reg, steps[0].value, steps[0].status, steps[0].tsc);
    if (steps[0].status == ST_OK)
        return;
    f->refused = true;
    alloc_refused(s->check, cpu, &steps[0]);
}

static enum status cdp_sweep_run(struct check *c, struct cdp_sweep *f,
                                 uint32_t (*build)(struct sweep *, uint32_t, struct step *))
{
    TRY(sweep_run(&f->sweep, c, 1, build, judge_cdp_enable, "IA32_L3_QOS_CFG", f));
    return f->refused ? check_already_reported(c, ST_FAULT) : ST_OK;
}

static enum status masks_full(struct check *c, const struct alloc_table *t)
{
    for (uint32_t class = 0; class < t->classes; class ++)
        TRY(alloc_write(c, t, class, low_bits(t->bits)));
    return ST_OK;
}

static enum status cdp_record(struct check *c, const struct alloc_table *t)
{
    TRY(alloc_record_table(c, t));
    TRY(alloc_record(c, IA32_L3_QOS_CFG));
    return alloc_record(c, IA32_PQR_ASSOC);
}

enum status cdp_leaves_two(struct check *c, uint32_t classes)
{
    return classes < 4 ? check_absent(c, "%u CLOS: fewer than two remain while CDP is enabled", classes) : ST_OK;
}

enum status cdp_enable(struct check *c, bool on)
{
    struct alloc_table t = alloc_l3_masks(c);
    struct cdp_sweep f = { .on = on };

    TRY(cdp_record(c, &t));
    TRY(masks_full(c, &t));
    TRY(cdp_sweep_run(c, &f, build_class_0));
    TRY(cdp_sweep_run(c, &f, build_cdp_enable));
    return masks_full(c, &t);
}

enum status cdp_put_back(struct check *c)
{
    struct alloc_table t = alloc_l3_masks(c);
    enum status st = alloc_put_back(c, IA32_L3_QOS_CFG);

    st = status_first(st, alloc_put_back(c, IA32_PQR_ASSOC));
    return status_first(st, alloc_put_back_table(c, &t));
}

/* Without CDP a class has the mask of its own number: that of CLOS 1 is then a code mask, that of CLOS 2 a data mask.
 * *off: a fill of the other kind keeps to it, and by another processor of the L3, of the n, it does not. */
static enum status name_cdp_off(const struct cdp_classes *each, uint32_t cpu, const uint32_t *cpus, uint32_t n,
                                bool *off)
{
    const struct cat_context *k = each->cat;
    uint32_t class = 1 + each->restricted;
    double bytes = 0, control = 0, most = cat_most_of(each->check, k, each->domain, k->least);

    if (class >= k->t.classes / 2)
        return ST_OK;
    TRY(alloc_write(each->check, &k->t, class, cat_window(k, 0, 1)));
    TRY(each->fill(each, cpu, class, &bytes));
    for (uint32_t i = 0; i < n && bytes <= most && control <= most; i++)
        TRY(each->fill(each, cpus[i], class, &control));
    TRY(alloc_write(each->check, &k->t, class, cat_full_mask(k)));
    *off = bytes <= most && control > most;
    if (*off)
        finding(each->check, FINDING_EXPECTED, 0, FOUND_CDP_OFF, place_domain_cpu(each->domain, cpu),
                "CDP is enabled, and CLOS %u of this processor keeps to mask %u, as without CDP: %lu bytes of %s while "
                "that has %u of %u ways; of another processor %lu bytes",
                class, class, (uint64_t)bytes, each->restricted ? "code" : "data", k->least, k->t.bits,
                (uint64_t)control);
    return ST_OK;
}

/* A class that fills more than the one way of its mask: is it the mask of another one that acts on it? */
static enum status name_acting_class(const struct cdp_classes *each, uint32_t cpu, uint32_t class, const uint32_t *cpus,
                                     uint32_t n)
{
    const struct cat_context *k = each->cat;
    double bytes = 0;
    bool off = false;

    TRY(name_cdp_off(each, cpu, cpus, n, &off));
    for (uint32_t other = 0; other < k->t.classes / 2 && !off; other++) {
        uint32_t mask = 2 * other + each->restricted;

        if (other == class)
            continue;
        TRY(alloc_write(each->check, &k->t, mask, cat_window(k, 0, 1)));
        TRY(each->fill(each, cpu, class, &bytes));
        TRY(alloc_write(each->check, &k->t, mask, cat_full_mask(k)));
        if (bytes > cat_most_of(each->check, k, each->domain, k->least))
            continue;
        finding(each->check, FINDING_EXPECTED, 0, FOUND_OTHER_CLOS_ACTS, place_domain(each->domain),
                "CDP: CLOS %u fills the ways of the %s mask of CLOS %u: %lu bytes while that has %u of %u ways", class,
                each->restricted ? "code" : "data", other, (uint64_t)bytes, k->least, k->t.bits);
        break;
    }
    return ST_OK;
}

enum status cdp_every_class(const struct cdp_classes *each)
{
    struct check *c = each->check;
    const struct cat_context *k = each->cat;
    uint32_t classes = k->t.classes / 2, n, *cpus = domain_all_cpus(c, each->domain, &n);
    enum status st = cat_set_masks(c, k, 0, NULL);
    bool named = false;

    if (!cpus)
        return check_unmeasured(c, ST_NO_MEMORY, k->cpus[0], "the processors of an L3");
    for (uint32_t i = 0; i < (n > classes ? n : classes) && st == ST_OK; i++) {
        uint32_t class = (1 + i) % classes, mask = 2 * class + each->restricted, before = c->state->record.n_findings;

        st = alloc_write(c, &k->t, mask, cat_window(k, 0, 1));
        if (st == ST_OK)
            st = each->measure(each, cpus[i % n], class);
        if (st == ST_OK)
            st = alloc_write(c, &k->t, mask, cat_full_mask(k));
        if (st == ST_OK && !named && c->state->record.n_findings > before) {
            named = true;
            st = name_acting_class(each, cpus[i % n], class, cpus, n);
        }
    }
    return st;
}

bool cdp_held_again(const struct cdp_classes *each, double bytes)
{
    return !reference_is_intel(each->check) &&
           bytes > cat_most_of(each->check, each->cat, each->domain, each->cat->least);
}

void cdp_held_keep(struct cdp_held *h, uint32_t cpu, uint32_t class, double bytes)
{
    if (h->most == 0 || bytes < h->least)
        h->least = bytes;
    if (bytes > h->most) {
        h->most = bytes;
        h->cpu = cpu;
        h->class = class;
    }
}

void cdp_held_judge(const struct cdp_classes *each, const struct cdp_held *h)
{
    double apart = 0.5 * (double)each->cat->step_bytes / each->cat->least;

    if (each->check->state->record.n_findings > 0 || !cdp_held_again(each, h->most) || cdp_held_again(each, h->least) ||
        h->most <= h->least + apart)
        return;
    finding(
        each->check, FINDING_UNUSUAL, 0, FOUND_FILLS_MORE_WAYS, place_domain_cpu(each->domain, h->cpu),
        "CDP: by a %s mask of one way, that of CLOS %u, this processor holds %lu bytes; another CLOS or processor %lu",
        each->restricted ? "code" : "data", h->class, (uint64_t)h->most, (uint64_t)h->least);
}

/* --- CD-01, CD-05: CDP_Enable on every L3 */

static uint32_t build_cdp_read(struct sweep *, uint32_t, struct step *steps)
{
    steps[0] = step_rdmsr(IA32_L3_QOS_CFG);
    return 1;
}

static void judge_cdp_read(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t)
{
    const struct cdp_sweep *f = s->context;
    uint64_t wanted = f->on ? IA32_L3_QOS_CFG_CDP_ENABLE : 0;
    bool wrong = steps[0].status != ST_OK || steps[0].value != wanted;

    if (s->compared++ == 0 || wrong)
        evidence_msr(s->check, cpu, IA32_L3_QOS_CFG, steps[0].value, steps[0].tsc);
    if (steps[0].status != ST_OK)
        finding(s->check, FINDING_EXPECTED, 0, FOUND_REGISTER_MISSING, place_cpu(cpu),
                "RDMSR IA32_L3_QOS_CFG raised %s", status_text(steps[0].status));
    else if (wrong)
        finding(s->check, FINDING_EXPECTED, 0,
                (steps[0].value ^ wanted) & IA32_L3_QOS_CFG_CDP_ENABLE ? FOUND_NOT_STORED : FOUND_RESERVED_BITS,
                place_cpu(cpu), "IA32_L3_QOS_CFG was written 0x%lx on every L3 and reads 0x%lx", wanted,
                steps[0].value);
}

static enum status cdp_read_everywhere(struct check *c, bool on)
{
    struct cdp_sweep f = { .on = on };

    TRY(sweep_run(&f.sweep, c, 1, build_cdp_read, judge_cdp_read, "IA32_L3_QOS_CFG", &f));
    evidence_swept(c, on ? "IA32_L3_QOS_CFG read on every processor while CDP is enabled" : "the same while disabled",
                   f.sweep.compared);
    return ST_OK;
}

static enum status cdp_on_and_off(struct check *c)
{
    TRY(cdp_enable(c, true));
    TRY(cdp_read_everywhere(c, true));
    TRY(cdp_enable(c, false));
    TRY(cdp_read_everywhere(c, false));
    return check_verdict(c) == VERDICT_PASS ? alloc_switch_walk(c, IA32_L3_QOS_CFG, IA32_L3_QOS_CFG_CDP_ENABLE) : ST_OK;
}

static enum status check_cdp_enable(struct check *c)
{
    enum status st = cdp_on_and_off(c);

    return status_first(st, cdp_put_back(c));
}

/* --- reserved bits */

static uint32_t reserved_bits(const struct alloc_walk *, uint64_t *values)
{
    uint32_t n = 0;

    for (uint32_t bit = 1; bit < 64; bit++)
        values[n++] = BIT(bit);
    return n;
}

static enum status check_cdp_reserved(struct check *c)
{
    struct alloc_table t = {
        .name = "IA32_L3_QOS_CFG", .first = IA32_L3_QOS_CFG, .classes = 1, .bits = 1, .scope = ALLOC_L3
    };
    struct alloc_walk w = { .table = &t,
                            .rule =
                                reference_is_intel(c) ? "bits other than bit 0 raise #GP" : "bits 63:1 read as zero",
                            .expect = reference_is_intel(c) ? ALLOC_REFUSED : ALLOC_ZEROED,
                            .values = reserved_bits };

    return alloc_walk(c, &w);
}

/* --- CD-03: a class above the limit of CDP */

static uint32_t build_high_class(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct check *c = s->check;
    uint64_t found = alloc_found(c, cpu, IA32_PQR_ASSOC);

    if (!alloc_writes(c, cpu, ALLOC_L3))
        return 0;
    steps[0] = step_wrmsr(IA32_PQR_ASSOC, pqr_with_clos(found, reference_rdt(c)->l3.clos - 1));
    steps[1] = step_rdmsr(IA32_PQR_ASSOC);
    steps[2] = step_wrmsr(IA32_PQR_ASSOC, pqr_with_clos(found, 0));
    return 3;
}

static void judge_high_class(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t)
{
    evidence_wrmsr(s->check, cpu, IA32_PQR_ASSOC, steps[0].value, steps[0].status, steps[0].tsc);
    evidence_msr(s->check, cpu, IA32_PQR_ASSOC, steps[1].value, steps[1].tsc);
    if (s->compared++ == 0)
        check_note(s->check, "cpu %u: a CLOS above the limit that applies while CDP is enabled %s", cpu,
                   steps[0].status == ST_OK ? "is accepted" : "raises #GP");
}

static enum status record_high_class(struct check *c)
{
    struct sweep s;

    TRY(cdp_enable(c, true));
    return sweep_run(&s, c, 3, build_high_class, judge_high_class, "IA32_PQR_ASSOC", NULL);
}

/* The SDM neither asks for #GP nor defines the effect. */
static enum status check_high_class(struct check *c)
{
    enum status st = record_high_class(c);

    return status_first(st, cdp_put_back(c));
}

static const struct check_row rows[] = {
    { .id = "cdp.switch",
      .title = "CDP can be enabled and disabled on every L3, through any of its processors",
      .spec = SDM_CDP "; " APM_CDP,
      .covers = "CD-01 CD-05 XC-02",
      .detects = "CDP_Enable that is not there or stays set; an L3 in another state than the others",
      .means = "CDP_Enable (IA32_L3_QOS_CFG[0]) does not do what the SDM says, or not on every L3",
      .next = "`enum.cdp-register`; the value of IA32_L3_QOS_CFG on each L3 in the evidence",
      .run = check_cdp_enable },
    { .id = "cdp.reserved",
      .title = "Reserved bits of IA32_L3_QOS_CFG raise #GP, on AMD read as zero",
      .spec = SDM_CDP "; " APM_CDP,
      .covers = "CD-01 AM-02",
      .means = "IA32_L3_QOS_CFG stores a reserved bit, or drops it without the documented #GP",
      .next = "`cdp.switch`; bit and processor in the finding; microcode",
      .run = check_cdp_reserved },
    { .id = "cdp.high-class",
      .title = "CDP: the effect of a CLOS above the limit is recorded",
      .spec = SDM_CDP,
      .covers = "CD-03",
      .detects = "nothing: the SDM leaves it undefined",
      .means = "CDP could not be enabled, so that nothing was recorded",
      .next = "`cdp.switch`; `enum.cdp-register`",
      .grade = GRADE_W,
      .run = check_high_class },
};
CHECK_FAMILY(cdp, rows, .needs = NEED_RDT_A | NEED_CDP, .risk = RISK_MSR, .rests_on = RESTS_ON_REGISTERS, .order = 340);
