/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/measure/each.h"

#include <string.h>

#include "arch/x86/rdt/pqr.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/base/text.h"
#include "core/machine/tools.h"
#include "core/measure/cluster.h"
#include "core/measure/cluster_view.h"
#include "core/measure/domains.h"

/* A capacity mask that firmware left restricted: the class that processors were found in cannot fill the L3, and
 * occupancy says so rightly. mask gets its value. Data masks are at index 2n while CDP is enabled (SDM vol. 3B 17.17.4.1). */
static bool is_masked(struct check *c, uint32_t domain, uint32_t *clos, uint64_t *mask)
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t cpu = c->tools->qm[domain].cpu;
    uint64_t pqr = 0, cfg = 0;

    if (!rdt->l3.known || msr_read(c->platform, cpu, IA32_PQR_ASSOC, &pqr) != ST_OK)
        return false;
    if (rdt->l3.cdp && msr_read(c->platform, cpu, IA32_L3_QOS_CFG, &cfg) != ST_OK)
        cfg = 0;
    *clos = pqr_decode(pqr).clos;
    if (msr_read(c->platform, cpu, IA32_L3_MASK(*clos << (cfg & IA32_L3_QOS_CFG_CDP_ENABLE)), mask) != ST_OK)
        return false;
    return (*mask & low_bits(rdt->l3.cbm_len)) != low_bits(rdt->l3.cbm_len);
}

/* Where nothing is counted at all it does not matter whose RMIDs are whose, nor for what registers do. */
static bool asks_whose_rmids(const struct check *c, const struct cluster_l3 *l3)
{
    return !l3->silent && !c->row->about_clusters && c->row->rests_on & ~(RESTS_ON_REGISTERS | RESTS_ON_TABLES);
}

/* ST_ABSENT: why a domain cannot be judged, by absent(). */
static enum status domain_ready(struct check *c, uint32_t domain)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    uint64_t mask = 0;
    uint32_t clos = 0;
    const struct cluster_l3 *clusters = cluster_of(c, domain, NULL);

    if (domain_qm(c, domain) == NULL)
        return absent(c, "L3 domain %u: no processor takes work", domain);
    if (d->l3_bytes == 0 || d->upscaling_factor == 0)
        return absent(c, "L3 domain %u: an L3 of %llu bytes and an upscaling factor of %u bytes allow no expectation",
                      domain, (unsigned long long)d->l3_bytes, d->upscaling_factor);
    if (clusters && clusters->why[0] != '\0' && asks_whose_rmids(c, clusters))
        return absent(c, "%s", clusters->why);
    if ((c->row->needs & NEED_OCCUPANCY) && is_masked(c, domain, &clos, &mask))
        return absent(
            c, "L3 domain %u: firmware left the capacity mask of CLOS %u at 0x%llx: part of the L3 cannot be filled",
            domain, clos, (unsigned long long)mask);
    return ST_OK;
}

/* How many domains were judged so far, and why others were not. */
struct progress {
    uint32_t judged, left_out;
    char first_why[256];
};

static void run_domain_alone(struct check *c, uint32_t domain, struct progress *p)
{
    struct check_memory *mark = check_memory_mark(c);
    enum status st;
    char why[sizeof p->first_why];

    tools_reset(c->tools);
    st = domain_ready(c, domain);
    if (st == ST_OK)
        st = c->row->run_domain(c, domain);
    check_free_since(c, mark);
    if (st != ST_ABSENT && st != ST_DISTURBED) {
        check_conclude(c, st);
        p->judged++;
        return;
    }
    check_take_reason(c, why, sizeof why);
    if (why[0] == '\0')
        text_format(why, sizeof why, "L3 domain %u: no processor that takes part", domain);
    if (p->left_out++ == 0)
        memcpy(p->first_why, why, sizeof why);
    note(c, "not judged: %s", why);
}

static enum verdict each_domain(struct check *c)
{
    struct progress p = { .first_why = "no L3 domain" };
    struct check view;
    enum status st = c->row->ready ? c->row->ready(c) : ST_OK;

    if (st != ST_OK)
        return check_conclude(c, st);
    st = cluster_enter(c, &view);
    if (st != ST_OK)
        return cannot_measure(c, st, c->platform->bsp, "MSR_RMID_SNC_CONFIG");
    for (uint32_t i = 0; i < view.machine->n_domains; i++)
        run_domain_alone(&view, i, &p);
    if (p.judged && p.left_out)
        note(c, "judged on %u of %u L3 domains", p.judged, p.judged + p.left_out);
    st = cluster_leave(c, &view);
    if (st != ST_OK)
        cannot_measure(c, st, c->platform->bsp, "MSR_RMID_SNC_CONFIG");
    return p.judged ? check_verdict(c) : skip(c, "%s", p.first_why);
}

enum verdict check_run(struct check *c)
{
    return c->row->run ? c->row->run(c) : each_domain(c);
}
