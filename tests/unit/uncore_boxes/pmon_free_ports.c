/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* pmon.free-running on the counters of I/O ports, which stand at 0 on the silicon: here a device moves something. Linux
 * uncore_snbep.c skx_uncore_iio_freerunning: stack 0 has B00H to B0FH, 36 bits wide; icx_uncore_iio_free_running: AA0H. */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "tests/support/run/model_run.h"

#define ID "pmon.free-running"

struct port { /* one counter, which moves between any two reads of it */
    uint32_t msr;
    uint64_t value, step, set;
};

static void port_answers(struct interposer *i, uint32_t, struct step *s)
{
    struct port *p = i->context;

    if (s->op != STEP_RDMSR || s->reg != p->msr)
        return;
    p->value += p->step;
    s->value = (p->value & low_bits(36)) | p->set;
}

static void expect_port(const char *profile, struct port port, enum verdict verdict, const char *finding)
{
    expect(verdict, ID, ON(profile), .after = port_answers, .context = &port, .finding = finding);
}

Test(pmon_free_ports, a_port_that_moves_passes_and_wraps)
{
    expect_port("skx", (struct port){ .msr = 0xB01, .step = 1000 }, VERDICT_PASS, NULL);
    expect_port("skx", (struct port){ .msr = 0xB01, .value = low_bits(36) - 1500, .step = 1000 }, VERDICT_PASS, NULL);
    expect_port("icx", (struct port){ .msr = 0xB57, .step = 1 }, VERDICT_PASS, NULL);
}
