/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/shim/device.h"
#include "tests/silicon/shim/apic.h"

#define CFG_ADDRESS         0xCF8u
#define CFG_ENABLE          (1u << 31)
#define CFG_FUNCTION(latch) ((latch) >> 8 & 0xFFFFu)
#define CFG_OFFSET(latch)   ((latch)&0xFCu)
#define CFG_PORTS           4u
#define FUNCTION_BUS(f)     ((f) >> 8)
#define PAGE                4096u

/* Host bridge 0:0.0 of the Q35 chipset. Intel 3 Series Express Chipset Family (319966), 5.1.16 "PCIEXBAR". */
#define Q35_HOST_BRIDGE        0x29C08086u
#define PCIEXBAR               0x60u
#define PCIEXBAR_ENABLE        1u
#define PCIEXBAR_LENGTH(value) ((value) >> 1 & 3u) /* 0: 256 buses, 1: 128, 2: 64 */
#define PCIEXBAR_BASE(value)   ((value)&0xFFC000000ull)

/* The south bridge's function 1f.0, ICH9. Intel I/O Controller Hub 9 (316972), 13.1.11 "PMBASE", 13.8.3.3 "PM1_TMR". */
#define ICH9_LPC     (0x1Fu << 3)
#define ICH9_LPC_PCI 0x29188086u
#define PMBASE       0x40u
#define PMBASE_PORT  0xFF80u
#define PM_TIMER_AT  8u

static struct {
    bool claimed[DEVICE_BUSES];
    uint64_t ecam, window, window_bytes, tables, tables_bytes;
    uint32_t own;
    uint32_t pm_timer; /* its port; 0: it is left to the chipset */
} devices;

/* --- ports */

static uint32_t port_in(uint32_t port, uint32_t bytes)
{
    uint32_t value = 0;

    if (bytes == 1)
        __asm__ volatile("inb %w1, %b0" : "+a"(value) : "Nd"(port));
    else if (bytes == 2)
        __asm__ volatile("inw %w1, %w0" : "+a"(value) : "Nd"(port));
    else
        __asm__ volatile("inl %w1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static void port_out(uint32_t port, uint32_t value, uint32_t bytes)
{
    if (bytes == 1)
        __asm__ volatile("outb %b0, %w1" : : "a"(value), "Nd"(port));
    else if (bytes == 2)
        __asm__ volatile("outw %w0, %w1" : : "a"(value), "Nd"(port));
    else
        __asm__ volatile("outl %0, %w1" : : "a"(value), "Nd"(port));
}

static uint32_t host_pci_read(uint32_t function, uint32_t offset)
{
    port_out(CFG_ADDRESS, CFG_ENABLE | function << 8 | offset, 4);
    return port_in(DEVICE_CFG_DATA, 4);
}

static void intercept_ports(uint8_t iopm[DEVICE_IOPM_BYTES], uint32_t first)
{
    for (uint32_t port = first; port < first + 4; port++)
        iopm[port / 8] |= (uint8_t)(1u << port % 8);
}

void device_fill_iopm(uint8_t iopm[DEVICE_IOPM_BYTES])
{
    intercept_ports(iopm, DEVICE_CFG_DATA);
    if (devices.pm_timer)
        intercept_ports(iopm, devices.pm_timer);
}

/* --- who answers */

static bool find_ecam(uint32_t last_bus)
{
    uint64_t bar = host_pci_read(0, PCIEXBAR) | (uint64_t)host_pci_read(0, PCIEXBAR + 4) << 32;

    if (host_pci_read(0, 0) != Q35_HOST_BRIDGE || !(bar & PCIEXBAR_ENABLE) ||
        last_bus >= DEVICE_BUSES >> PCIEXBAR_LENGTH(bar))
        return false;
    devices.ecam = PCIEXBAR_BASE(bar);
    return true;
}

static uint32_t find_pm_timer(void)
{
    uint32_t base = host_pci_read(ICH9_LPC, PMBASE) & PMBASE_PORT;

    return host_pci_read(ICH9_LPC, 0) == ICH9_LPC_PCI && base ? base + PM_TIMER_AT : 0;
}

bool device_open(volatile struct channel *channel, uint32_t own)
{
    uint32_t last = FUNCTION_BUS(own);
    bool any = false, found;

    for (uint32_t bus = 0; bus < DEVICE_BUSES; bus++) {
        devices.claimed[bus] = channel->buses[bus / 8] >> bus % 8 & 1;
        if (devices.claimed[bus]) {
            any = true;
            last = bus > last ? bus : last;
        }
    }
    devices.window = channel->window;
    devices.window_bytes = channel->window_bytes;
    devices.tables = channel->tables;
    devices.tables_bytes = channel->tables_bytes;
    devices.own = own;
    devices.pm_timer = channel->own_time ? find_pm_timer() : 0;
    found = find_ecam(last);
    channel->ecam = devices.ecam;
    channel->own = own;
    channel->pm_timer = devices.pm_timer;
    return !any || found;
}

bool device_bus(uint32_t bus, uint64_t *base)
{
    *base = devices.ecam + bus * DEVICE_BUS_BYTES;
    return devices.claimed[bus];
}

bool device_own(uint64_t *base)
{
    *base = devices.ecam + devices.own * PAGE;
    return devices.ecam != 0;
}

uint64_t device_window(uint64_t *base)
{
    *base = devices.window;
    return devices.window_bytes;
}

uint64_t device_tables(uint64_t *base)
{
    *base = devices.tables;
    return devices.tables_bytes;
}

static bool in_window(uint64_t physical)
{
    return physical - devices.window < devices.window_bytes || physical - devices.tables < devices.tables_bytes;
}

/* A function of the host's that is not as the host has it. */
static bool is_ours(uint32_t function)
{
    return devices.claimed[FUNCTION_BUS(function)] || function == devices.own;
}

static bool in_ecam(uint64_t physical)
{
    uint64_t function = (physical - devices.ecam) / PAGE;

    return devices.ecam && function < DEVICE_BUSES << 8 && is_ours((uint32_t)function);
}

bool device_has(uint64_t physical)
{
    return in_window(physical) || in_ecam(physical) || apic_has(physical);
}

/* --- asking the model */

static uint64_t ones(uint32_t bytes)
{
    return bytes < 8 ? (1ull << 8 * bytes) - 1 : UINT64_MAX;
}

static uint32_t pci_read(struct vcpu *v, uint32_t function, uint32_t offset, uint32_t bytes)
{
    if (function == devices.own) /* nobody there */
        return (uint32_t)ones(bytes);
    v->slot->number = function;
    v->slot->subleaf = offset;
    v->slot->bytes = bytes;
    channel_ring(v->slot, CHANNEL_PCI_READ);
    return (uint32_t)v->slot->value;
}

static void pci_write(struct vcpu *v, uint32_t function, uint32_t offset, uint32_t bytes, uint32_t value)
{
    if (function == devices.own)
        return;
    v->slot->number = function;
    v->slot->subleaf = offset;
    v->slot->bytes = bytes;
    v->slot->value = value;
    channel_ring(v->slot, CHANNEL_PCI_WRITE);
}

static uint64_t read_part(struct vcpu *v, uint64_t physical, uint32_t bytes)
{
    if (in_ecam(physical))
        return pci_read(v, (uint32_t)((physical - devices.ecam) >> 12), physical & 0xFFF, bytes);
    if (!in_window(physical))
        return apic_read(physical, bytes);
    v->slot->address = physical;
    v->slot->bytes = bytes;
    channel_ring(v->slot, CHANNEL_MMIO_READ);
    return v->slot->value;
}

static void write_part(struct vcpu *v, uint64_t physical, uint32_t bytes, uint64_t value)
{
    if (in_ecam(physical)) {
        pci_write(v, (uint32_t)((physical - devices.ecam) >> 12), physical & 0xFFF, bytes, (uint32_t)value);
    } else if (!in_window(physical)) {
        apic_write(v, physical, bytes, value);
    } else {
        v->slot->address = physical;
        v->slot->bytes = bytes;
        v->slot->value = value;
        channel_ring(v->slot, CHANNEL_MMIO_WRITE);
    }
}

/* The largest naturally aligned part that an access of `bytes` at `address` can begin with. */
static uint32_t part(uint64_t address, uint32_t bytes, uint32_t most)
{
    while (address & (most - 1) || most > bytes)
        most /= 2;
    return most;
}

void device_read(struct vcpu *v, uint64_t physical, void *data, uint32_t bytes)
{
    uint8_t *to = data;
    uint32_t n;

    for (; bytes; bytes -= n, to += n, physical += n) {
        uint64_t value;

        n = part(physical, bytes, in_window(physical) ? 8 : 4);
        value = read_part(v, physical, n);
        __builtin_memcpy(to, &value, n);
    }
}

void device_write(struct vcpu *v, uint64_t physical, const void *data, uint32_t bytes)
{
    const uint8_t *from = data;
    uint32_t n;

    for (; bytes; bytes -= n, from += n, physical += n) {
        uint64_t value = 0;

        n = part(physical, bytes, in_window(physical) ? 8 : 4);
        __builtin_memcpy(&value, from, n);
        write_part(v, physical, n, value);
    }
}

/* --- configuration space through ports: the latch stays the chipset's */

/* Is this port the window onto a claimed function now? */
static bool claimed_port(uint32_t port, uint32_t *function, uint32_t *offset)
{
    uint32_t latch = port_in(CFG_ADDRESS, 4);

    *function = CFG_FUNCTION(latch);
    *offset = CFG_OFFSET(latch) + (port - DEVICE_CFG_DATA);
    return latch & CFG_ENABLE && port - DEVICE_CFG_DATA < CFG_PORTS && is_ours(*function);
}

static bool is_pm_timer(uint32_t port)
{
    return devices.pm_timer && port - devices.pm_timer < 4;
}

uint32_t device_in(struct vcpu *v, uint32_t port, uint32_t bytes)
{
    uint32_t value = 0, function, offset;

    if (is_pm_timer(port)) {
        channel_ring(v->slot, CHANNEL_PM_TIMER);
        return (uint32_t)(v->slot->value >> 8 * (port - devices.pm_timer) & ones(bytes));
    }
    for (uint32_t n, done = 0; done < bytes && done < 4; done += n) {
        n = part(port + done, bytes - done, 4);
        value |=
            (claimed_port(port + done, &function, &offset) ? pci_read(v, function, offset, n) : port_in(port + done, n))
            << 8 * done;
    }
    return value;
}

void device_out(struct vcpu *v, uint32_t port, uint32_t value, uint32_t bytes)
{
    uint32_t function, offset;

    if (is_pm_timer(port)) /* read only */
        return;
    for (uint32_t n, done = 0; done < bytes && done < 4; done += n) {
        uint32_t rest = value >> 8 * done;

        n = part(port + done, bytes - done, 4);
        if (claimed_port(port + done, &function, &offset))
            pci_write(v, function, offset, n, rest & (uint32_t)ones(n));
        else
            port_out(port + done, rest, n);
    }
}
