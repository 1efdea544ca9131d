#include "tests/silicon/shim/mp.h"

typedef VOID(EFIAPI *AP_PROCEDURE)(VOID *argument);
typedef struct mp_services MP_SERVICES;
typedef EFI_STATUS(EFIAPI *STARTUP_ALL_APS)(MP_SERVICES *mp, AP_PROCEDURE procedure, BOOLEAN single_thread,
                                            EFI_EVENT event, UINTN timeout_us, VOID *argument, UINTN **failed);
typedef EFI_STATUS(EFIAPI *STARTUP_THIS_AP)(MP_SERVICES *mp, AP_PROCEDURE procedure, UINTN processor, EFI_EVENT event,
                                            UINTN timeout_us, VOID *argument, BOOLEAN *finished);
struct processor_information {
    UINT64 processor_id;
    UINT32 status_flag;
    UINT32 location[3];
    UINT32 location2[6];
    UINT32 room[16];
};
struct mp_services {
    EFI_STATUS(EFIAPI *get_number_of_processors)(MP_SERVICES *mp, UINTN *all, UINTN *enabled);
    EFI_STATUS(EFIAPI *get_processor_info)(MP_SERVICES *mp, UINTN processor, struct processor_information *info);
    STARTUP_ALL_APS startup_all_aps;
    STARTUP_THIS_AP startup_this_ap;
    VOID *switch_bsp, *enable_disable_ap, *who_am_i;
};

/* What a started processor is to run. Firmware hands the record's address over when the processor starts, which for a
 * call that does not block may be long after it returned: a record is used again only 1,024 calls later. */
struct start {
    AP_PROCEDURE procedure;
    VOID *argument;
};
#define STARTS 1024u

static MP_SERVICES *services;
static STARTUP_ALL_APS firmware_all;
static STARTUP_THIS_AP firmware_this;
static struct vcpu *vcpus[CHANNEL_SLOTS];
static struct start starts[STARTS];
static uint32_t next_start;

static VOID EFIAPI run_in_guest(VOID *argument)
{
    struct start s = *(const struct start *)argument;
    uint32_t apic_id = vcpu_apic_id();
    struct vcpu *v = apic_id < CHANNEL_SLOTS ? vcpus[apic_id] : NULL;

    if (!v)
        panic("a processor started that firmware had not listed, APIC id:", apic_id, 0);
    vcpu_enter(v);
    s.procedure(s.argument);
    vcpu_leave(v);
}

static struct start *record(AP_PROCEDURE procedure, VOID *argument)
{
    struct start *s = &starts[__atomic_fetch_add(&next_start, 1, __ATOMIC_RELAXED) % STARTS];

    s->procedure = procedure;
    s->argument = argument;
    return s;
}

static EFI_STATUS EFIAPI startup_all(MP_SERVICES *mp, AP_PROCEDURE procedure, BOOLEAN single_thread, EFI_EVENT event,
                                     UINTN timeout_us, VOID *argument, UINTN **failed)
{
    if (!procedure)
        return firmware_all(mp, procedure, single_thread, event, timeout_us, argument, failed);
    return firmware_all(mp, run_in_guest, single_thread, event, timeout_us, record(procedure, argument), failed);
}

static EFI_STATUS EFIAPI startup_this(MP_SERVICES *mp, AP_PROCEDURE procedure, UINTN processor, EFI_EVENT event,
                                      UINTN timeout_us, VOID *argument, BOOLEAN *finished)
{
    if (!procedure)
        return firmware_this(mp, procedure, processor, event, timeout_us, argument, finished);
    return firmware_this(mp, run_in_guest, processor, event, timeout_us, record(procedure, argument), finished);
}

static struct vcpu *make_for(uint32_t apic_id, mp_make_vcpu make)
{
    if (!vcpus[apic_id])
        vcpus[apic_id] = make(apic_id);
    return vcpus[apic_id];
}

struct vcpu *mp_prepare(EFI_BOOT_SERVICES *bs, mp_make_vcpu make)
{
    EFI_GUID guid = { 0x3fdda605, 0xa76e, 0x4f46, { 0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08 } };
    UINTN all = 0, enabled = 0;

    if (!make_for(vcpu_apic_id(), make))
        return NULL;
    if (EFI_ERROR(bs->LocateProtocol(&guid, NULL, (VOID **)&services)) ||
        EFI_ERROR(services->get_number_of_processors(services, &all, &enabled))) {
        services = NULL;
        return vcpus[vcpu_apic_id()];
    }
    for (UINTN i = 0; i < all; i++) {
        struct processor_information info = { 0 };

        if (EFI_ERROR(services->get_processor_info(services, i, &info)) || info.processor_id >= CHANNEL_SLOTS)
            panic("MP services name no usable APIC id, processor and id:", i, info.processor_id);
        if (!make_for((uint32_t)info.processor_id, make))
            return NULL;
    }
    return vcpus[vcpu_apic_id()];
}

void mp_wrap(void)
{
    if (!services)
        return;
    firmware_all = services->startup_all_aps;
    firmware_this = services->startup_this_ap;
    services->startup_all_aps = startup_all;
    services->startup_this_ap = startup_this;
}

void mp_unwrap(void)
{
    if (!services)
        return;
    services->startup_all_aps = firmware_all;
    services->startup_this_ap = firmware_this;
}
