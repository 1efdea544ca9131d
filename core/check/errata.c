/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Data: one row an erratum and range of steppings. A number stands here only where a public document has it.
 *
 * Looked up again in November 2026. BDF102 and SKX99: resctrl.rst names number, title and address of both specification
 * updates. 613537: Intel's microcode release notes give the Scalable Family's under this number, besides the address
 * that resctrl.rst has; the E5 v4 one is named by its title alone. SKZ4: the comment in PCM, and intel-cmt-cat issue
 * 95, which names the document. 338822: its title page. What an issue reports is in its thread.
 */
#include "core/check/errata.h"

#include <stddef.h>

#define BDX_UPDATE "Intel Xeon E5-2600 v4 Processor Product Family Specification Update"
#define SKX_UPDATE "Intel Xeon Processor Scalable Family Specification Update, 613537"
#define RESCTRL    "Linux, Documentation/arch/x86/resctrl.rst and arch/x86/kernel/cpu/resctrl"

#define XEON6_MBM "Linux commit 752b6939951f (selftests/resctrl), which names GNR12 and SRF42"
#define XEON6_L3S 4.0
#define XEON6_OVERCOUNT                                                                                                \
    "bandwidth is counted too high while the footprint is small; beyond four times the L3 the excess is insignificant"

const struct erratum errata[] = {
    { VENDOR_INTEL, 6, 0x4F, 0, 15, "BDF102", BDX_UPDATE "; " RESCTRL,
      "bandwidth counted for RMIDs above a threshold is off by a factor that the number of RMIDs gives",
      RESTS_ON_BANDWIDTH, ERRATUM_FACTOR },
    { VENDOR_INTEL, 6, 0x55, 0, 4, "SKX99", SKX_UPDATE "; " RESCTRL,
      "bandwidth counted for RMIDs above a threshold is off by a factor that the number of RMIDs gives",
      RESTS_ON_BANDWIDTH, ERRATUM_FACTOR },
    { VENDOR_INTEL, 6, 0x55, 5, 15, "",
      "Intel RDT on 2nd Generation Xeon Scalable Processors Reference Manual, 338822; " RESCTRL,
      "bandwidth counted for RMIDs above a threshold is off by a factor that the number of RMIDs gives",
      RESTS_ON_BANDWIDTH, ERRATUM_FACTOR },
    { VENDOR_INTEL, 6, 0x55, 0, 4, "SKZ4",
      "Intel Core X-Series Specification Update (6th-gen-x-series-spec-update), by intel-cmt-cat issue 95; Intel PCM, "
      "src/cpucounters.cpp (bandwidth monitoring disabled below stepping 5)",
      "bandwidth monitoring is not to be relied on", RESTS_ON_BANDWIDTH, ERRATUM_ANY },
    { VENDOR_INTEL, 6, 0x55, 0, 4, "", RESCTRL " (quirk: occupancy, bandwidth and L3 allocation off by default)",
      "occupancy and L3 allocation are not to be relied on", RESTS_ON_OCCUPANCY | RESTS_ON_MASKS, ERRATUM_ANY },
    { VENDOR_INTEL, 6, 0x55, 5, 15, "", RESCTRL " (quirk: L3 allocation off by default)",
      "L3 allocation is not to be relied on", RESTS_ON_MASKS, ERRATUM_ANY },
    { VENDOR_INTEL, 6, 0x55, 0, 15, "", "intel-cmt-cat issues 69 and 115",
      "throttles of 6 to 35 percent act, and read back, as one of 10", RESTS_ON_THROTTLES, ERRATUM_ANY },
    { VENDOR_INTEL, 6, 0x55, 5, 15, "", "intel-cmt-cat issue 171", "some throttles act more or less than they say",
      RESTS_ON_THROTTLES, ERRATUM_ANY },
    { VENDOR_INTEL, 6, 0x6A, 0, 15, "", "intel-cmt-cat issue 176", "some throttles act more or less than they say",
      RESTS_ON_THROTTLES, ERRATUM_ANY },
    { VENDOR_INTEL, 6, 0x56, 0, 15, "", "intel-cmt-cat issue 42", "firmware may let CPUID show 4 classes of 16",
      RESTS_ON_CLASSES, ERRATUM_ANY },
    { VENDOR_INTEL, 6, 0xAD, 0, 15, "GNR12", XEON6_MBM, XEON6_OVERCOUNT, RESTS_ON_BANDWIDTH, ERRATUM_EXCESS },
    { VENDOR_INTEL, 6, 0xAE, 0, 15, "GNR12", XEON6_MBM, XEON6_OVERCOUNT, RESTS_ON_BANDWIDTH, ERRATUM_EXCESS },
    { VENDOR_INTEL, 6, 0xAF, 0, 15, "SRF42", XEON6_MBM, XEON6_OVERCOUNT, RESTS_ON_BANDWIDTH, ERRATUM_EXCESS },
    { VENDOR_INTEL, 6, 0x3F, 0, 15, "", RESCTRL " (probe of Haswell server)",
      "L3 allocation of some models is there without its CPUID bit", RESTS_ON_CLASSES, ERRATUM_ANY },
};
const uint32_t n_errata = sizeof errata / sizeof errata[0];

const struct erratum *errata_of(const struct machine *m, const struct check_row *row, uint32_t *next)
{
    const struct cpu_identity *id;

    if (!m || !m->cpus || m->reference >= m->n_cpus)
        return NULL;
    id = &m->cpus[m->reference].id;
    while (*next < n_errata) {
        const struct erratum *e = &errata[(*next)++];

        if (e->vendor == id->vendor && e->family == id->family && e->model == id->model &&
            id->stepping >= e->first_stepping && id->stepping <= e->last_stepping && (e->affects & row->rests_on))
            return e;
    }
    return NULL;
}

bool errata_excess_explains(const struct machine *m, uint32_t domain, double footprint)
{
    const struct check_row bandwidth = { .rests_on = RESTS_ON_BANDWIDTH };
    const struct erratum *e;
    uint32_t next = 0;

    if (!m || domain >= m->n_domains || footprint >= XEON6_L3S * (double)m->domains[domain].l3_bytes)
        return false;
    while ((e = errata_of(m, &bandwidth, &next)) != NULL)
        if (e->figure == ERRATUM_EXCESS)
            return true;
    return false;
}

struct mbm_correction errata_mbm_correction(const struct machine *m, uint32_t domain)
{
    const struct l3_domain *d = &m->domains[domain];
    struct mbm_correction known = mbm_correction_of(&m->cpus[d->cpu].id, m->cpus[d->cpu].rdt.max_rmid + 1);

    known.first = d->first_rmid;
    return known;
}

bool errata_factor_explains(const struct machine *m, uint32_t domain, uint32_t rmid, double bytes, double lo, double hi)
{
    struct mbm_correction known;
    double corrected;

    if (!m || !m->cpus || domain >= m->n_domains || (bytes >= lo && bytes <= hi))
        return false;
    known = errata_mbm_correction(m, domain);
    corrected = mbm_correction_factor(&known, rmid) * bytes;
    return known.erratum && corrected >= lo && corrected <= hi;
}
