/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/shim/main.c: turns QEMU's processors into virtual silicon, and starts an EFI application on it.
 *
 * Started by firmware's boot manager from a small volume of its own. In this order: copy the image to memory that
 * stays, find the page that the plugin shares, tell it who and where we are, enter the guest on this processor, see to
 * it that every other one enters when MP services start it, start the payload from the first other volume that has it.
 * After that nothing but the exits of vcpu.c runs outside of the guest.
 */
#include <efi.h>

#include "tests/silicon/shim/apic.h"
#include "tests/silicon/shim/device.h"
#include "tests/silicon/shim_files/disk.h"
#include "tests/silicon/shim/functions.h"
#include "tests/silicon/shim/startup.h"
#include "tests/silicon/shim/tables.h"
#include "tests/silicon/shim/vcpu.h"
#include "tests/silicon/shim_files/volume.h"

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *st);

static volatile struct channel *channel;
static struct vcpu *vcpus[CHANNEL_SLOTS]; /* by APIC id */
static struct config config;

/* --- memory that stays */

static VOID *reserved_pages(EFI_BOOT_SERVICES *bs, UINTN bytes)
{
    EFI_PHYSICAL_ADDRESS at = 0;

    if (EFI_ERROR(bs->AllocatePages(AllocateAnyPages, EfiReservedMemoryType, (bytes + 4095) / 4096, &at)))
        return NULL;
    __builtin_memset((VOID *)at, 0, (bytes + 4095) & ~(UINTN)4095);
    return (VOID *)at;
}

struct elf_dynamic {
    INT64 tag;
    UINT64 value;
};
struct elf_rela {
    UINT64 offset, info;
    INT64 addend;
};
#define DT_RELA           7
#define DT_RELASZ         8
#define R_X86_64_RELATIVE 8

/* At which the payload starts, of the plugin's time. Firmware takes 10, and it is loaded within one. */
#define PAYLOAD_SECONDS 11u

extern const struct elf_dynamic _DYNAMIC[] __attribute__((visibility("hidden")));

/* Copy the running image, and move the absolute addresses in the copy along. Link addresses start at 0 = ImageBase.
 * Returns the distance to the copy, or 0. */
static INT64 copy_image(EFI_BOOT_SERVICES *bs, const UINT8 *base, UINTN bytes)
{
    UINT8 *copy = reserved_pages(bs, bytes);
    const struct elf_rela *rela = NULL;
    UINT64 rela_bytes = 0;

    if (!copy)
        return 0;
    __builtin_memcpy(copy, base, bytes);
    for (const struct elf_dynamic *d = _DYNAMIC; d->tag; d++) {
        if (d->tag == DT_RELA)
            rela = (const struct elf_rela *)(base + d->value);
        if (d->tag == DT_RELASZ)
            rela_bytes = d->value;
    }
    for (UINT64 i = 0; rela && i < rela_bytes / sizeof *rela; i++) {
        if ((UINT32)rela[i].info == R_X86_64_RELATIVE)
            *(UINT64 *)(copy + rela[i].offset) += (UINT64)(copy - base);
    }
    return copy - base;
}

/* --- the page shared with the plugin */

static UINT32 pci_read(UINT32 function, UINT32 offset)
{
    UINT32 value;

    __asm__ volatile("outl %0, %1" : : "a"(0x80000000u | function << 8 | offset), "Nd"((UINT16)0xCF8));
    __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"((UINT16)0xCFC));
    return value;
}

static void pci_write(UINT32 function, UINT32 offset, UINT32 value)
{
    __asm__ volatile("outl %0, %1" : : "a"(0x80000000u | function << 8 | offset), "Nd"((UINT16)0xCF8));
    __asm__ volatile("outl %0, %1" : : "a"(value), "Nd"((UINT16)0xCFC));
}

/* The ivshmem device's BAR 2 (64 bits wide), with memory decoding on; 0: no such device. *own: its function. */
static UINT64 find_page(UINT32 *own)
{
    for (UINT32 function = 0; function < 0x10000; function++) {
        if (pci_read(function, 0) != CHANNEL_IVSHMEM_PCI)
            continue;
        *own = function;
        pci_write(function, 4, (pci_read(function, 4) & 0xFFFF) | 2);
        return (UINT64)pci_read(function, 0x1C) << 32 | (pci_read(function, 0x18) & ~0xFu);
    }
    return 0;
}

static volatile struct channel_slot *slot_of(uint32_t apic_id)
{
    return (volatile struct channel_slot *)((UINT64)channel + CHANNEL_FIRST_SLOT) + apic_id;
}

static BOOLEAN open_channel(EFI_SYSTEM_TABLE *st, const EFI_LOADED_IMAGE *loaded, INT64 moved)
{
    UINT32 own = 0;

    channel = (volatile struct channel *)find_page(&own);
    if (!channel) {
        say(st, L"silicon: no ivshmem device\r\n");
        return FALSE;
    }
    if (channel->magic != CHANNEL_MAGIC || channel->version != CHANNEL_VERSION) {
        say(st, L"silicon: no plugin behind the ivshmem device, or another version's\r\n");
        return FALSE;
    }
    channel->shim_base = (UINT64)loaded->ImageBase + (UINT64)moved;
    channel->shim_bytes = loaded->ImageSize;
    channel->bar = (UINT64)channel;
    if (!device_open(channel, own)) {
        say(st, L"silicon: the model has PCI buses, and the chipset has no ECAM for them\r\n");
        return FALSE;
    }
    return TRUE;
}

/* --- the silicon */

/* One vcpu for each processor that the model has. */
static BOOLEAN make_vcpus(EFI_BOOT_SERVICES *bs)
{
    uint8_t *msrpm = reserved_pages(bs, MSRPM_BYTES);

    if (!msrpm)
        return FALSE;
    vcpu_fill_msrpm(msrpm);
    for (uint32_t i = 0; i < channel->cpus; i++) {
        uint32_t id = channel->apic_ids[i];
        struct vcpu *v = id < CHANNEL_SLOTS ? reserved_pages(bs, sizeof *v) : NULL;

        if (!v)
            return FALSE;
        v->apic_id = id;
        v->slot = slot_of(id);
        v->msrpm = msrpm;
        v->own_time = channel->own_time;
        vcpus[id] = v;
    }
    return TRUE;
}

/* isa-debug-exit ends QEMU with status 2 * value + 1; 7 bits are left for the payload's status. */
static void debug_exit(EFI_STATUS status)
{
    __asm__ volatile("outl %0, %1" : : "a"((UINT32)status & 0x7F), "Nd"((UINT16)0xF4));
}

static CHAR16 *hex(UINT64 value, CHAR16 out[19])
{
    UINTN n = 0;

    out[n++] = '0';
    out[n++] = 'x';
    for (int shift = 60; shift >= 0; shift -= 4) {
        if (value >> shift || shift == 0)
            out[n++] = (CHAR16) "0123456789abcdef"[value >> shift & 15];
    }
    out[n] = 0;
    return out;
}

/* What firmware took until here depends on how it came up, which is by the host's time: the payload always starts at the
 * same one. */
static VOID set_clock(struct vcpu *v)
{
    if (!channel->own_time)
        return;
    v->slot->value = PAYLOAD_SECONDS * channel->tsc_hz;
    channel_ring(v->slot, CHANNEL_HALT);
    v->tick.next = v->slot->tsc + v->tick.period;
}

static EFI_STATUS start_drivers(EFI_HANDLE image, EFI_SYSTEM_TABLE *st, EFI_HANDLE own)
{
    EFI_HANDLE driver;
    EFI_STATUS status = EFI_SUCCESS;
    CHAR16 digits[19];

    for (UINTN i = 0; i < config.n_drivers && !EFI_ERROR(status); i++) {
        status = volume_load(st, image, own, config.drivers[i], L"", &driver);
        if (!EFI_ERROR(status))
            status = st->BootServices->StartImage(driver, NULL, NULL);
        if (EFI_ERROR(status))
            say(st, L"silicon: driver ", config.drivers[i], L": status ", hex(status, digits), L"\r\n");
    }
    return status;
}

static EFI_STATUS start_payload(EFI_HANDLE image, EFI_SYSTEM_TABLE *st, EFI_HANDLE own, struct vcpu *v)
{
    EFI_HANDLE volume = volume_with(st, own, config.payload), payload;
    EFI_STATUS status;
    CHAR16 digits[19];

    if (!volume) {
        say(st, L"silicon: no volume has ", config.payload, L"\r\n");
        return EFI_NOT_FOUND;
    }
    status = volume_load(st, image, volume, config.payload, config.options, &payload);
    if (EFI_ERROR(status)) {
        say(st, L"silicon: ", config.payload, L" cannot be loaded: ", hex(status, digits), L"\r\n");
        return status;
    }
    set_clock(v);
    status = st->BootServices->StartImage(payload, NULL, NULL);
    say(st, L"silicon: ", config.payload, L" returned ", hex(status, digits), L"\r\n");
    return status;
}

/* So that the plugin sees where QEMU keeps each piece of RAM, while virtual addresses are physical ones. */
static VOID touch_memory(VOID)
{
    for (UINTN i = 0; i < CHANNEL_TOUCHES; i++) {
        if (channel->touch[i])
            (void)*(volatile UINT64 *)channel->touch[i];
    }
}

/* So that the plugin knows firmware's instructions. */
static VOID tell_firmware(EFI_BOOT_SERVICES *bs)
{
    UINTN bytes = 0, key, one, n = 0;
    EFI_MEMORY_DESCRIPTOR *map = NULL;
    UINT32 version;

    bs->GetMemoryMap(&bytes, NULL, &key, &one, &version);
    bytes += 8 * one; /* the allocation makes the map longer */
    if (EFI_ERROR(bs->AllocatePool(EfiLoaderData, bytes, (VOID **)&map)))
        return;
    if (EFI_ERROR(bs->GetMemoryMap(&bytes, map, &key, &one, &version)))
        bytes = 0;
    for (UINTN at = 0; at + one <= bytes && n < CHANNEL_CODES; at += one) {
        const EFI_MEMORY_DESCRIPTOR *d = (const EFI_MEMORY_DESCRIPTOR *)((const UINT8 *)map + at);

        if (d->Type != EfiBootServicesCode && d->Type != EfiRuntimeServicesCode)
            continue;
        channel->firmware[n].base = d->PhysicalStart;
        channel->firmware[n++].bytes = d->NumberOfPages * 4096;
    }
    bs->FreePool(map);
}

/* The time between two of firmware's timer interrupts, in ticks; 0: it does not say. UEFI Platform Initialization
 * Specification 1.7 vol. 2, 12.11 "Timer Architectural Protocol": the third function, in 100 ns. */
static UINT64 tick_period(EFI_BOOT_SERVICES *bs)
{
    EFI_GUID guid = { 0x26baccb3, 0x6f42, 0x11d4, { 0xbc, 0xe7, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81 } };
    struct {
        VOID *register_handler, *set_period;
        EFI_STATUS(EFIAPI *get_period)(VOID *, UINT64 *);
    } * timer;
    UINT64 period = 0;

    if (!channel->own_time || EFI_ERROR(bs->LocateProtocol(&guid, NULL, (VOID **)&timer)) ||
        EFI_ERROR(timer->get_period(timer, &period)))
        return 0;
    return period * (channel->tsc_hz / 1000) / 10000;
}

/* Without memory no function of the guest is replaced. */
static void prepare_functions(EFI_BOOT_SERVICES *bs)
{
    EFI_PHYSICAL_ADDRESS page = 0xFFFFFFFFu;

    if (channel->own_time && !EFI_ERROR(bs->AllocatePages(AllocateMaxAddress, EfiLoaderCode, 1, &page)))
        functions_prepare(page, channel);
}

/* Runs in the copy. */
static EFI_STATUS resident(EFI_HANDLE image, EFI_SYSTEM_TABLE *st, const EFI_LOADED_IMAGE *loaded, INT64 moved)
{
    struct vcpu *self;
    EFI_STATUS status;

    if (!open_channel(st, loaded, moved) || !config_read(st, loaded->DeviceHandle, &config) ||
        !tables_install(st, loaded->DeviceHandle))
        return EFI_NOT_FOUND;
    if (config.x2apic)
        apic_show_x2apic();
    prepare_functions(st->BootServices);
    if (!make_vcpus(st->BootServices) || !startup_prepare(st->BootServices, vcpus))
        return EFI_OUT_OF_RESOURCES;
    self = vcpus[vcpu_apic_id()];
    if (!self) {
        channel_refuse(vcpus, vcpu_apic_id());
        return EFI_NOT_FOUND;
    }
    touch_memory();
    tell_firmware(st->BootServices);
    self->tick.period = tick_period(st->BootServices);
    channel_ring(self->slot, CHANNEL_HELLO);
    channel_ring(self->slot, CHANNEL_DEVICE_BEGIN); /* QEMU's timer, of which vcpu_enter() takes an interrupt */
    vcpu_enter(self);
    vcpu_device_ends(0);
    channel_ring(self->slot, CHANNEL_FEED);
    if (channel->own_time)
        disks_take(st->BootServices);
    status = start_drivers(image, st, loaded->DeviceHandle);
    if (!EFI_ERROR(status))
        status = start_payload(image, st, loaded->DeviceHandle, self);
    disks_return();
    vcpu_leave();
    return status;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *st)
{
    EFI_GUID guid = { 0x5b1b31a1, 0x9562, 0x11d2, { 0x8e, 0x3f, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b } };
    EFI_STATUS (*run)(EFI_HANDLE, EFI_SYSTEM_TABLE *, const EFI_LOADED_IMAGE *, INT64);
    EFI_LOADED_IMAGE *loaded;
    EFI_STATUS status;
    INT64 moved;

    if (EFI_ERROR(st->BootServices->HandleProtocol(image, &guid, (VOID **)&loaded)))
        return EFI_UNSUPPORTED;
    moved = copy_image(st->BootServices, loaded->ImageBase, loaded->ImageSize);
    if (!moved)
        return EFI_OUT_OF_RESOURCES;
    run = (__typeof__(run))((UINT64)resident + (UINT64)moved);
    status = run(image, st, loaded, moved);
    /* config was read in the copy */
    if (((struct config *)((UINT64)&config + (UINT64)moved))->after == AFTER_EXIT)
        debug_exit(status);
    if (((struct config *)((UINT64)&config + (UINT64)moved))->after == AFTER_SHUTDOWN)
        st->RuntimeServices->ResetSystem(EfiResetShutdown, status, 0, NULL);
    return status;
}
