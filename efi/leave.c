#include "efi/leave.h"

#include <stdbool.h>

#include "arch/x86/insn.h"
#include "efi/console.h"

/* QEMU's isa-debug-exit: the emulator ends with status value * 2 + 1. Reports are flushed by then, and there is no
 * QEMU to answer on real hardware: then the system is powered off. */
#define ISA_DEBUG_EXIT 0xF4u

#define READING_SECONDS 30u

static void reset(EFI_SYSTEM_TABLE *st, EFI_RESET_TYPE type)
{
    st->RuntimeServices->ResetSystem(type, EFI_SUCCESS, 0, NULL);
    for (;;)
        st->BootServices->Stall(1000000);
}

static void menu(EFI_SYSTEM_TABLE *st)
{
    console_say("%s", "");
    console_say("Press S to power off, R to reboot, B to go back to firmware.");
    while (console_key() != 0)
        ;
    for (;;) {
        switch (console_key()) {
        case 's':
        case 'S':
            reset(st, EfiResetShutdown);
            break;
        case 'r':
        case 'R':
            reset(st, EfiResetCold);
            break;
        case 'b':
        case 'B':
            return;
        default:
            st->BootServices->Stall(20000);
        }
    }
}

/* Source: UEFI Shell specification 2.2, 2.3 "EFI_SHELL_PARAMETERS_PROTOCOL": the shell puts it on what it starts. */
static bool started_by_shell(EFI_SYSTEM_TABLE *st, EFI_HANDLE image)
{
    static EFI_GUID guid = { 0x752f3136, 0x4e16, 0x4fdc, { 0xa2, 0x2a, 0xe5, 0xf4, 0x68, 0x12, 0xf4, 0xca } };
    VOID *parameters;

    return !EFI_ERROR(st->BootServices->HandleProtocol(image, &guid, &parameters));
}

static void let_read(EFI_SYSTEM_TABLE *st)
{
    while (console_key() != 0)
        ;
    for (uint32_t left = READING_SECONDS * 10; left > 0; left--) {
        if (left % 10 == 0)
            console_progress("Back to firmware in %u s; any key stops the clock", left / 10);
        if (console_key() != 0) {
            menu(st);
            return;
        }
        st->BootServices->Stall(100000);
    }
}

EFI_STATUS leave(EFI_SYSTEM_TABLE *st, EFI_HANDLE image, enum exit_choice how, enum run_result result)
{
    switch (how) {
    case EXIT_MENU:
        menu(st);
        break;
    case EXIT_SHUTDOWN:
        reset(st, EfiResetShutdown);
        break;
    case EXIT_REBOOT:
        reset(st, EfiResetCold);
        break;
    case EXIT_QEMU:
        port_write8(ISA_DEBUG_EXIT, (uint8_t)run_result_code(result));
        console_say("assay: no answer at port 0xF4: this is not QEMU with isa-debug-exit; powering off");
        reset(st, EfiResetShutdown);
        break;
    case EXIT_RETURN:
        if (!started_by_shell(st, image))
            let_read(st);
        break;
    }
    return run_result_code(result);
}

void leave_by_reset(EFI_SYSTEM_TABLE *st, enum exit_choice how, enum run_result result)
{
    if (how == EXIT_QEMU)
        port_write8(ISA_DEBUG_EXIT, (uint8_t)run_result_code(result));
    if (how == EXIT_SHUTDOWN)
        reset(st, EfiResetShutdown);
    for (uint32_t left = READING_SECONDS; left > 0 && console_key() == 0; left--) {
        console_progress("A processor did not come back: the machine is reset in %u s; any key does it now", left);
        st->BootServices->Stall(1000000);
    }
    reset(st, EfiResetCold);
}
