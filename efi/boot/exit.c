/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/boot/exit.h"

#include <stdbool.h>

#include "arch/x86/cpu/insn.h"
#include "core/base/text.h"
#include "efi/boot/relaunch.h"
#include "efi/console/console.h"
#include "efi/firmware/shell.h"
#include "efi/console/ui.h"

/* QEMU's isa-debug-exit: the emulator ends with status value * 2 + 1. Reports are flushed by then, and there is no
 * QEMU to answer on real hardware: then the system is powered off. */
#define ISA_DEBUG_EXIT 0xF4u

#define READING_SECONDS 30u

static void reset_system(EFI_SYSTEM_TABLE *st, EFI_RESET_TYPE type)
{
    st->RuntimeServices->ResetSystem(type, EFI_SUCCESS, 0, NULL);
    ui_close();
    console_say("assay: firmware's ResetSystem() returned: switch the machine off by its button or BMC");
    for (;;)
        st->BootServices->Stall(1000000);
}

/* Another run, with the checks that did not pass or with all. false: it could not be started. */
static bool exit_to_new_run(EFI_SYSTEM_TABLE *st, EFI_HANDLE image, bool failed_only, const char *line,
                            EFI_STATUS *answer)
{
    static char next[RELAUNCH_LINE];
    const char *ids[OPTIONS_PATTERNS];
    uint32_t n = failed_only ? ui_failed(ids, OPTIONS_PATTERNS) : 0;
    enum status s = ST_OK;

    if (failed_only)
        s = options_line_for(line, ids, n, next, sizeof next);
    else
        text_format(next, sizeof next, "%s", line);
    ui_close();
    if (s == ST_OK)
        s = relaunch(st, image, next, answer);
    if (s != ST_OK)
        console_say("assay: cannot be started again: %s", status_text(s));
    return s == ST_OK;
}

/* ui_menu() disarms the watchdog; on the way back to firmware it is as firmware armed it. */
static EFI_STATUS exit_menu(EFI_SYSTEM_TABLE *st, EFI_HANDLE image, uint32_t seconds, const char *line,
                            EFI_STATUS result)
{
    for (;;) {
        enum menu_answer answer = ui_menu(seconds);

        if (answer == ANSWER_SHUTDOWN)
            reset_system(st, EfiResetShutdown);
        if (answer == ANSWER_REBOOT)
            reset_system(st, EfiResetCold);
        if ((answer == ANSWER_AGAIN || answer == ANSWER_FAILED) &&
            exit_to_new_run(st, image, answer == ANSWER_FAILED, line, &result))
            return result;
        if (answer == ANSWER_BACK) {
            ui_close();
            shell_watchdog_restore(st, image);
            return result;
        }
        seconds = 0;
    }
}

EFI_STATUS exit_run(EFI_SYSTEM_TABLE *st, EFI_HANDLE image, enum exit_choice how, uint32_t status,
                    const char *command_line)
{
    switch (how) {
    case EXIT_MENU:
        return exit_menu(st, image, 0, command_line, status);
    case EXIT_SHUTDOWN:
        reset_system(st, EfiResetShutdown);
        break;
    case EXIT_REBOOT:
        reset_system(st, EfiResetCold);
        break;
    case EXIT_QEMU:
        port_write8(ISA_DEBUG_EXIT, (uint8_t)status);
        console_say("assay: no answer at port 0xF4: this is not QEMU with isa-debug-exit; powering off");
        reset_system(st, EfiResetShutdown);
        break;
    case EXIT_RETURN:
        if (!shell_started_image(st, image))
            return exit_menu(st, image, READING_SECONDS, command_line, status);
        ui_close();
        break;
    }
    return status;
}

void exit_by_reset(EFI_SYSTEM_TABLE *st, enum exit_choice how, uint32_t status)
{
    ui_close();
    if (how == EXIT_QEMU)
        port_write8(ISA_DEBUG_EXIT, (uint8_t)status);
    if (how == EXIT_SHUTDOWN)
        reset_system(st, EfiResetShutdown);
    for (uint32_t left = READING_SECONDS; left > 0 && console_key() == 0; left--) {
        console_progress("A processor did not return: reset in %u s; any key resets now", left);
        st->BootServices->Stall(1000000);
    }
    reset_system(st, EfiResetCold);
}
