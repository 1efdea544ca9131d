/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Checks of uncore monitors on machines of the silicon model that are wrong in one way: what firmware says of the
 * memory, a register that answers otherwise than it should, counters that are in use already. */
#include <criterion/criterion.h>

#include <stdio.h>

#include "arch/x86/cpu/msr_regs.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/platform/ledger.h"
#include "tests/support/run/model_run.h"

/* --- traffic.channels: the memory that is fitted ------------------------------------------------------------------ */

static void fit_three_modules(struct model_run *r)
{
    r->machine->smbios.n_ddr_dimms = 3;
}

static void fit_four_modules(struct model_run *r)
{
    r->machine->smbios.n_ddr_dimms = 4;
}

/* A part with four channels a package: all of them count. */
Test(pmon_checks, a_memory_module_for_each_channel_passes_and_fewer_warn)
{
    expect(VERDICT_PASS, "traffic.channels", ON("bdx"), .change = fit_four_modules);
    expect(VERDICT_WARN, "traffic.channels", ON("bdx"), .change = fit_three_modules,
           .finding = "4 memory channels count, and SMBIOS lists 3 modules");
}

/* --- pmon.enable: an MSR that raises #GP while it is programmed --------------------------------------------------- */

#define CBO_1_CTL2 0xE13u /* Linux uncore_snbep.c hswep_uncore_cbox: E00H + 10H, controls from 1 */

/* The first programming goes well, as does the session's own trial; the write after it raises #GP. */
EXPECT_TEST(pmon_checks, an_msr_that_faults_while_it_is_programmed_is_a_named_error_and_goes_back, VERDICT_ERROR,
            "pmon.enable", ON("bdx"), .finding = "CBo 1", .report = "0xe13", .restored = true,
            .defect = { .access = ACCESS_WRMSR, .reg = CBO_1_CTL2, .raises = ST_FAULT, .spared = 3, .once = true });

/* --- pmon.uclk-ratio: MSR 621H bits 6:0, in units of 100 MHz ------------------------------------------------------ */

EXPECT_TEST(pmon_checks, a_ratio_of_zero_in_msr_621h_is_skipped, VERDICT_SKIP, "pmon.uclk-ratio", ON("skx"),
            .defect = msr_reads(0x621, 0));

/* --- UCLK that moves: Linux drivers/platform/x86/intel/uncore-frequency, MSR 621H --------------------------------- */

static void expect_quiet_about(const char *realism, const char *id)
{
    expect(VERDICT_PASS, id, MODEL("skx", 2, 1, 1, .slices = 6, .seed = 5, .realism = realism));
}

Test(pmon_checks, a_clock_that_moves_and_says_so_passes)
{
    static const char *const realism[] = { "uncore-clock=50,uncore-period=500", "uncore-clock=50,uncore-period=2500",
                                           "uncore-clock=40,uncore-period=75000" };

    for (size_t i = 0; i < sizeof realism / sizeof realism[0]; i++) {
        expect_quiet_about(realism[i], "ubox.uclk-rate");
        expect_quiet_about(realism[i], "pmon.uclk-ratio");
    }
}

Test(pmon_checks, writes_that_mbm_counts_late_pass)
{
    expect_quiet_about("mbm-lag=4500", "traffic.writes");
}

EXPECT_TEST(pmon_checks, writes_whose_rmid_the_part_does_not_count_are_not_judged, VERDICT_SKIP, "traffic.writes",
            ON("zen5", .realism = "amd-tracked-rmids=1"));

/* GNR12 (Linux 752b6939951f): short streams are counted too high, never too low. */
EXPECT_TEST(pmon_checks, writes_that_an_erratum_counts_too_high_are_noted, VERDICT_PASS, "traffic.writes",
            ON("gnr", .cores = 6, .slices = 6, .realism = "mbm-overcount=40"), .stream = "as an erratum of this part");
EXPECT_TEST(pmon_checks, writes_that_are_lost_are_no_excess_of_an_erratum, VERDICT_WARN, "traffic.writes",
            ON("gnr", .cores = 6, .slices = 6, .faults = { "mbm-half" }), .finding = "neither CAS reads");

/* --- pmon.bands: hswep_uncore_pcu, filter 715H with a byte for each band, counters 717H to 71AH --------------------------------------------- */

EXPECT_TEST(pmon_checks, a_frequency_band_without_its_threshold_warns, VERDICT_WARN, "pmon.bands", ON("bdx"),
            .defect = msr_stuck_at_0(0x715, 0xFF00), .finding = "PCU counter 1: cycles at 25.5 GHz or more");

/* skx_uncore_pcu: the same registers. Their event files have no bands, so that a part that counts none is not judged. */
EXPECT_TEST(pmon_checks, a_frequency_band_of_later_parts_without_its_threshold_warns, VERDICT_WARN, "pmon.bands",
            ON("skx"), .defect = msr_stuck_at_0(0x715, 0xFF00), .code = FOUND_FILTER_PASSES,
            .finding = "PCU counter 1");

static void bands_stay_off(struct interposer *, uint32_t, struct step *s)
{
    if (s->op == STEP_WRMSR && s->reg >= 0x711 && s->reg <= 0x714 && (s->value & 0xFF) >= 0x0B &&
        (s->value & 0xFF) <= 0x0E)
        s->value &= ~BIT(22);
}

EXPECT_TEST(pmon_checks, bands_that_no_event_file_has_and_nothing_counts_are_not_judged, VERDICT_SKIP, "pmon.bands",
            ON("skx"), .before = bands_stay_off);

/* --- traffic.parts: sub-events ------------------------------------------------------------------------------------ */

/* Linux arch/x86/events/amd/uncore.c: L3 event 04H, umask FFH all, 01H misses. Counter 2 counts the rest, doubled. */
EXPECT_TEST(pmon_checks, sub_events_of_a_box_without_a_freeze_are_compared_too, VERDICT_FAIL, "traffic.parts",
            ON("zen3"), .defect = msr_reads(0xC0010235, 12345678), .code = FOUND_SUM_OFF, .finding = "L3 0 counter 0");

/* Without the PCI functions no box has sub-events that are held to each other; its counters are. */
EXPECT_TEST(pmon_checks, counters_that_agree_exclude_a_loss_in_one, VERDICT_PASS, "traffic.parts",
            ON("bdx", .realism = "pmon-kept=functions"), .excludes = "a loss in one counter");

/* --- MBM against the memory channels ------------------------------------------------------------------------------ */

/* Which RMIDs count for which cluster: fills show it on Broadwell, MSR_RMID_SNC_CONFIG has them shared on Ice Lake. */
#define TWO_CLUSTERS(profile, slices_, ...)                                                                            \
    MODEL(profile, 1, 2, 1, .clusters = 2, .slices = slices_, .seed = 5, __VA_ARGS__)

Test(pmon_checks, writes_of_clusters_that_mbm_counts_in_part_warn)
{
    expect(VERDICT_PASS, "traffic.writes", TWO_CLUSTERS("bdx", 4));
    expect(VERDICT_WARN, "traffic.writes", TWO_CLUSTERS("bdx", 4, .faults = { "mbm-writes-part" }));
    expect(VERDICT_PASS, "traffic.writes", TWO_CLUSTERS("icx", 12));
    expect(VERDICT_WARN, "traffic.writes", TWO_CLUSTERS("icx", 12, .faults = { "mbm-writes-part" }));
}

/* While prefetchers are on, MBM counts everything twice. */
static void note_prefetchers(struct interposer *i, uint32_t, struct step *s)
{
    if (s->op == STEP_WRMSR && s->reg == MSR_MISC_FEATURE_CONTROL)
        *(uint64_t *)i->context = s->value & MSR_MISC_FEATURE_CONTROL_ALL;
}

static void count_prefetches_twice(struct interposer *i, uint32_t, struct step *s)
{
    if (s->op == STEP_RDMSR && s->reg == IA32_QM_CTR && *(uint64_t *)i->context == 0)
        s->value = s->value * 2 & low_bits(24);
}

Test(pmon_checks, prefetches_that_mbm_and_memory_channels_count_otherwise_warn)
{
    uint64_t disabled = 0;

    expect(VERDICT_WARN, "traffic.mbm", ON("bdx"), .before = note_prefetchers, .after = count_prefetches_twice,
           .context = &disabled, .finding = "streams: 1, prefetchers on", .code = FOUND_TOTAL_HIGH);
}

/* --- counters that firmware or a debugger uses -------------------------------------------------------------------- */

static void firmware_writes(struct model_run *r, uint32_t msr, uint64_t value)
{
    struct ledger ledger;

    cr_assert_eq(ledger_init(&r->mp->platform, &ledger), ST_OK);
    cr_assert_eq(msr_write(&r->mp->platform, 0, msr, value), ST_OK);
    ledger_free(&ledger);
}

static void count_on_a_channel(struct model_run *r)
{
    struct pci_address channel = { .bus = 0xFF, .device = 20 };
    struct ledger ledger;

    cr_assert_eq(ledger_init(&r->mp->platform, &ledger), ST_OK);
    cr_assert_eq(pci_write(&r->mp->platform, channel, 0xD8, 4, 0x400304), ST_OK); /* CAS_COUNT.RD */
    ledger_free(&ledger);
}

static void count_on_a_slice(struct model_run *r)
{
    firmware_writes(r, 0xE01, 0x400334); /* CBo 0 counts LLC_LOOKUP */
}

/* It still counts what it counted at the end. */
EXPECT_TEST(pmon_checks, a_box_in_use_is_left_alone_and_the_others_are_judged, VERDICT_PASS, "pmon.enable", ON("bdx"),
            .tests = { "pmon.*" }, .change = count_on_a_slice, .also = { { "pmon.left-over", VERDICT_WARN } },
            .report = "event 0x34 umask 0x3", .restored = true);

/* The others of its kind count a part of any load, which is no defect of theirs, nor of the monitors beside them. */
Test(pmon_checks, what_boxes_count_together_is_not_judged_where_one_is_in_use)
{
    static const char *const of_channels[] = { "traffic.channels", "traffic.writes", "traffic.mbm", "traffic.closure" };
    static const char *const of_slices[] = { "traffic.slices", "traffic.lines", "pmon.filter-opcode" };

    for (size_t i = 0; i < sizeof of_channels / sizeof *of_channels; i++)
        expect(VERDICT_SKIP, of_channels[i], ON("bdx"), .change = count_on_a_channel,
               .finding = "iMC 0: register 0xffa00d8 is 0x400304: event 0x4 umask 0x3 is counted by other software");
    for (size_t i = 0; i < sizeof of_slices / sizeof *of_slices; i++)
        expect(VERDICT_SKIP, of_slices[i], ON("bdx"), .change = count_on_a_slice,
               .finding = "CBo 0: register 0xe01 is 0x400334: event 0x34 umask 0x3 is counted by other software");
    expect(VERDICT_PASS, "traffic.channels", ON("bdx"), .change = count_on_a_slice);
    expect(VERDICT_PASS, "traffic.slices", ON("bdx"), .change = count_on_a_channel);
}

/* --- defects of one unit alone (tests/silicon/uncore/uncore.h: 0 UBox, 11 M2M) -------------------------------------- */

/* The first M2M of two: its number among all boxes is odd. */
EXPECT_TEST(pmon_checks, a_reset_that_reaches_the_next_box_is_found_in_any_box, VERDICT_FAIL, "pmon.own-box",
            ON("skx", .faults = { "pmon-box-reset-next:11" }), .finding = "value changed by a reset of other boxes");

EXPECT_TEST(pmon_checks, a_carry_of_a_ubox_counter_is_no_overflow, VERDICT_WARN, "ubox.overflow",
            ON("skx", .faults = { "pmon-status-at-32:0" }), .finding = "UBox");

EXPECT_TEST(pmon_checks, a_ubox_that_the_global_freeze_does_not_reach_is_a_warning, VERDICT_WARN, "pmon.global-freeze",
            ON("hsx", .faults = { "pmon-global-freeze-misses:0:1" }),
            .finding = "UBox counter 1: not stopped by the global freeze, which its own box has");

/* --- a channel whose function firmware hides: skx_uncore_pci_ids, 10.6 ---------------------------------------------- */

static const struct register_defect without_a_channel = {
    .access = ACCESS_PCI_READ, .reg = PCI_REGISTER(10, 6, 0), .any = 0xFFF, .set = UINT32_MAX
};

/* The power control unit's function, which says how many SBos there are: hswep 1e.3. */
static enum status without_the_count_of_sbos(void *machine, struct pci_address at, uint32_t offset, uint32_t width,
                                             uint32_t *value)
{
    enum status st = interposer_pci_read(machine, at, offset, width, value);

    if (at.bus < 0x80 && at.device == 30 && at.function == 3)
        *value = width == 4 ? UINT32_MAX : (UINT32_C(1) << 8 * width) - 1;
    return st;
}

EXPECT_TEST(pmon_checks, boxes_whose_number_a_hidden_function_says_are_a_warning, VERDICT_WARN, "pmon.boxes",
            ON("hsx", .packages = 2), .pci_read = without_the_count_of_sbos,
            .finding = "package 0 SBo 0: no device id 0x2fc0: hidden or absent, and package 1 has it");

Test(pmon_checks, what_the_other_channels_lack_may_be_in_one_that_firmware_hides)
{
    static const char *const of_channels[] = { "traffic.channels", "traffic.mbm", "traffic.closure" };

    for (size_t i = 0; i < sizeof of_channels / sizeof *of_channels; i++)
        expect(VERDICT_WARN, of_channels[i], ON("clx"), .defect = without_a_channel,
               .stream = "firmware hides package 0 iMC 1, which may have counted the rest");
    expect(VERDICT_PASS, "traffic.slices", ON("clx"), .defect = without_a_channel);
}

/* As an overflow leaves them on Skylake-SP (likwid; 329468-002 tables 2-5 and 2-13 of an earlier part): a bit of the counter in the
 * box' status (E07H) and one of the box in the global status (701H). The first check clears both, and this one tells them. */
Test(pmon_checks, an_overflow_that_firmware_left_is_told_and_cleared)
{
    struct model_run *r = model_run_new("skx", 1, "pmon.*");
    uint64_t box = 0, global = 0;
    char said[96];

    firmware_writes(r, 0xE08, (UINT64_C(1) << 48) - 5);
    firmware_writes(r, 0xE01, 0x500000); /* the clock, en, ov_en */
    platform_stall(&r->mp->platform, 1000000);
    firmware_writes(r, 0xE01, 0);
    cr_assert_eq(msr_read(&r->mp->platform, 0, 0xE07, &box), ST_OK);
    cr_assert_eq(msr_read(&r->mp->platform, 0, 0x701, &global), ST_OK);
    cr_expect_eq(box, 1);
    cr_expect_neq(global, 0);
    cr_expect_eq(model_run_check(r, "pmon.enable")->verdict, VERDICT_PASS);
    cr_expect_eq(model_run_verdict(r, "pmon.left-over"), VERDICT_WARN); /* the overflow froze every box */
    cr_expect(
        model_run_streams(r, "package 0 CHA 0: 0 controls and 0 counters are not 0 at handoff, status 0x1: used"));
    snprintf(said, sizeof said, "package 0: global status, MSR 0x701, is 0x%llx at handoff",
             (unsigned long long)global);
    cr_expect(model_run_streams(r, said), "%s", said);
    cr_assert_eq(msr_read(&r->mp->platform, 0, 0x701, &global), ST_OK);
    cr_expect_eq(global, 0);
    model_run_free(r);
}

static void use_every_counter(struct model_run *r)
{
    firmware_writes(r, 0x3C0, 0x40072C);
    firmware_writes(r, 0x391, 1);
}

EXPECT_TEST(pmon_checks, a_machine_whose_every_counter_is_in_use_is_skipped, VERDICT_SKIP, "pmon.enable", ON("nhm"),
            .change = use_every_counter);

/* --- a package without processors --------------------------------------------------------------------------------- */

/* The second of two sockets has no processor that firmware started. */
static void stop_second_package(struct model_platform *mp)
{
    mp->platform.cpus[2].flags = mp->platform.cpus[3].flags = 0;
}

static void run_with_one_package_started(const char *profile, struct whole_run *w)
{
    struct model_config config = MODEL(profile, 2, 2, 1, .slices = 4);

    w->unlooked = stop_second_package;
    cr_assert(whole_run(&config, w));
}

/* Its boxes are not those of another package, whose freeze does not reach them. */
Test(pmon_checks, boxes_of_a_package_without_processors_belong_to_no_other_package)
{
    struct whole_run w = { .tests = { "pmon.global-freeze", "pmon.boxes" } };

    run_with_one_package_started("bdx", &w);
    cr_expect_eq(whole_run_find(&w, "pmon.global-freeze")->verdict, VERDICT_PASS, "%s", w.checks[0].reason);
    cr_expect_eq(whole_run_find(&w, "pmon.boxes")->verdict, VERDICT_WARN, "the node map names it");
    whole_run_free(&w);
}

Test(pmon_checks, a_discovery_table_of_a_package_without_processors_belongs_to_no_other_package)
{
    struct whole_run w = { .tests = { "pmon.global-freeze", "pmon.discovery" } };

    run_with_one_package_started("spr", &w);
    cr_expect_eq(whole_run_find(&w, "pmon.global-freeze")->verdict, VERDICT_PASS, "%s", w.checks[0].reason);
    cr_expect_eq(whole_run_find(&w, "pmon.discovery")->verdict, VERDICT_PASS, "%s", w.checks[1].reason);
    whole_run_free(&w);
}

/* --- MBM beside the channels: a counter that stays where it is ------------------------------------------------------------------------------- */

Test(pmon_checks, mbm_that_counts_nothing_passes_no_comparison)
{
    expect(VERDICT_FAIL, "traffic.mbm", ON("bdx"), .defect = msr_reads(0xC8E, 0), .code = FOUND_TOTAL_LOW);
    expect(VERDICT_WARN, "traffic.writes", ON("bdx"), .defect = msr_reads(0xC8E, 0), .code = FOUND_MBM_DISAGREES);
    expect(VERDICT_WARN, "mbm.bits", ON("bdx"), .defect = msr_reads(0xC8E, 0x1000), .code = FOUND_COUNTS_ZERO);
}

/* --- pmon.discovery: slices that firmware lists and the package does not have (Linux 38776cc45eb7) ------------------ */

Test(pmon_checks, a_slice_beyond_those_counted_is_a_warning_and_left_alone)
{
    expect(VERDICT_WARN, "pmon.discovery", ON("spr", .faults = { "discovery-phantom-cha" }),
           .finding = "the 1 with the highest ids are left out", .code = FOUND_BOXES_MISCOUNTED);
    expect(VERDICT_PASS, "pmon.boxes", ON("spr", .faults = { "discovery-phantom-cha" }));
    expect(VERDICT_PASS, "pmon.enable", ON("spr", .faults = { "discovery-phantom-cha" }));
    expect(VERDICT_WARN, "pmon.discovery", ON("spr", .faults = { "discovery-phantom-cha" }),
           .defect = { .access = ACCESS_MMIO_READ, .reg = MODEL_TABLES_BASE + 100 * 32 + 8, .clear = UINT64_MAX },
           .finding = "its unit control has the address 0", .unsaid = "are left out");
}

/* --- a part that is in no table: Linux generic_uncore_init() drives its units by the numbers of their types ---------- */

static void be_unknown(struct model_run *r)
{
    for (uint32_t i = 0; i < r->machine->n_cpus; i++)
        r->machine->cpus[i].id.model = 0xFE;
}

EXPECT_TEST(pmon_checks, units_of_a_part_that_is_in_no_table_are_driven_by_their_type, VERDICT_PASS, "pmon.boxes",
            ON("spr"), .tests = { "pmon.*" }, .change = be_unknown,
            .also = { { "pmon.discovery", VERDICT_PASS }, { "pmon.width", VERDICT_PASS } },
            .stream = "package 0 type7 3" /* the last M2M */, .restored = true);

EXPECT_TEST(pmon_checks, a_part_that_is_in_no_table_and_has_none_is_skipped, VERDICT_SKIP, "pmon.boxes", ON("skx"),
            .change = be_unknown);
