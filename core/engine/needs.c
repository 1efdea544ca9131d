/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/engine/engine.h"
#include "core/base/text.h"

static const struct {
    uint32_t need;
    const char *words;
} words[] = {
    { NEED_RDT_BIT, "RDT-M bit" },
    { NEED_RDT_M, "L3 monitoring" },
    { NEED_OCCUPANCY, "CMT" },
    { NEED_TOTAL, "MBM total" },
    { NEED_LOCAL, "MBM local" },
    { NEED_WIDTH_24, "24-bit MBM counters" },
    { NEED_RDT_A_BIT, "RDT-A bit" },
    { NEED_RDT_A, "L3 allocation" },
    { NEED_2_CPUS, "2 processors" },
    { NEED_SMT, "2 threads of a core" },
    { NEED_2_DOMAINS, "2 L3 domains" },
    { NEED_2_NODES, "2 NUMA nodes" },
    { NEED_UBOX, "UBox PMON" },
    { NEED_PMON, "uncore PMON" },
    { NEED_CLASSES, "2 CLOS" },
    { NEED_CDP, "CDP" },
    { NEED_L2_CAT, "L2 CAT" },
    { NEED_MBA, "MBA" },
    { NEED_AMD_QOS, "AMD bandwidth enforcement" },
    { NEED_AMD_ABMC, "assignable counters" },
    { NEED_MP_SELFTEST, "MP services" },
    { NEED_PMI_ASKED, "-pmi" },
};

void check_needs_text(const struct check_row *row, char *out, size_t size)
{
    size_t n = 0;

    out[0] = '\0';
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && n < size; i++)
        if (row->needs & words[i].need)
            n += text_format(out + n, size - n, "%s%s", n ? ", " : "", words[i].words);
    if (n == 0)
        text_format(out, size, "nothing");
}
