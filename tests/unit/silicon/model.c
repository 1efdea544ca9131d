/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The virtual silicon against the documents and against figures computed by hand. On bdx a line is 64 bytes and a count
 * 8000H bytes, that is 512 lines; the L3 has 8 slices of 2048 sets of 20 ways, 327,680 lines or 640 counts. */
#include "tests/silicon/uncore/model_uncore_internal.h"
#include "tests/support/run/silicon.h"

#include <string.h>

enum { PQR = 0xC8F, EVTSEL = 0xC8D, CTR = 0xC8E, MASK0 = 0xC90, QOS_CFG = 0xC81 };
enum { OCCUPANCY = 1, TOTAL = 2, LOCAL = 3 };

/* --- configuration and CPUID */

Test(model_new, says_what_is_wrong)
{
    struct model_config config = { .profile = "none" };
    char error[4096] = "";

    cr_assert_null(model_new(&config, error, sizeof error));
    cr_expect(strstr(error, "none") && strstr(error, "bdx") && strstr(error, "snbep"), "%s", error);
    config = (struct model_config){ .packages = 9 };
    cr_assert_null(model_new(&config, error, sizeof error));
    config = (struct model_config){ .threads = 3 };
    cr_assert_null(model_new(&config, NULL, 0));
}

static void cpuid(struct model *m, uint32_t cpu, uint32_t leaf, uint32_t subleaf, uint32_t host, uint32_t regs[4])
{
    for (int i = 0; i < 4; i++)
        regs[i] = host;
    model_cpuid(m, cpu, leaf, subleaf, regs);
}

Test(model_cpuid, offers_nothing_that_the_host_lacks_and_no_hypervisor)
{
    struct model *m = silicon_of("bdx", 1, 1, 1);
    uint32_t r[4], top[4];

    cpuid(m, 0, 1, 0, 0, r);
    cr_expect(r[2] == 0 && r[3] == 0);
    cpuid(m, 0, 1, 0, UINT32_MAX, r);
    cr_expect_eq(r[2], 0x7FFEFBBF, "all that was recorded");
    cr_expect_eq(r[2] & BIT(31), 0);
    cpuid(m, 0, 0x80000001u, 0, UINT32_MAX, r);
    cr_expect_eq(r[2] & BIT(2), 0, "no SVM");
    cpuid(m, 0, 0xD, 0, 3, r);
    cr_expect_eq(r[0], 3);
    cpuid(m, 0, 0x14, 0, 0x51454D55, top);
    cpuid(m, 0, 0x40000000u, 0, 0x51454D55, r);
    cr_expect_arr_eq(r, top, sizeof r, "as the highest basic leaf");
    cpuid(m, 0, 0x8000001Fu, 0, 0x51454D55, r);
    cr_expect_arr_eq(r, top, sizeof r);
}

/* The control of prefetchers is the silicon's own register, so its bit stands wherever the profile has it. */
Test(model_cpuid, shows_amds_prefetch_control_whatever_the_host_has)
{
    struct model *m = silicon_of("zen3", 1, 1, 1);
    uint32_t r[4];

    cpuid(m, 0, 0x80000021u, 0, 0, r);
    cr_expect_eq(r[0], BIT(13));
    silicon_write(m, 0, 0xC0000108, BIT(5) | BIT(3));
    cr_expect_eq(silicon_read(m, 0, 0xC0000108), BIT(5) | BIT(3));
}

/* --- occupancy */

Test(occupancy, counts_an_access_over_a_lines_end_as_two)
{
    struct model *m = silicon_of("bdx", 1, 1, 1);

    model_access(m, 0, 60, 8, MODEL_LOAD);
    cr_expect_eq(silicon_truth(m, 0, 0).rmid_lines, 2);
    model_access(m, 0, 128, 64, MODEL_LOAD);
    cr_expect_eq(silicon_truth(m, 0, 0).rmid_lines, 3);
}

/* --- registers */

Test(registers, answer_for_their_own_blocks_only)
{
    struct model *m = silicon_of("bdx", 2, 1, 1);
    uint64_t value = 1;

    cr_expect_eq(model_rdmsr(m, 0, 0xC82, 0, &value), MODEL_GP);
    cr_expect_eq(model_rdmsr(m, 0, 0x7F0, 0, &value), MODEL_GP);
    cr_expect_eq(model_rdmsr(m, 0, 0xE80, 0, &value), MODEL_GP, "a ninth slice");
    cr_expect_eq(model_rdmsr(m, 0, 0x1B, 0, &value), MODEL_NOT_MINE);
    cr_expect_eq(model_rdmsr(m, 0, 0xC0000080u, 0, &value), MODEL_NOT_MINE);
    cr_expect_eq(value, 1, "left alone");
    cr_expect_eq(model_rdmsr(m, 0, 0x10, 12345, &value), MODEL_DONE);
    cr_expect_eq(value, 12345);
    m = silicon_of("snbep", 1, 1, 1);
    cr_expect_eq(model_rdmsr(m, 0, PQR, 0, &value), MODEL_GP, "no RDT there");
    cr_expect_eq(model_rdmsr(m, 0, 0x703, 0, &value), MODEL_GP);
}

Test(registers, say_who_the_processor_is)
{
    struct model *m = silicon_of("bdx", 2, 1, 2);
    uint32_t r[4];

    cr_expect_eq(silicon_read(m, 0, 0x8B), UINT64_C(0x0B000038) << 32);
    cr_expect_eq(silicon_write(m, 0, 0x8B, 0), MODEL_DONE);
    cr_expect_eq(silicon_read(m, 0, 0x8B), 0);
    cpuid(m, 0, 1, 0, 0, r);
    cr_expect_eq(silicon_read(m, 0, 0x8B), UINT64_C(0x0B000038) << 32, "CPUID(1) loads it");
    cr_expect_eq(silicon_read(m, 0, 0xCE) >> 8 & 0xFF, 21, "2.1 GHz");
    cr_expect_neq(silicon_read(m, 0, 0x4F), silicon_read(m, 2, 0x4F), "a package has a number of its own");
    cr_expect_eq(silicon_read(m, 0, 0x4F), silicon_read(m, 1, 0x4F));
    cr_expect_eq(silicon_write(m, 0, 0x4E, 3), MODEL_GP, "locking while enabled");
    cr_expect_eq(silicon_write(m, 0, 0x4E, 1), MODEL_GP);
    cr_expect_eq(silicon_write(m, 0, 0x4E, 0), MODEL_DONE);
    cr_expect_eq(model_rdmsr(m, 0, 0x4F, 0, &(uint64_t){ 0 }), MODEL_GP);
    cr_expect_eq(silicon_write(m, 0, 0x1A4, 0xF), MODEL_DONE);
    cr_expect_eq(silicon_read(m, 1, 0x1A4), 0xF, "a core's");
    cr_expect_eq(silicon_read(m, 2, 0x1A4), 0);
    cr_expect_eq(silicon_write(m, 0, 0x1A4, 0x10), MODEL_GP);
    cr_expect_eq(silicon_read(m, 3, 0x34), 0);
    model_smi(m);
    cr_expect_eq(silicon_read(m, 3, 0x34), 1);
    cr_expect_eq(silicon_write(m, 3, 0x34, 0), MODEL_GP);
}

/* --- faults */

Test(faults, have_names_of_their_own_and_say_what_they_stand_for)
{
    uint32_t n;
    const struct model_fault *faults = model_faults(&n);

    for (uint32_t i = 0; i < n; i++) {
        cr_assert(faults[i].name && faults[i].stands_for && faults[i].rows, "row %u", i);
        cr_expect_gt(strlen(faults[i].stands_for), 20);
        cr_expect_gt(strlen(faults[i].rows), 1);
        for (uint32_t j = 0; j < n; j++) {
            cr_expect(i == j || strcmp(faults[i].name, faults[j].name) != 0, "%s twice", faults[i].name);
            cr_expect(!faults[i].also || strcmp(faults[i].also, faults[j].name) != 0, "%s twice", faults[i].also);
        }
    }
}

Test(model_summary, names_faults_and_traffic_and_says_its_length)
{
    struct model *m = silicon_of("bdx", 2, 1, 1, .faults = { "mbm-half" });
    char text[4096], small[16];
    size_t length;

    silicon_write(m, 0, PQR, 5);
    silicon_touch(m, 0, 0, 77, MODEL_LOAD);
    length = model_summary(m, text, sizeof text);
    cr_expect_eq(length, strlen(text));
    cr_expect(strstr(text, "fault: mbm-half") && strstr(text, "package 0 rmid 5: 77 lines in, 77"), "%s", text);
    cr_expect_eq(model_summary(m, small, sizeof small), length);
    cr_expect_eq(model_summary(m, NULL, 0), length);
}
