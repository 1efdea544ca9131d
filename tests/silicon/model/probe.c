/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/model/probe.h"

enum model_answer probe_read(const struct probe *p, struct model *m, uint32_t cpu, uint32_t msr, uint64_t *value)
{
    struct model_truth truth;

    model_truth(m, p->domain, p->rmid, &truth);
    switch (msr) {
    case PROBE_SELECT:
        *value = (uint64_t)p->domain << 32 | p->rmid;
        return MODEL_DONE;
    case PROBE_LINES:
        *value = truth.rmid_lines;
        return MODEL_DONE;
    case PROBE_TOTAL:
        *value = truth.rmid_total_lines;
        return MODEL_DONE;
    case PROBE_LOCAL:
        *value = truth.rmid_local_lines;
        return MODEL_DONE;
    case PROBE_DOMAIN:
        *value = model_domain(m, cpu);
        return MODEL_DONE;
    default:
        return MODEL_NOT_MINE;
    }
}

enum model_answer probe_write(struct probe *p, struct model *m, uint32_t msr, uint64_t value)
{
    struct model_truth truth;

    if ((msr >= PROBE_LINES && msr <= PROBE_LOCAL) || msr == PROBE_DOMAIN)
        return MODEL_GP;
    if (msr != PROBE_SELECT)
        return MODEL_NOT_MINE;
    model_truth(m, (uint32_t)(value >> 32), (uint32_t)value, &truth);
    if (truth.l3_lines == 0) /* no such domain */
        return MODEL_GP;
    p->domain = (uint32_t)(value >> 32);
    p->rmid = (uint32_t)value;
    return MODEL_DONE;
}
