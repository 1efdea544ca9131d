/* What firmware left behind. The values were recorded at the start of the run, before anything was written. */
#include "arch/x86/pqr.h"
#include "arch/x86/rdt_regs.h"
#include "core/checks/common.h"
#include "core/checks/families.h"
#include "core/ledger.h"

static enum verdict check_pqr_reset(struct check *c)
{
    uint64_t compared = 0;

    if (!c->tools->pqr_recorded)
        return skip(c, "this processor enumerates neither monitoring nor allocation");
    for (uint32_t i = 0; i < c->machine->n_cpus; i++) {
        uint64_t value = 0;
        enum status st = ledger_found_msr(c->platform->ledger, i, IA32_PQR_ASSOC, &value);

        if (!(c->platform->cpus[i].flags & CPU_STARTED))
            continue;
        if (st == ST_FAULT && !has_rdt(c))
            return skip(c, "IA32_PQR_ASSOC is not there");
        if (st == ST_FAULT) {
            warn(c, "cpu %u: RDMSR IA32_PQR_ASSOC raised #GP", i);
            continue;
        }
        if (st != ST_OK) {
            cannot_measure(c, st, i, "IA32_PQR_ASSOC");
            continue;
        }
        compared++;
        if (compared <= 8 || value != 0)
            evidence_msr(c, i, IA32_PQR_ASSOC, value, 0);
        if (value != 0)
            warn(c, "cpu %u: IA32_PQR_ASSOC was 0x%llx (RMID %u, CLOS %u) when Assay started", i,
                 (unsigned long long)value, pqr_decode(value).rmid, pqr_decode(value).clos);
    }
    evidence_swept(c, "IA32_PQR_ASSOC as firmware left it", compared);
    return c->verdict;
}

const struct check_row reset_checks[] = {
    { .id = "reset.pqr",
      .title = "Firmware leaves every processor untagged",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association",
      .rows = "AS-01 RS-01",
      .catches = "a tag left behind by firmware",
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .run = check_pqr_reset },
};
