/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Telemetry by RMID on the model's Clearwater Forest, with words of its memory that read otherwise: what no fault of the
 * silicon is about. Layout: tests/silicon/uncore/model_telemetry.c. */
#include <criterion/criterion.h>

#include "arch/x86/rdt/telemetry.h"
#include "tests/silicon/model/model.h"
#include "tests/support/run/model_run.h"

#define CWF(...)      MODEL("cwf", 2, 2, 1, .slices = 6, .seed = 5, __VA_ARGS__)
#define TABLE(p)      (MODEL_MMIO_BASE + (p)*UINT64_C(0x800000) + 0x700000) /* of package p: header, GUID */
#define ENERGY(rmid)  (TABLE(0) + 0x1000 + 16 * (uint64_t)(rmid))           /* two events */
#define RMIDS         576
#define LAST_UPDATE   (ENERGY(RMIDS) + 8 * LAST_UPDATE_TIMESTAMP)
#define READS_AS(...) ((struct register_defect){ .access = ACCESS_MMIO_READ, __VA_ARGS__ })

Test(energy, regions_of_all_packages_and_rmids)
{
    expect(VERDICT_PASS, "energy.regions", CWF());
    expect(VERDICT_WARN, "energy.regions", CWF(.faults = { "telemetry-few-rmids:64" }), .finding = "counts 64 RMIDs");
    expect(VERDICT_WARN, "energy.regions", CWF(), .finding = "9224 bytes",
           .defect = READS_AS(.reg = TABLE(0), .clear = PMT_SIZE, .set = field_put(PMT_SIZE, 9224 / 4)));
    expect(VERDICT_WARN, "energy.regions", CWF(), .finding = "no region of GUID 0x26696143",
           .defect = READS_AS(.reg = TABLE(1) + 4, .clear = UINT32_MAX));
}

/* The last RMID's energy rises at each read. */
static enum status last_rmid_gains(void *machine, uint64_t address, uint32_t width, uint64_t *value)
{
    static uint64_t reads;
    struct interposer *i = machine;
    enum status st = i->real->mmio_read(i->real_machine, address, width, value);

    if (address == ENERGY(RMIDS - 1))
        *value += ++reads << 40;
    return st;
}

Test(energy, a_busy_rmid_gains_and_no_other)
{
    expect(VERDICT_PASS, "energy.activity", CWF());
    expect(VERDICT_WARN, "energy.activity", CWF(.faults = { "telemetry-dead" }), .finding = "does not rise");
    expect(VERDICT_WARN, "energy.activity", CWF(.faults = { "telemetry-other-rmid" }), .finding = "does not rise");
    expect(VERDICT_WARN, "energy.activity", CWF(), .mmio_read = last_rmid_gains, .finding = "RMID 575");
    expect(VERDICT_WARN, "energy.activity", CWF(), .finding = "LAST_UPDATE_TIMESTAMP does not change",
           .defect = READS_AS(.reg = LAST_UPDATE, .clear = UINT64_MAX, .set = 1));
}

EXPECT_TEST(energy, rmids_that_were_never_counted_are_not_valid, VERDICT_PASS, "energy.activity", CWF(),
            .defect = READS_AS(.reg = ENERGY(300), .last = ENERGY(RMIDS) - 8, .clear = UINT64_MAX));

/* Of the function with the uncore's discovery tables, and of that with the telemetry. */
EXPECT_TEST(energy, memory_decode_that_firmware_left_off_is_set_for_the_run, VERDICT_PASS, "energy.regions",
            CWF(.faults = { "discovery-not-decoded" }), .restored = true,
            .tests = { "energy.*", "pmon.discovery", "pmon.clock" },
            .also = { { "energy.activity", VERDICT_PASS },
                      { "pmon.clock", VERDICT_PASS },
                      { "pmon.discovery", VERDICT_WARN } },
            .report = "memory space enable of 0000:f5:03.1 (command register");

/* As a function that has the bit hard-wired to 0 and decodes all the same. */
EXPECT_TEST(energy, a_function_that_decodes_memory_and_does_not_say_so_is_used, VERDICT_PASS, "energy.regions", CWF(),
            .tests = { "energy.regions", "pmon.discovery" },
            .defect = { .access = ACCESS_PCI_READ, .did = 0x09A7, .reg = 4, .clear = 2 },
            .also = { { "pmon.discovery", VERDICT_PASS } });
