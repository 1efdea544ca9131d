/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/boot/metal.h: the machine as UEFI gives it. struct platform on real instructions, and the life of a run.
 *
 * metal_open() is the first thing in efi_main: from then on every operation of the platform works, with the boot
 * processor alone. metal_run() starts the other processors, calls the work, and afterwards brings everything back.
 * metal_close() leaves the boot processor as it was found. There is one machine, so there is one metal: its state is
 * static, because exceptions need to find it.
 *
 *     efi_main:  metal_open -> options, config file -> metal_run( work ) -> metal_close -> return
 *     work:      enumerate, check, ledger_restore, metal_stop, certificate, end of report
 *
 * The inverted shape is for firmware that refuses a non-blocking StartupAllAPs (the PI specification lets it after
 * ReadyToBoot, vol. 2, EFI_MP_SERVICES_PROTOCOL.StartupAllAPs()): there the work runs inside a timer event's
 * notification at TPL_CALLBACK. File and console calls are allowed there; WaitForEvent is not, CheckEvent is. Write
 * the work so in every case.
 *
 * No other code may call StartupThisAP while the processors work: firmware would reset a worker under way.
 */
#pragma once
#include <efi.h>

#include "arch/x86/tables/acpi.h"
#include "core/base/calendar.h"
#include "core/engine/outcome.h"
#include "core/options/options.h"
#include "core/platform/platform.h"
#include "core/report/report.h"

/* Fill *p: the boot processor alone (index 0, started), every operation, rsdp, smbios, the TSC rate. Takes over the
 * exception vectors of the boot processor, disarms the boot manager's 300 s watchdog (efi/firmware/watchdog.h has Assay's own) and
 * initialises the heap. Reads the ACPI tables.
 * ST_NO_MEMORY: nothing was changed. */
MUST_CHECK enum status metal_open(struct platform *p, EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

/* Firmware's map against firmware's MCFG, in tables that acpi_read() read: acpi_drop_windows() of each piece of memory. */
void metal_drop_windows(struct acpi_info *acpi);

struct metal_config {
    enum mp_choice mp;
    /* Whether processor `cpu` (index in p->cpus, ascending by APIC id) takes part; the boot processor always does.
     * NULL: all. */
    bool (*takes_part)(void *context, uint32_t cpu);
    /* The run itself. */
    void (*work)(void *context);
    /* Asked when the work has returned and every processor is back with firmware: whether its processor services are to
     * be tried, a second or so; platform_ops.mp_selftest hands out what they did. Firmware may hang in it, so what
     * should be on the medium is there. Not asked with MP_SIPI and MP_BSP. NULL: no. */
    bool (*wants_mp_selftest)(void *context);
    /* Called after that, on the boot processor alone: every task is ST_LOST. Not after an exception broke the work off.
     * NULL: nothing. */
    void (*last)(void *context);
    /* An exception that no access expected, as text with its frame. For another processor: called on the boot
     * processor from within platform_run(), the processor is parked and has CPU_LOST. For the boot processor: called
     * after the work was interrupted. May be NULL. */
    void (*exception)(void *context, const char *text);
    /* After `exception` of the boot processor: the other processors take tasks again, so that what core code wrote can be put
     * back on each (ledger_restore()). An exception in it ends only this call. NULL: nothing. */
    void (*called_off)(void *context);
    /* A processor missed its deadline: named by index, APIC id and place. Called from within platform_run(). May be
     * NULL. */
    void (*lost)(void *context, const char *text);
    void *context;
};

/* Enumerate the processors into *p (n_cpus, bsp, cpus, mp_method), start those that take part, and call config->work
 * once. Afterwards metal_stop(), whatever happened.
 * ST_OK           the work ran and returned
 * ST_FAULT        an exception on the boot processor broke the work off
 * ST_LOST         a processor could not be brought back: it may still run in Assay's memory, so only a reset is safe.
 *                 The work ran.
 * ST_NO_MEMORY    the work was not called */
MUST_CHECK enum status metal_run(struct platform *p, const struct metal_config *config);

/* Send every worker home, wait until it has left, put vectors back on every processor including the boot processor,
 * and read them, CR4 and XCR0 again. Every register that core code wrote must be back before (ledger_restore()):
 * afterwards every task is ST_LOST. The other operations continue, without a net under them. Waits are bounded: a few
 * seconds at most.
 *
 * items, n_items   may be NULL; the certificate's lines "IDTR", "CR4", "XCR0" of every processor that worked and came
 *                  back, "LVT PC" and "APIC SVR" of those that listened for a PMI, valid until metal_close(). A processor that did not come back has no line, and is counted in
 *                  metal_info()->events.unreturned.
 * Safe to call at any time between metal_open() and metal_close(), also twice: the second call hands out the same. */
void metal_stop(const struct restored_item **items, uint32_t *n_items);

/* The boot processor's vectors put back, and the boot manager's watchdog (not the shell's: it has none); and all
 * memory freed (firmware may clear it: seconds per GiB). Before a reset or power-off the memory may stay. Safe
 * to call twice. */
void metal_close(bool free_memory);

struct metal_info {
    const char *method; /* as p->mp_method                                                            */
    char why[256];      /* why this method, and what firmware answered to those tried before          */
    struct processor_events events;
    uint64_t dispatch_tsc; /* one empty task to another processor and back, median of 31; 0: not measured */
    uint64_t wake_tsc;     /* the same where that processor sleeps, median of 31 */
    uint64_t this_ap_tsc;  /* firmware's blocking StartupThisAP with an empty procedure, best of 3; 0: same */
};
const struct metal_info *metal_info(void);

/* Memory that processors run on besides the image: their stacks, and the page that they start in where Assay starts them. */
void metal_own_memory(void *context, void (*take)(void *context, const char *name, uint64_t base, uint64_t bytes));

/* What metal_open() read: valid until metal_close(). */
const struct acpi_info *metal_acpi(void);

/* What processors are at now: workers_last_steps(). May be called from a timer's notification. */
void metal_last_steps(char *out, size_t size);
/* Firmware's clock; zone: minutes from UTC. false: it does not answer. */
bool metal_calendar(EFI_SYSTEM_TABLE *st, struct calendar *c, int16_t *zone);
