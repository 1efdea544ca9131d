/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Telemetry by RMID: regions that a function of each package leads to, as Linux' drivers read them, beside the model. */
#include <criterion/criterion.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "arch/x86/rdt/telemetry.h"
#include "core/boxes/dvsec.h"
#include "tests/support/run/whole_run.h"

#define DID        0x09A7u /* of the function that has the discovery of uncore boxes too */
#define OTHERS     1u      /* function of device 3: that of the discovery of uncore boxes */
#define THE_MODELS 2u      /* that of the model's own telemetry, which is hidden           */
#define BUS        0xF5u   /* the first of a package; it has five, in a segment of its own */
#define BAR        5u      /* which the model's function does not have               */
#define WINDOW     UINT64_C(0xE0000000)
#define SIZE       0x20000u
#define OURS       0xF00u /* offset of our capabilities, behind the model's */
#define ENERGY     0x4000u
#define PERF       0x8000u
#define RMIDS      576u
#define ENTRY      16u /* bytes of a discovery entry */
#define FEATURE    0x200u

static enum defect { NONE, DEAD, SHIFTED, GHOST, STALE, FEW_RMIDS, SHORT, MISSING } defect;
static struct platform_ops ops;
static const struct platform_ops *model;
static uint32_t n_cpus, rmid_of[64];
static uint64_t gains[2][RMIDS], now;

static bool is_oobmsm(void *machine, struct pci_address at)
{
    uint32_t id = 0;

    return at.bus == BUS && at.function == OTHERS && model->pci_read(machine, at, 0, 4, &id) == ST_OK &&
           id == (DID << 16 | PCI_VENDOR_ID_INTEL);
}

static uint32_t capability(uint32_t at)
{
    uint32_t second = at / 0x10, dwords[2][4] = {
        { PCI_EXT_CAP_ID_DVSEC | (OURS + 0x10) << 20, PCI_VENDOR_ID_INTEL | 1 << 16,
          VSEC_ID_TELEMETRY | 2 << 16 | 4u << 24, BAR },
        { PCI_EXT_CAP_ID_DVSEC, PCI_VENDOR_ID_INTEL | 1 << 16, VSEC_ID_DISCOVERY | 2 << 16 | 4u << 24, BAR | 0x100 },
    };

    return second < 2 ? dwords[second][at / 4 % 4] : 0;
}

static enum status read_pci(void *machine, struct pci_address at, uint32_t offset, uint32_t width, uint32_t *value)
{
    enum status st = model->pci_read(machine, at, offset, width, value);

    if (st == ST_OK && at.bus == BUS && at.device == 3 && at.function == THE_MODELS)
        *value = UINT32_MAX;
    if (st != ST_OK || width != 4 || (offset < PCI_EXTENDED && offset != 0x10 + 4 * BAR) || !is_oobmsm(machine, at) ||
        (defect == MISSING && at.segment == 1))
        return st;
    if (offset == 0x10 + 4 * BAR)
        *value = (uint32_t)(WINDOW + SIZE * at.segment);
    else if (offset >= OURS)
        *value = capability(offset - OURS);
    else if ((*value & 0xFFFF) == PCI_EXT_CAP_ID_DVSEC && *value >> 20 == 0)
        *value |= OURS << 20;
    return st;
}

/* Of a region: events of RMID 0, of RMID 1 ..., and the status. */
static uint64_t region(uint32_t package, uint32_t index, uint32_t events)
{
    uint32_t rmid = index / events;

    if (index == RMIDS * events + LAST_UPDATE_TIMESTAMP)
        return defect == STALE ? 1 : ++now;
    if (rmid >= RMIDS)
        return 0;
    if (defect == SHIFTED)
        rmid ^= 1;
    if (defect == GHOST && rmid == RMIDS - 1)
        return TELEMETRY_VALID | now << 40;
    return gains[package][rmid] ? TELEMETRY_VALID | (defect == DEAD ? 5 : gains[package][rmid]) : 0;
}

/* Two entries of each discovery table; feature tables of four attributes and a GUID. */
static uint32_t table(uint32_t at)
{
    const uint32_t bytes = telemetry_bytes(&telemetry_groups[0]) - (defect == SHORT ? 16 : 0);
    const uint32_t guids[2] = { telemetry_groups[0].guid, telemetry_groups[1].guid };
    const uint32_t telemetry[2][3] = { { PMT_ACCESS_LOCAL | bytes / 4 << 12, guids[0], ENERGY - ENTRY },
                                       { PMT_ACCESS_BARID | telemetry_bytes(&telemetry_groups[1]) / 4 << 12, guids[1],
                                         BAR | PERF } };
    const uint32_t features[2][3] = {
        { PMT_ACCESS_LOCAL | 6 << 12, PMT_FEATURE_PER_RMID_ENERGY_TELEM, FEATURE - 0x100 - ENTRY },
        { PMT_ACCESS_LOCAL | 6 << 12, PMT_FEATURE_PER_RMID_PERF_TELEM, FEATURE + 0x40 - 0x110 - ENTRY },
    };
    uint32_t entry = at / ENTRY % 2, dword = at / 4 % 4, k = (at - FEATURE) / 0x40;

    if (at < 0x20)
        return dword < 3 ? telemetry[entry][dword] : 0;
    if (at >= 0x100 && at < 0x120)
        return dword < 3 ? features[entry][dword] : 0;
    if (at < FEATURE || k > 1)
        return 0;
    at = (at - FEATURE) % 0x40;
    return at == 0                   ? 4 | 1 << 8
           : at == PMT_FEATURE_RMIDS ? (defect == FEW_RMIDS ? 64 : RMIDS)
           : at == 20                ? guids[k]
                                     : 0;
}

static enum status read_mmio(void *machine, uint64_t address, uint32_t width, uint64_t *value)
{
    uint32_t package = (uint32_t)((address - WINDOW) / SIZE), at = (uint32_t)((address - WINDOW) % SIZE);

    if (address < WINDOW || package > 1)
        return model->mmio_read(machine, address, width, value);
    *value = at >= PERF     ? region(package, (at - PERF) / 8, 7)
             : at >= ENERGY ? region(package, (at - ENERGY) / 8, 2)
                            : table(at);
    return ST_OK;
}

/* What a processor does counts for the RMID that it has. */
static enum status run(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    for (uint32_t t = 0; t < n; t++)
        for (uint32_t s = 0; s < tasks[t].n_steps; s++) {
            const struct step *step = &tasks[t].steps[s];
            uint32_t *rmid = &rmid_of[tasks[t].cpu];

            if (step->op == STEP_WRMSR && step->reg == IA32_PQR_ASSOC)
                *rmid = (uint32_t)(step->value & IA32_PQR_ASSOC_RMID) % RMIDS;
            if (step->op == STEP_WORK || step->op == STEP_SPIN)
                gains[2 * tasks[t].cpu / n_cpus][*rmid] += step->op == STEP_SPIN ? step->value : step->work->bytes;
        }
    return model->run(machine, tasks, n, budget_ms);
}

static void interpose(struct model_platform *mp)
{
    model = mp->platform.ops;
    ops = *model;
    ops.run = run;
    ops.pci_read = read_pci;
    ops.mmio_read = read_mmio;
    mp->platform.ops = &ops;
    n_cpus = mp->platform.n_cpus;
}

static void expect(enum defect d, const char *id, enum verdict verdict, const char *reason)
{
    struct model_config config = MODEL("cwf", 2, 2, 1, .slices = 6, .seed = 5);
    struct whole_run w = { .tests = { id }, .before = interpose };

    defect = d;
    cr_assert(whole_run(&config, &w));
    cr_expect_eq(w.checks[0].verdict, verdict, "%s with defect %d: %s, %s", id, d, verdict_text(w.checks[0].verdict),
                 w.checks[0].reason);
    cr_expect(strstr(w.checks[0].reason, reason), "%s with defect %d: %s", id, d, w.checks[0].reason);
    whole_run_free(&w);
}

Test(energy, regions_of_all_packages_and_rmids)
{
    expect(NONE, "energy.regions", VERDICT_PASS, "");
    expect(FEW_RMIDS, "energy.regions", VERDICT_WARN, "counts 64 RMIDs");
    expect(SHORT, "energy.regions", VERDICT_WARN, "9224 bytes");
    expect(MISSING, "energy.regions", VERDICT_WARN, "no region of GUID 0x26696143");
}

Test(energy, a_busy_rmid_gains_and_no_other)
{
    expect(NONE, "energy.activity", VERDICT_PASS, "");
    expect(DEAD, "energy.activity", VERDICT_WARN, "does not rise");
    expect(SHIFTED, "energy.activity", VERDICT_WARN, "does not rise");
    expect(GHOST, "energy.activity", VERDICT_WARN, "RMID 575");
    expect(STALE, "energy.activity", VERDICT_WARN, "LAST_UPDATE_TIMESTAMP does not change");
}

/* Of the function with the uncore's discovery tables, and of that with the telemetry. */
static uint32_t command_of(struct whole_run *w, uint8_t function)
{
    struct pci_address at = { .bus = BUS, .device = 3, .function = function };
    uint32_t command = UINT32_MAX;

    cr_expect_eq(pci_read(&w->mp->platform, at, 4, 2, &command), ST_OK);
    return command;
}

static enum verdict verdict_of(const struct whole_run *w, const char *id)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (strcmp(w->checks[i].row->id, id) == 0)
            return w->checks[i].verdict;
    return VERDICT_ERROR;
}

Test(energy, memory_decode_that_firmware_left_off_is_set_for_the_run)
{
    struct model_config config = MODEL("cwf", 2, 2, 1, .slices = 6, .seed = 5, .faults = { "discovery-not-decoded" });
    struct whole_run w = { .tests = { "energy.*", "pmon.discovery", "pmon.clock" } };

    cr_assert(whole_run(&config, &w));
    cr_expect_eq(verdict_of(&w, "energy.regions"), VERDICT_PASS);
    cr_expect_eq(verdict_of(&w, "energy.activity"), VERDICT_PASS);
    cr_expect_eq(verdict_of(&w, "pmon.clock"), VERDICT_PASS);
    cr_expect_eq(verdict_of(&w, "pmon.discovery"), VERDICT_WARN);
    cr_expect(strstr(w.text, "memory space enable of 0000:f5:03.1 (command register"), "%s", w.text);
    cr_expect_eq(w.restored, ST_OK);
    cr_expect_eq(command_of(&w, OTHERS), 0);
    cr_expect_eq(command_of(&w, THE_MODELS), 0);
    whole_run_free(&w);
}

/* As a function that has the bit hard-wired to 0 and decodes all the same. */
static enum status keeps_command(void *machine, struct pci_address at, uint32_t offset, uint32_t width, uint32_t *value)
{
    enum status st = model->pci_read(machine, at, offset, width, value);

    if (st == ST_OK && offset == 4 && at.device == 3)
        *value &= ~UINT32_C(2);
    return st;
}

static void interpose_command(struct model_platform *mp)
{
    model = mp->platform.ops;
    ops = *model;
    ops.pci_read = keeps_command;
    mp->platform.ops = &ops;
}

Test(energy, a_function_that_decodes_memory_and_does_not_say_so_is_used)
{
    struct model_config config = MODEL("cwf", 2, 2, 1, .slices = 6, .seed = 5);
    struct whole_run w = { .tests = { "energy.regions", "pmon.discovery" }, .unlooked = interpose_command };

    cr_assert(whole_run(&config, &w));
    cr_expect_eq(verdict_of(&w, "energy.regions"), VERDICT_PASS);
    cr_expect_eq(verdict_of(&w, "pmon.discovery"), VERDICT_PASS, "%s", w.text);
    whole_run_free(&w);
}
