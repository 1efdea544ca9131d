/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/firmware/quirk.c: firmware with a fault, for tests. An EFI driver that is started before the payload.
 *
 * It changes EFI_MP_SERVICES_PROTOCOL, as its build says (-DQUIRK=...):
 *   REFUSE     non-blocking StartupAllAPs answers EFI_UNSUPPORTED, as the PI specification allows after ReadyToBoot
 *   HOLD       StartupAllAPs blocks, whatever event it is given, and no timer's event is notified until it returns
 *   HIDE       there are no MP services at all
 *   DEAF       one processor never comes to the caller's procedure: it spins for ever
 *   UNREADY    StartupAllAPs answers EFI_NOT_READY, with an event and without
 *   TWICE      each processor comes to the caller's procedure, returns, and comes again
 *   EARLY      StartupAllAPs with an event signals it before any processor has come
 *   BLANK      GetProcessorInfo answers EFI_DEVICE_ERROR for the processor of the highest number
 */
#include <efi.h>

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

typedef VOID(EFIAPI *ap_procedure)(VOID *argument);

/* Source: PI specification 1.7, volume 2, 13.4 "MP Services Protocol"; members in order, only the ones used typed. */
struct mp_services {
    EFI_STATUS(EFIAPI *get_number)(struct mp_services *mp, UINTN *all, UINTN *enabled);
    EFI_STATUS(EFIAPI *get_info)(struct mp_services *mp, UINTN number, VOID *info);
    EFI_STATUS(EFIAPI *startup_all)
    (struct mp_services *mp, ap_procedure procedure, BOOLEAN single, EFI_EVENT event, UINTN timeout, VOID *argument,
     UINTN **failed);
    VOID *startup_this, *switch_bsp, *enable_disable, *who_am_i;
};

static EFI_GUID mp_guid = { 0x3fdda605, 0xa76e, 0x4f46, { 0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08 } };
enum quirk { REFUSE, HOLD, HIDE, DEAF, UNREADY, TWICE, EARLY, BLANK };

static EFI_SYSTEM_TABLE *st;
static struct mp_services *mp;
static EFI_STATUS(EFIAPI *real_startup_all)(struct mp_services *, ap_procedure, BOOLEAN, EFI_EVENT, UINTN, VOID *,
                                            UINTN **);
static EFI_STATUS(EFIAPI *real_get_info)(struct mp_services *, UINTN, VOID *);
static UINTN processors;

static void say(const CHAR16 *text)
{
    st->ConOut->OutputString(st->ConOut, (CHAR16 *)text);
    st->ConOut->OutputString(st->ConOut, (CHAR16[]){ L'\r', L'\n', 0 });
}

static EFI_STATUS EFIAPI refuse(struct mp_services *self, ap_procedure procedure, BOOLEAN single, EFI_EVENT event,
                                UINTN timeout, VOID *argument, UINTN **failed)
{
    if (event)
        return EFI_UNSUPPORTED;
    return real_startup_all(self, procedure, single, event, timeout, argument, failed);
}

static EFI_STATUS EFIAPI hold(struct mp_services *self, ap_procedure procedure, BOOLEAN single, EFI_EVENT event,
                              UINTN timeout, VOID *argument, UINTN **failed)
{
    EFI_TPL tpl = st->BootServices->RaiseTPL(TPL_HIGH_LEVEL);
    EFI_STATUS s = real_startup_all(self, procedure, single, NULL, timeout, argument, failed);

    st->BootServices->RestoreTPL(tpl);
    if (event && !EFI_ERROR(s))
        st->BootServices->SignalEvent(event);
    return s;
}

/* The order in which processors arrive is arbitrary, so it is any one of them that goes deaf. */
static struct {
    ap_procedure procedure;
    VOID *argument;
    UINTN arrived;
} deaf_call;

static VOID EFIAPI deaf_procedure(VOID *)
{
    if (__atomic_add_fetch(&deaf_call.arrived, 1, __ATOMIC_SEQ_CST) == processors - 1)
        for (;;)
            __asm__ volatile("pause");
    deaf_call.procedure(deaf_call.argument);
}

static EFI_STATUS EFIAPI deaf(struct mp_services *self, ap_procedure procedure, BOOLEAN single, EFI_EVENT event,
                              UINTN timeout, VOID *argument, UINTN **failed)
{
    deaf_call.procedure = procedure;
    deaf_call.argument = argument;
    deaf_call.arrived = 0;
    return real_startup_all(self, deaf_procedure, single, event, timeout, NULL, failed);
}

static EFI_STATUS EFIAPI unready(struct mp_services *, ap_procedure, BOOLEAN, EFI_EVENT, UINTN, VOID *, UINTN **)
{
    return EFI_NOT_READY;
}

static VOID EFIAPI twice_procedure(VOID *)
{
    deaf_call.procedure(deaf_call.argument);
    deaf_call.procedure(deaf_call.argument);
}

static EFI_STATUS EFIAPI twice(struct mp_services *self, ap_procedure procedure, BOOLEAN single, EFI_EVENT event,
                               UINTN timeout, VOID *argument, UINTN **failed)
{
    deaf_call.procedure = procedure;
    deaf_call.argument = argument;
    return real_startup_all(self, twice_procedure, single, event, timeout, NULL, failed);
}

static EFI_STATUS EFIAPI early(struct mp_services *self, ap_procedure procedure, BOOLEAN single, EFI_EVENT event,
                               UINTN timeout, VOID *argument, UINTN **failed)
{
    if (event)
        st->BootServices->SignalEvent(event);
    return real_startup_all(self, procedure, single, event, timeout, argument, failed);
}

static EFI_STATUS EFIAPI blank(struct mp_services *self, UINTN number, VOID *info)
{
    return number == processors - 1 ? EFI_DEVICE_ERROR : real_get_info(self, number, info);
}

EFI_STATUS efi_main(EFI_HANDLE, EFI_SYSTEM_TABLE *system)
{
    EFI_HANDLE *handles;
    UINTN n, enabled;

    st = system;
    if (EFI_ERROR(st->BootServices->LocateHandleBuffer(ByProtocol, &mp_guid, NULL, &n, &handles)) || n == 0) {
        say(L"quirk: no MP services here");
        return EFI_NOT_FOUND;
    }
    st->BootServices->HandleProtocol(handles[0], &mp_guid, (void **)&mp);
    mp->get_number(mp, &processors, &enabled);
    real_startup_all = mp->startup_all;
    real_get_info = mp->get_info;
    switch (QUIRK) {
    case REFUSE:
        mp->startup_all = refuse;
        break;
    case HOLD:
        mp->startup_all = hold;
        break;
    case DEAF:
        mp->startup_all = deaf;
        break;
    case UNREADY:
        mp->startup_all = unready;
        break;
    case TWICE:
        mp->startup_all = twice;
        break;
    case EARLY:
        mp->startup_all = early;
        break;
    case BLANK:
        mp->get_info = blank;
        break;
    case HIDE:
        if (EFI_ERROR(st->BootServices->UninstallProtocolInterface(handles[0], &mp_guid, mp))) {
            say(L"quirk: MP services cannot be removed");
            return EFI_ACCESS_DENIED;
        }
        break;
    }
    say(L"quirk: in place");
    return EFI_SUCCESS;
}
