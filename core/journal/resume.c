/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/journal/resume.h"

#include <string.h>

#include "core/base/text.h"

struct resume_plan resume_decide(const struct journal_record *found, const uint8_t machine[16],
                                 const uint8_t settings[16])
{
    struct resume_plan plan = { .answer = RESUME_NEW, .boot = 1 };

    if (!found || found->phase == JOURNAL_ENDED)
        return plan;
    if (memcmp(found->machine, machine, sizeof found->machine) != 0) {
        plan.why = "it is another machine's";
        return plan;
    }
    if (memcmp(found->settings, settings, sizeof found->settings) != 0) {
        plan.why = "it had other options, or was another build of Assay";
        return plan;
    }
    plan.answer = RESUME_GO_ON;
    plan.boot = found->boot + 1;
    plan.stalled = found->stalled + (found->medium == ST_OK); /* a full medium resets no machine */
    if (plan.stalled >= RESUME_STALLED) {
        plan.answer = RESUME_END;
        plan.why = "three resets in a row without a completed check";
    } else if (found->phase == JOURNAL_COUNTING) {
        plan.answer = RESUME_END;
        plan.why = "-count runs are not resumed";
    }
    return plan;
}

void resume_what(const struct journal_record *found, char *out, size_t size)
{
    if (found->phase == JOURNAL_CHECKING)
        text_format(out, size, "check %s", found->check);
    else
        text_format(out, size, "%s", journal_phase_text(found->phase));
}
