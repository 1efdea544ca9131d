/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/shim/channel.h: the page through which shim and plugin talk.
 *
 * It is BAR 2 of an ivshmem-plain device, and so at once guest memory and a file that the plugin has mapped. A
 * processor fills the slot of its APIC id and stores to the slot's doorbell; that store runs the plugin's memory
 * callback on the same thread, and when the next instruction starts the answer stands in the slot. No polling, no lock:
 * a slot belongs to one processor.
 *
 * Who writes what is said at each field. Everything is little endian and of fixed width, since the two sides are
 * compiled apart.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define CHANNEL_BYTES       (1u << 20) /* of the device; a power of 2                          */
#define CHANNEL_SLOTS       256u       /* TCG has no x2APIC: APIC ids have 8 bits               */
#define CHANNEL_FIRST_SLOT  4096u      /* offset of slot 0                                      */
#define CHANNEL_TOUCHES     64u
#define CHANNEL_MAGIC       0x6E6F63696C695341ull /* the plugin's: it is there and has a model            */
#define CHANNEL_VERSION     13u
#define CHANNEL_IVSHMEM_PCI 0x11101AF4u /* device 1110h, vendor 1AF4h: ivshmem                   */

enum channel_op { /* what is stored to the doorbell                                                   */
                  CHANNEL_HELLO = 1, /* a machine starts: new model, nothing fed to it yet */
                  CHANNEL_HERE, /* a processor enters the guest: do its APIC id and the model's agree?              */
                  CHANNEL_FEED, /* from now on memory accesses reach the model                                      */
                  CHANNEL_CPUID,
                  CHANNEL_RDMSR,
                  CHANNEL_WRMSR,
                  CHANNEL_WBINVD,
                  CHANNEL_PCI_READ, /* configuration space: number is the function, subleaf the offset */
                  CHANNEL_PCI_WRITE,
                  CHANNEL_MMIO_READ, /* memory-mapped registers: at address */
                  CHANNEL_MMIO_WRITE,
                  CHANNEL_RDTSC,    /* number: not 0: an interrupt of uncore counters (PMI) has come to the processor */
                  CHANNEL_PM_TIMER, /* ACPI's: its port is read                                         */
                  CHANNEL_WAKE,     /* an NMI or a SIPI is about to be sent to the processor whose APIC id is number;
                                       CHANNEL_OTHERS: to all others */
                  CHANNEL_HALT,     /* until the time that value has */
                  /* tsc, if the instruction at address is firmware's, else 0; value: no other processor runs; takes no time */
                  CHANNEL_LATE,
                  CHANNEL_DEVICE_BEGIN, /* firmware is about to ask a disk of QEMU's, whose time is the host's */
                  CHANNEL_DEVICE_END,   /* it has answered: value is how many bytes were moved                 */
                  CHANNEL_RDPMC,        /* number: ECX                                                         */
                  CHANNEL_CLFLUSH,      /* of the line at address                                              */
                  CHANNEL_IPI,          /* to the processor whose APIC id is number                            */
                  CHANNEL_OPS           /* how many there are, 0 included */
};

#define CHANNEL_OTHERS     0xFFu
#define CHANNEL_CLOCK_EXIT (1ull << 63) /* of clock: the TSC is to be read by leaving the guest */

enum channel_answer {
    CHANNEL_PENDING = 0, /* the shim writes it before it rings; still there afterwards: no plugin          */
    CHANNEL_DONE,        /* regs or value hold the silicon's answer                                        */
    CHANNEL_GP,          /* the instruction raises #GP(0)                                                  */
    CHANNEL_NOT_MINE,    /* let the underlying processor answer                                            */
};

struct channel_slot {
    uint32_t op;      /* shim, before the doorbell: enum channel_op                                       */
    uint32_t answer;  /* plugin: enum channel_answer                                                      */
    uint32_t apic_id; /* shim: the processor's own, as the underlying processor enumerates it             */
    uint32_t number;  /* shim: leaf, MSR, or PCI function: bus << 8 | device << 3 | function              */
    uint32_t subleaf; /* shim: or offset in configuration space                                           */
    uint32_t bytes;   /* shim: how many to read or write at that offset or address                        */
    uint32_t regs[4]; /* shim: EAX, EBX, ECX, EDX of the underlying processor; plugin: of the silicon     */
    uint64_t value;   /* shim: what is written; plugin: what is read                                      */
    uint64_t tsc;     /* shim: RDTSC, the guest's own time; plugin: the silicon's own, where it has one   */
    uint64_t address; /* shim: physical; of CPUID, RDMSR, WRMSR and LATE: where the instruction is           */
    uint64_t due;     /* shim: the plugin's time at which the processor is to leave the guest for an interrupt      */
    uint8_t room[52];
    uint32_t doorbell; /* shim: a store here rings                                                        */
};
_Static_assert(sizeof(struct channel_slot) == 128, "slots are two lines, so that no two share one");
_Static_assert(offsetof(struct channel_slot, doorbell) == 124, "doorbell");

/* Of the processor whose turn it is (shim/functions.h): it stores what it reads to the field of that kind of access, or a value
 * and then what it writes, and when its next instruction starts the answer stands here. One that runs without the turn, for which
 * the host must keep another from it for TURNS_STUCK_MS, could take that one's answer or value; the summary's line `time:` counts
 * them. */
struct channel_call {
    uint64_t value;                            /* what is written, or plugin: what was read                        */
    uint32_t leave;                            /* plugin: not 0: nothing was done or read; leave the guest with it */
    uint32_t rdmsr, wrmsr;                     /* a register's number                                              */
    uint32_t in32;                             /* a port                                                           */
    uint64_t read32, read64, write32, write64; /* an address                                                       */
};

#define CHANNEL_CODES 96u
struct channel_code { /* a range of addresses */
    uint64_t base, bytes;
};

struct channel {
    uint64_t magic;                   /* plugin, before the machine starts                                            */
    uint32_t version;                 /* plugin                                                                       */
    uint32_t cpus;                    /* plugin: processors of the model                                              */
    uint64_t bar;                     /* shim: the physical address of this page, by which the plugin knows doorbells */
    uint64_t shim_base;               /* shim: its own code and data, from here, are no traffic of the silicon       */
    uint64_t shim_bytes;              /* shim                                                                         */
    uint64_t touch[CHANNEL_TOUCHES];  /* plugin: where the shim is to read once before anything else, 0: nowhere      */
    char profile[32];                 /* plugin, terminated                                                           */
    uint16_t apic_ids[CHANNEL_SLOTS]; /* plugin: of its processors, `cpus` of them                        */
    uint64_t requests[32];            /* plugin: how often each operation was rung, for the summary                   */
    uint8_t buses[32];                /* plugin: PCI buses that the model claims, a bit each                          */
    uint64_t tsc_hz; /* plugin: of the silicon's own time                                              */
    struct channel_code firmware[CHANNEL_CODES]; /* shim: where firmware's code is, of 0 bytes: no more */
    uint32_t own_time;             /* plugin: the silicon has a clock of its own: RDTSC and the timer's port are its  */
    uint64_t window, window_bytes; /* plugin: where the model's memory-mapped registers are; 0 bytes: none         */
    uint64_t tables, tables_bytes; /* plugin: where more of them are                                               */
    uint64_t clock;    /* plugin, before the code of functions.c loads it: TSC of its processor, or ..._EXIT */
    uint64_t ecam;     /* shim: the chipset's memory-mapped configuration space, 0: none                       */
    uint32_t own;      /* shim: the function that this page is of                                              */
    uint32_t pm_timer; /* shim: the port of ACPI's timer, where it is the plugin's, or 0                       */
    struct channel_call call;
};
_Static_assert(CHANNEL_OPS <= 32, "each operation has its count");
_Static_assert(sizeof(struct channel) <= CHANNEL_FIRST_SLOT, "the header ends before the slots");
_Static_assert(CHANNEL_FIRST_SLOT + CHANNEL_SLOTS * sizeof(struct channel_slot) <= CHANNEL_BYTES, "slots fit");
