/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/boot/resume.h"

#include "efi/boot/metal.h"
#include "efi/console/console.h"
#include "efi/firmware/watchdog.h"

#define ASK_SECONDS 30u

static bool ask(const struct volume *v, const char *what, const char *folder)
{
    console_say("assay: a run of this machine was interrupted: %s (report %s)", what, folder);
    for (uint32_t left = ASK_SECONDS * 10; left > 0; left--) {
        uint32_t key = console_key();

        if (left % 10 == 0)
            console_progress("Resume it? Y or Enter: yes, N: a new run (yes in %u s)", left / 10);
        if (key == 'n' || key == 'N' || key == 'y' || key == 'Y' || key == '\r') {
            console_progress("%s", "");
            return key != 'n' && key != 'N';
        }
        volume_pause(v, 100);
    }
    console_progress("%s", "");
    return true;
}

static void say(const char *line)
{
    console_say("%s", line);
}

static void progress(const char *line)
{
    console_progress("%s", line);
}

const struct resume_ops resume_machine = { .ask = ask, .arm = watchdog_arm, .last_steps = metal_last_steps };
const struct report_console resume_console = {
    .log = console_write, .plain = console_plain, .say = say, .progress = progress
};
