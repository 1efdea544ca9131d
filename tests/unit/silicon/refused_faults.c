/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A machine that cannot have the fault that it is asked for is refused in a sentence that says why. */
#include "core/base/search.h"
#include "tests/silicon/profiles/profile_capability.h"
#include "tests/silicon/faults/fault.h"
#include "tests/silicon/profiles/profile.h"

#include <criterion/criterion.h>
#include <string.h>

/* What is said of the machine; "": it is made. */
static const char *answer_to(const struct model_config *config)
{
    static char error[1024];
    struct model *m;

    error[0] = '\0';
    m = model_new(config, error, sizeof error);
    cr_expect_eq(m == NULL, error[0] != '\0', "%s", error);
    cr_expect_leq(strlen(error), 240);
    model_free(m);
    return error;
}

#define MACHINE(name, ...) answer_to(&(struct model_config){ .faults = { name }, __VA_ARGS__ })

Test(refused, a_name_that_there_is_not_for_its_nearest)
{
    cr_expect_str_eq(MACHINE("mbm-hlaf", .profile = "bdx"),
                     "there is no fault 'mbm-hlaf' (faults.md has all of them); the nearest are mbm-half, "
                     "mbm-wide, mbm-ghost");
    cr_expect(strstr(MACHINE("swapped:3"), "the nearest are cdp-swapped, mbm-swapped,") == NULL);
    cr_expect(strstr(MACHINE("swapped:3"), "'swapped' (faults.md has all of them); the nearest are mbm-swapped"));
    cr_expect(strstr(MACHINE("pqr_broadcast"), "nearest are pqr-broadcast"));
    cr_expect_not(strstr(MACHINE(""), "(null)"));
}

Test(refused, a_profile_that_there_is_not_for_its_nearest)
{
    const char *said = answer_to(&(struct model_config){ .profile = "zen55" });

    cr_expect(strstr(said, "no profile zen55; the nearest are zen5, ") == said, "%s", said);
    cr_expect(strstr(said, "; there are: ") && strstr(said, " bdx "), "%s", said);
    said = answer_to(&(struct model_config){ .profile = "sprx" });
    cr_expect(strstr(said, "the nearest are spr, "), "%s", said);
}

Test(refused, a_value_that_is_none)
{
    cr_expect_str_eq(MACHINE("pqr-broadcast:1"), "fault pqr-broadcast takes no value: 'pqr-broadcast:1'");
    cr_expect_str_eq(MACHINE("mbm-narrow:x"), "fault mbm-narrow: 'x' is no number (bits)");
    cr_expect_str_eq(MACHINE("mbm-narrow:"), "fault mbm-narrow: '' is no number (bits)");
    cr_expect_str_eq(MACHINE("mbm-narrow:0x12"), "");
    cr_expect_str_eq(MACHINE("mbm-narrow:20:3"), "fault mbm-narrow: there is nothing to be set by ':3'");
    cr_expect_str_eq(MACHINE("mask-leak:-1"), "fault mask-leak: '-1' is no number (ways)");
    cr_expect_str_eq(MACHINE("mbm-rmid-factor:4:x"), "fault mbm-rmid-factor: 'x' is no number (percent more)");
}

Test(refused, a_value_that_is_out_of_its_range)
{
    cr_expect_str_eq(MACHINE("mbm-loss:0"), "fault mbm-loss: 0 is out of range: 1 to 99 (percent of the transfers)");
    cr_expect_str_eq(MACHINE("mbm-rmid-factor:4:-101"),
                     "fault mbm-rmid-factor: -101 is out of range: -100 to 1000 (percent more)");
    cr_expect_str_eq(MACHINE("tag-swap:1:88", .profile = "bdx", .slices = 22), "");
    cr_expect_str_eq(MACHINE("tag-swap:1:176", .profile = "bdx", .slices = 22),
                     "fault tag-swap: 176 is out of range: 0 to 175 (other RMID)");
    cr_expect_str_eq(MACHINE("mask-leak:20", .profile = "bdx"), "fault mask-leak: 20 is out of range: 1 to 19 (ways)");
    cr_expect_str_eq(MACHINE("mask-shifted:16", .profile = "bdx"),
                     "fault mask-shifted: 16 is out of range: 0 to 15 (class)");
    cr_expect_str_eq(MACHINE("mba-misses-core:3", .profile = "skx", .packages = 1, .cores = 3),
                     "fault mba-misses-core: 3 is out of range: 0 to 2 (core)");
    cr_expect_str_eq(MACHINE("mbm-rmid-factor:4:-100"), "");
}

Test(refused, is_no_other_name_of_a_fault)
{
    cr_expect_str_eq(MACHINE("counter-width:20"), "");
    cr_expect_str_eq(MACHINE("tag-late:64"), "");
    cr_expect_str_eq(MACHINE("local-is-total:2", .packages = 2), "");
}

Test(refused, a_part_that_has_not_got_what_the_fault_breaks)
{
    cr_expect_str_eq(MACHINE("rmid-retag", .profile = "snbep"),
                     "fault rmid-retag cannot act on profile snbep, which has no CMT (CPUID.0FH.1:EDX[0])");
    cr_expect_str_eq(MACHINE("discovery-hidden", .profile = "icx"),
                     "fault discovery-hidden cannot act on profile icx, which has no discovery tables of its uncore "
                     "PMON");
    cr_expect_str_eq(MACHINE("mba-inert", .profile = "bdx"),
                     "fault mba-inert cannot act on profile bdx, which has no bandwidth allocation (MBA, or ceilings "
                     "of AMD)");
    cr_expect_str_eq(MACHINE("mba-inert", .profile = "zen3"), "");
    cr_expect_str_eq(MACHINE("mask-hole-accepted", .profile = "gnr"),
                     "fault mask-hole-accepted cannot act on profile gnr, which has L3 masks with holes "
                     "(CPUID.10H.1:ECX[3], or AMD)");
}

/* Of the machine's own number of slices: RMIDs go with it. */
Test(refused, a_number_of_slices_that_leaves_the_fault_no_room)
{
    cr_expect(strstr(MACHINE("pqr-rmid-limit", .profile = "bdx"), "which has no RMID that its field can hold"));
    cr_expect_str_eq(MACHINE("pqr-rmid-limit", .profile = "bdx", .slices = 5), "");
    cr_expect(strstr(MACHINE("erratum-factor-off", .profile = "bdx-80", .slices = 8), "which has no correction"));
}

Test(refused, a_machine_that_is_too_small)
{
    cr_expect_str_eq(MACHINE("mask-broadcast", .packages = 1),
                     "fault mask-broadcast needs 2 packages at least: this machine has 1");
    cr_expect_str_eq(MACHINE("cluster-leaks", .profile = "spr"),
                     "fault cluster-leaks needs 2 clusters (NUMA nodes) a package at least: this machine has 1");
    cr_expect_str_eq(MACHINE("cluster-leaks", .profile = "spr", .clusters = 2), "");
    cr_expect_str_eq(MACHINE("pqr-leaks-to-sibling", .threads = 1),
                     "fault pqr-leaks-to-sibling needs 2 threads a core at least: this machine has 1");
    cr_expect_str_eq(MACHINE("prefetchers-differ", .packages = 1, .cores = 1),
                     "fault prefetchers-differ needs 2 cores at least: this machine has 1");
    cr_expect_str_eq(MACHINE("prefetchers-differ", .packages = 2, .cores = 1), "");
    cr_expect_str_eq(MACHINE("mp-never-wakes", .packages = 1, .cores = 1, .threads = 1),
                     "fault mp-never-wakes needs 2 processors at least: this machine has 1");
    cr_expect_str_eq(MACHINE("mp-never-wakes", .packages = 1, .cores = 1, .threads = 2), "");
}

Test(refused, in_qemu_what_the_host_model_alone_acts_out)
{
    static const char *const some[] = { "processor-dead", "processor-faults", "mp-never-wakes",
                                        "acpi-checksum",  "srat-swapped",     "core-llc-misses-half" };

    cr_expect_str_eq(MACHINE("acpi-checksum", .qemu = true),
                     "fault acpi-checksum acts on the host model alone (build/host/matrix faults): the ACPI tables of "
                     "a guest in QEMU are QEMU's");
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        cr_expect(strstr(MACHINE(some[i], .qemu = true), "acts on the host model alone"), "%s", some[i]);
        cr_expect_str_eq(MACHINE(some[i]), "");
    }
    cr_expect_str_eq(MACHINE("mbm-half", .qemu = true), "");
}

/* The second of two faults as well as the first. */
Test(refused, whichever_of_several)
{
    struct model_config config = { .packages = 1, .faults = { "mbm-half", "mask-broadcast" } };

    cr_expect(strstr(answer_to(&config), "mask-broadcast needs 2 packages"));
}

/* --- capabilities: what each part's documents say, by hand */

static bool is_in(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *p = list; (p = strstr(p, word)) != NULL; p += length)
        if ((p == list || p[-1] == ' ') && (p[length] == '\0' || p[length] == ' '))
            return true;
    return false;
}

Test(capabilities, are_those_of_the_parts)
{
    static const struct {
        enum capability which;
        const char *profiles;
    } known[] = {
        { CAP_UNRECORDED, "wsm-ex icx-d snr spr-hbm srf cwf grr dmr cfl" },
        { CAP_CMT,
          "hsx bdx bdx-gp bdx-80 bdx-de skx clx clx-ap icx icx-d spr spr-hbm emr gnr srf cwf dmr zen2 zen3 zen4 zen5" },
        { CAP_MBM_TOTAL,
          "bdx bdx-gp bdx-80 bdx-de skx clx clx-ap icx icx-d spr spr-hbm emr gnr srf cwf dmr zen2 zen3 zen4 zen5" },
        { CAP_MBM_ERRATUM, "bdx-80 skx clx clx-ap" },
        { CAP_RMIDS_ODD, "hsx bdx-80 skx clx clx-ap icx icx-d spr spr-hbm emr gnr srf cwf dmr" },
        { CAP_CAT,
          "bdx bdx-gp bdx-80 bdx-de skx clx clx-ap icx icx-d spr spr-hbm emr gnr srf cwf dmr zen2 zen3 zen4 zen5" },
        { CAP_CAT_HOLES, "gnr srf cwf dmr zen2 zen3 zen4 zen5" },
        { CAP_CAT_SPARE, "icx icx-d spr spr-hbm emr gnr srf cwf dmr" },
        { CAP_CDP, "bdx bdx-gp bdx-80 skx clx clx-ap spr spr-hbm emr gnr srf cwf dmr zen2 zen3 zen4 zen5" },
        { CAP_L2_CAT, "spr spr-hbm emr gnr srf cwf dmr" },
        { CAP_MBA, "skx clx clx-ap icx icx-d spr spr-hbm emr gnr srf cwf dmr" },
        { CAP_THROTTLE, "skx clx clx-ap icx icx-d spr spr-hbm emr gnr srf cwf dmr zen2 zen3 zen4 zen5" },
        { CAP_BMEC, "zen4 zen5" },
        { CAP_ABMC, "zen5" },
        { CAP_IO_RDT, "gnr dmr" },
        { CAP_SNC, "icx spr spr-hbm emr gnr srf cwf" },
        { CAP_CLUSTERS, "hsx bdx bdx-gp skx clx clx-ap icx spr spr-hbm emr gnr srf cwf" },
        { CAP_ERDT, "gnr" },
        { CAP_PMON,
          "nhm nhm-ex wsm-ex snbep hsx knl ivbep bdx bdx-gp bdx-80 bdx-de skx clx clx-ap icx icx-d snr spr spr-hbm emr "
          "gnr srf cwf grr dmr cfl adl" },
        { CAP_DISCOVERY, "spr spr-hbm emr gnr srf cwf grr dmr" },
        { CAP_UBOX,
          "snbep hsx knl ivbep bdx bdx-gp bdx-80 bdx-de skx clx clx-ap icx icx-d snr spr spr-hbm emr gnr srf cwf grr" },
        { CAP_UBOX_IPI, "snbep ivbep skx clx clx-ap icx icx-d snr spr spr-hbm emr gnr srf cwf" },
        { CAP_GLOBAL_FREEZE, "nhm-ex wsm-ex hsx ivbep bdx bdx-gp bdx-80 bdx-de skx clx clx-ap icx icx-d spr spr-hbm "
                             "emr gnr srf cwf grr dmr" },
        { CAP_COUNTER_ENABLE,
          "nhm nhm-ex wsm-ex snbep hsx knl ivbep bdx bdx-gp bdx-80 bdx-de skx clx clx-ap icx icx-d snr "
          "zen1 zen2 zen3 zen4 zen5 cfl adl" },
        { CAP_OVERFLOW, "nhm nhm-ex wsm-ex hsx ivbep bdx bdx-gp bdx-80 bdx-de skx clx clx-ap icx icx-d spr spr-hbm emr "
                        "gnr srf cwf grr dmr" },
        { CAP_FIXED_OVERFLOW, "nhm hsx ivbep bdx bdx-gp bdx-80 bdx-de skx clx clx-ap icx icx-d" },
        { CAP_HOME_EVENTS,
          "nhm hsx ivbep bdx bdx-gp bdx-80 bdx-de skx clx clx-ap icx icx-d spr spr-hbm emr gnr srf cwf grr" },
        { CAP_TOR_HOMES,
          "hsx ivbep bdx bdx-gp bdx-80 bdx-de skx clx clx-ap icx icx-d spr spr-hbm emr gnr srf cwf grr" },
        { CAP_PCI_BOXES, "snbep hsx knl ivbep bdx bdx-gp bdx-80 bdx-de skx clx clx-ap icx icx-d snr spr spr-hbm emr "
                         "gnr srf cwf grr dmr" },
        { CAP_IMC_MMIO, "icx icx-d snr spr spr-hbm emr gnr srf cwf grr dmr" },
        { CAP_IMC_FREE_LINES, "icx icx-d snr cfl adl" },
        { CAP_TID,
          "snbep hsx ivbep bdx bdx-gp bdx-80 bdx-de skx clx clx-ap icx icx-d snr spr spr-hbm emr gnr srf cwf grr" },
        { CAP_SBO, "hsx bdx bdx-gp bdx-80" },
        { CAP_UMC, "zen4 zen5" },
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        for (uint32_t p = 0; p < profile_count(); p++)
            cr_expect_eq(profile_has(profiles[p], known[i].which), is_in(known[i].profiles, profiles[p]->name),
                         "%s: %s", profiles[p]->name, capability_text(known[i].which));
}

Test(capabilities, each_is_had_by_some_part_and_asked_for_by_some_fault)
{
    uint32_t n;
    const struct model_fault *faults = model_faults(&n);

    for (enum capability c = CAP_NONE + 1; c < CAPABILITIES; c++) {
        bool asked = false;

        cr_assert(capability_text(c), "capability %d", (int)c);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < MODEL_FAULT_NEEDS; k++)
                asked |= faults[i].needs[k] == c || faults[i].absent[k] == c || faults[i].tried_with[k] == c;
        cr_expect(asked && ANY_OF(p, profile_count(), profile_has(profiles[p], c)), "%s", capability_text(c));
    }
}
