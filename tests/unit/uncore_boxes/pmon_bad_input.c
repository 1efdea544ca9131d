/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Uncore boxes of hardware or firmware that answers badly: each is a named ERROR, SKIP or finding, the other boxes
 * are judged, and what was written goes back. */
#include <criterion/criterion.h>

#include "core/base/heap.h"
#include "tests/silicon/model/model.h"
#include "tests/support/run/model_run.h"

static uint32_t accesses;  /* to what is bad */
static uint32_t first_bus; /* bus of a package */

/* --- a PCI function that answers all ones: hswep_uncore_imc, channel 0 at 20.0 ------------------------------------ */

static const struct register_defect ones_after_the_ids = {
    .access = ACCESS_PCI_READ, .reg = PCI_REGISTER(20, 0, 0x40), .last = PCI_REGISTER(20, 0, 0xFFF), .set = UINT32_MAX
};

EXPECT_TEST(pmon_bad_input, a_function_of_all_ones_is_named_and_the_others_are_judged, VERDICT_PASS, "pmon.enable",
            ON("bdx"), .tests = { "pmon.*" }, .defect = ones_after_the_ids, .also = { { "pmon.boxes", VERDICT_WARN } },
            .report = "iMC 0: PCI ff:14.0: register 0x", .stream = "reads all ones", .restored = true);

Test(pmon_bad_input, a_function_that_reads_all_ones_from_some_access_on_is_named_and_no_pass)
{
    struct register_defect later = ones_after_the_ids;

    later.spared = 60;
    expect(VERDICT_FAIL, "pmon.enable", ON("bdx"), .defect = later, .finding = "iMC 0");
}

/* --- resets that are not done at once: HSWEP_C0_MSR_PMON_BOX_CTL, SNBEP_PMON_BOX_CTL_RST_CTRL and _RST_CTRS ----------- */

static uint64_t pending;

/* Reads of the box control and of a counter of the box that follow a reset show what was written, once. */
static void reset_late(struct interposer *, uint32_t, struct step *s)
{
    if (s->op == STEP_WRMSR && s->reg == 0xE00)
        pending = s->value & 3;
    if (s->op == STEP_RDMSR && s->reg == 0xE08 && pending)
        s->value = 0x123456789;
    if (s->op == STEP_RDMSR && s->reg == 0xE00) {
        s->value |= pending;
        pending = 0;
    }
}

EXPECT_TEST(pmon_bad_input, a_reset_that_takes_a_while_is_no_defect, VERDICT_PASS, "pmon.reset", ON("bdx"),
            .after = reset_late, .restored = true);

/* --- base addresses of zero: Linux uncore_snbep.c snr_uncore_mmio_map, MEMn_BAR at D8H + 4n ----------------------- */

EXPECT_TEST(pmon_bad_input, a_controller_without_a_base_address_is_named_and_the_others_are_judged, VERDICT_PASS,
            "pmon.enable", ON("icx"), .tests = { "pmon.*" }, .report = "iMC 2: its base address register",
            .defect = { .access = ACCESS_PCI_READ, .did = 0x3451, .reg = 0xDC, .clear = UINT32_MAX }, .restored = true);

/* Linux drivers/edac/i10nm_base.c, i10nm_imc_absent(): all ones on every channel of a controller that is not there.
 * i10nm_channel_disabled(): the same of a channel that firmware turned off, which has no module. */
static uint64_t ones_from, ones_to;

static enum status ones_between(void *machine, uint64_t address, uint32_t width, uint64_t *value)
{
    struct interposer *i = machine;
    enum status st = i->real->mmio_read(i->real_machine, address, width, value);

    if (address >= MODEL_MMIO_BASE + ones_from && address < MODEL_MMIO_BASE + ones_to)
        *value = width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * width) - 1;
    return st;
}

static void make_ones(struct model_run *r)
{
    r->interposer.ops.mmio_read = ones_between;
}

Test(pmon_bad_input, a_controller_of_ones_on_all_channels_is_absent_and_on_some_is_not)
{
    ones_from = 0x100000;
    ones_to = 0x140000;
    expect(VERDICT_PASS, "pmon.boxes", ON("spr"), .change = make_ones, .stream = "iMC 7: register 0x");
    expect(VERDICT_PASS, "pmon.discovery", ON("spr"), .change = make_ones);
    ones_from = 0;
    expect(VERDICT_WARN, "pmon.boxes", ON("spr"), .change = make_ones, .finding = "iMC 0");
    ones_from = 0x126000;
    expect(VERDICT_WARN, "pmon.boxes", ON("spr"), .change = make_ones, .finding = "iMC 7");
}

/* Slots of two for each of 12 channels, by locators that say so or not; the modules are in those of `in`, of which bit 2 n is
 * the first slot of channel n. */
static uint32_t modules_in;
static bool locators_name_channels; /* CPU0_DIMM_A1, CPU0_DIMM_A2, CPU0_DIMM_B3; or A1, A2, A3, as Dell's */

static void make_ones_with_two_slots(struct model_run *r)
{
    struct smbios_info *s = &r->machine->smbios;

    make_ones(r);
    s->n_dimm_slots = 24;
    s->n_ddr_dimms = 0;
    for (uint32_t i = 0; i < s->n_dimm_slots; i++) {
        char locator[32];

        if (locators_name_channels)
            snprintf(locator, sizeof locator, "CPU0_DIMM_%c%u", 'A' + (int)(i / 2), i + 1);
        else
            snprintf(locator, sizeof locator, "A%u", i + 1);
        s->slots[i] = (struct smbios_slot){ smbios_group(locator), smbios_group("NODE 0"), modules_in >> i & 1 };
        s->n_ddr_dimms += s->slots[i].module;
    }
}

static void make_ones_without_a_module(struct model_run *r)
{
    make_ones(r);
    r->machine->smbios.n_ddr_dimms--;
    r->machine->smbios.slots[2].module = false;
}

static void make_ones_without_type_17(struct model_run *r)
{
    make_ones(r);
    r->machine->smbios.n_ddr_dimms = r->machine->smbios.n_dimm_slots = 0;
}

/* Granite Rapids: twelve channels, number n at 24E800H + n * 4000H (intel/pcm). */
static void ones_on(uint32_t first, uint32_t channels)
{
    ones_from = 0x24E800 + first * 0x4000;
    ones_to = ones_from + channels * 0x4000;
}

Test(pmon_bad_input, a_channel_of_ones_is_off_where_a_module_is_missing)
{
    ones_on(2, 1);
    expect(VERDICT_PASS, "pmon.boxes", ON("gnr"), .change = make_ones_without_a_module, .stream = "may be off");
    expect(VERDICT_PASS, "pmon.discovery", ON("gnr"), .change = make_ones_without_a_module);
    expect(VERDICT_WARN, "pmon.boxes", ON("gnr"), .change = make_ones, .finding = "iMC 2");
    expect(VERDICT_WARN, "pmon.boxes", ON("gnr"), .change = make_ones_without_type_17, .finding = "iMC 2");
    ones_on(2, 2); /* one of two has its module */
    expect(VERDICT_WARN, "pmon.boxes", ON("gnr"), .change = make_ones_without_a_module, .finding = "iMC 2");
}

/* Two slots without a bank locator are not one channel's. */
EXPECT_TEST(pmon_bad_input, a_channel_of_ones_beside_one_other_has_its_module, VERDICT_WARN, "pmon.boxes",
            ON("snr", .faults = { "mmio-all-ones" }), .finding = "iMC");

#define FIRST_OF_EACH  0x555555u
#define BOTH_OF_SIX    0x000FFFu
#define FIRST_OF_EIGHT 0x005555u

Test(pmon_bad_input, modules_of_a_channel_are_known_by_their_locators)
{
    locators_name_channels = true;
    modules_in = BOTH_OF_SIX;
    ones_on(6, 6);
    expect(VERDICT_PASS, "pmon.boxes", ON("gnr"), .change = make_ones_with_two_slots, .stream = "may be off");
    ones_on(5, 7); /* channel 5 has two */
    expect(VERDICT_WARN, "pmon.boxes", ON("gnr"), .change = make_ones_with_two_slots, .finding = "iMC 5");
    modules_in = FIRST_OF_EACH;
    ones_on(2, 1);
    expect(VERDICT_WARN, "pmon.boxes", ON("gnr"), .change = make_ones_with_two_slots, .finding = "iMC 2");
    modules_in = (FIRST_OF_EACH & ~0x10u) | 2; /* channel 2 has none, and channel 0 two */
    expect(VERDICT_PASS, "pmon.boxes", ON("gnr"), .change = make_ones_with_two_slots, .stream = "may be off");
    modules_in = FIRST_OF_EIGHT; /* fewer modules than channels, of which five do not answer */
    ones_on(7, 5);
    expect(VERDICT_WARN, "pmon.boxes", ON("gnr"), .change = make_ones_with_two_slots, .finding = "iMC 7");
}

Test(pmon_bad_input, where_locators_say_nothing_two_modules_for_each_channel_that_answers_are_taken_for_its_own)
{
    locators_name_channels = false;
    modules_in = BOTH_OF_SIX;
    ones_on(6, 6);
    expect(VERDICT_PASS, "pmon.boxes", ON("gnr"), .change = make_ones_with_two_slots, .stream = "may be off");
    modules_in = FIRST_OF_EACH;
    ones_on(2, 1);
    expect(VERDICT_WARN, "pmon.boxes", ON("gnr"), .change = make_ones_with_two_slots, .finding = "iMC 2");
    modules_in = FIRST_OF_EIGHT;
    ones_on(10, 2);
    expect(VERDICT_PASS, "pmon.boxes", ON("gnr"), .change = make_ones_with_two_slots, .stream = "may be off");
}

/* Of functions that lead to tables. */
#define TABLES(...) ((struct register_defect){ .access = ACCESS_PCI_READ, .did = 0x09A7, __VA_ARGS__ })

EXPECT_TEST(pmon_bad_input, a_discovery_table_without_a_base_address_is_named, VERDICT_WARN, "pmon.discovery",
            ON("spr"), .tests = { "pmon.*" }, .defect = TABLES(.reg = 0x10, .last = 0x27, .clear = UINT32_MAX),
            .also = { { "pmon.enable", VERDICT_PASS /* links by PCI are judged */ } },
            .report = "base address register holds", .restored = true);

/* Firmware without an MCFG: the two ports alone, which have no offset above 255. */
static enum status by_ports(void *machine, struct pci_address at, uint32_t offset, uint32_t width, uint32_t *value)
{
    return at.segment || offset + width > 256 ? ST_ABSENT : interposer_pci_read(machine, at, offset, width, value);
}

Test(pmon_bad_input, without_mcfg_no_check_fails)
{
    static const char *const profiles[] = { "spr", "skx", "icx" };

    for (uint32_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++)
        expect(VERDICT_SKIP, "pmon.discovery", ON(profiles[i]), .tests = { "pmon.*" }, .pci_read = by_ports,
               .report = "MCFG", .unsaid = "each link has", .none_bad = true);
    expect(VERDICT_SKIP, "pmon.discovery", ON("hsx"), .tests = { "pmon.*" }, .pci_read = by_ports, .unsaid = "MCFG",
           .nor_said = "each link has", .none_bad = true);
}

/* Firmware that hides the UBox function of the first package, by which its buses are known to be its own. */
static uint32_t first_ubox;
static enum status no_first_ubox(void *machine, struct pci_address at, uint32_t offset, uint32_t width, uint32_t *value)
{
    enum status st = interposer_pci_read(machine, at, offset, width, value);

    if (!interposer_is_device(machine, at, 0x0E1E))
        return st;
    first_ubox = first_ubox == UINT32_MAX ? at.bus : first_ubox;
    if (at.bus == first_ubox)
        *value = UINT32_MAX >> (32 - 8 * width);
    return st;
}

Test(pmon_bad_input, buses_of_a_package_whose_ubox_is_hidden_are_not_another_ones)
{
    first_ubox = UINT32_MAX;
    expect(VERDICT_WARN, "pmon.boxes", ON("ivbep", 2), .tests = { "pmon.*" }, .pci_read = no_first_ubox,
           .stream = "1 UBox functions (device id 0e1e)", .also = { { "pmon.pmi", VERDICT_PASS } });
}

/* Firmware whose MCFG ends below the buses of the monitors: the ports reach them. */
static void window_of_half_the_buses(struct model_run *r)
{
    struct acpi_info *acpi = &r->machine->acpi;

    acpi->mcfg = heap_alloc(sizeof *acpi->mcfg);
    cr_assert(acpi->mcfg);
    acpi->mcfg[0] = (struct acpi_mcfg){ .base = UINT64_C(0x80000000), .last_bus = 0x7F };
    acpi->n_mcfg = 1;
}

Test(pmon_bad_input, functions_on_buses_without_a_window_are_found)
{
    expect(VERDICT_PASS, "pmon.boxes", ON("bdx"), .change = window_of_half_the_buses);
    expect(VERDICT_PASS, "traffic.channels", ON("bdx"), .change = window_of_half_the_buses);
}

/* --- registers in memory that stop answering while they are programmed -------------------------------------------- */

#define ICX_IMC_2 UINT64_C(0xA2800) /* of the model: controller 1, channel 0 */

Test(pmon_bad_input, a_register_in_memory_that_faults_while_it_is_programmed_is_a_named_error_and_goes_back)
{
    struct register_defect faults = { .access = ACCESS_MMIO_WRITE,
                                      .reg = ICX_IMC_2 + 0x44,
                                      .any = ~UINT64_C(0xFFFFF),
                                      .raises = ST_PAGE_FAULT,
                                      .spared = 3, /* two are of the session's own trial */
                                      .once = true };

    expect(VERDICT_ERROR, "pmon.enable", ON("icx"), .defect = faults, .finding = "iMC 2", .restored = true);
}

/* --- a unit type that nobody knows, at the registers of a box that is known ---------------------------------------- */

#define NOBODYS_TYPE UINT64_C(0x3F)

static uint64_t renamed;  /* type whose first unit has another number    */
static uint64_t words[2]; /* where the words of 64 bits before were read */

/* Three words of an entry are read one after the other, the type in the last. */
static enum status of_an_unknown_type(void *machine, uint64_t address, uint32_t width, uint64_t *value)
{
    struct interposer *i = machine;
    enum status st = i->real->mmio_read(i->real_machine, address, width, value);

    if (width == 8 && words[1] == address - 8 && words[0] == address - 16 && (*value & UINT32_MAX) == renamed &&
        accesses++ == 0)
        *value ^= renamed ^ NOBODYS_TYPE;
    words[0] = words[1];
    words[1] = width == 8 ? address : 0;
    return st;
}

/* Linux c74443d92f68: units may be on some dies alone. */
Test(pmon_bad_input, packages_with_unlike_numbers_of_units_get_a_note)
{
    renamed = 2;
    expect(VERDICT_PASS, "pmon.discovery", ON("gnr", .packages = 2), .mmio_read = of_an_unknown_type,
           .stream = "units of type 2 (IRP), those of package 0 list");
    expect(VERDICT_PASS, "pmon.discovery", ON("gnr", .packages = 2), .unsaid = "those of package 0 list");
}

Test(pmon_bad_input, an_unknown_type_at_known_registers_is_no_fail_of_any_check)
{
    static const struct {
        const char *profile;
        uint64_t type;
        bool documented; /* elsewhere than in the table, which is found out to lack one */
        uint32_t packages;
    } units[] = { { "spr", 2, false, 1 }, { "spr", 8, true, 2 },  { "gnr", 2, false, 1 },
                  { "gnr", 5, true, 1 },  { "gnr", 8, false, 1 }, { "spr-hbm", 12, false, 1 } };

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        enum verdict discovery = units[i].documented ? VERDICT_WARN : VERDICT_PASS;

        accesses = 0;
        renamed = units[i].type;
        expect(discovery, "pmon.discovery", ON(units[i].profile, units[i].packages), .tests = { "pmon.*" },
               .mmio_read = of_an_unknown_type, .none_bad = true, .restored = true,
               .also = { { units[i].packages > 1 ? "pmon.match-links" : NULL, VERDICT_PASS } });
        cr_expect_gt(accesses, 0, "%s has units of type %lu", units[i].profile, units[i].type);
    }
}

/* As many slices as MSR 2FFEH counts (UNC_CBO_CONFIG), without the one with id 3: none is left out. */
Test(pmon_bad_input, slices_with_a_gap_in_their_ids_are_all_there)
{
    struct register_defect one_less = msr_reads(0x2FFE, 43);

    accesses = 0;
    renamed = 3u << 16; /* of type 0, UNCORE_SPR_CHA */
    expect(VERDICT_PASS, "pmon.boxes", ON("spr"), .tests = { "pmon.*" }, .mmio_read = of_an_unknown_type,
           .defect = one_less, .none_bad = true, .unsaid = "are left out");
    cr_expect_gt(accesses, 0);
}

/* Linux uncore_discovery_invalid_unit(): of the table it says so, an entry it leaves out without a message. */
Test(pmon_bad_input, what_linux_leaves_out_of_a_discovery_table_is_a_warning)
{
    struct register_defect no_address = { .access = ACCESS_MMIO_READ,
                                          .reg = MODEL_TABLES_BASE + 8,
                                          .clear = UINT64_MAX };

    expect(VERDICT_WARN, "pmon.discovery", ON("gnr"), .defect = no_address, .finding = "Linux refuses such a table");
    no_address.reg += (29 + 1) * 4 * 8;
    expect(VERDICT_WARN, "pmon.discovery", ON("gnr"), .defect = no_address,
           .finding = "entry 29 (type 6, id 2): its unit");
}

/* Words of an entry of the first table, and bits that they have besides; counted as Sapphire Rapids' model lists its units. */
#define ENTRY(index, word, bits)                                                                                       \
    ((struct register_defect){                                                                                         \
        .access = ACCESS_MMIO_READ, .reg = MODEL_TABLES_BASE + ((index) + 1) * 4 * 8 + (word)*8, .set = (bits) })

Test(pmon_bad_input, an_entry_whose_registers_are_elsewhere_is_named)
{
    expect(VERDICT_WARN, "pmon.discovery", ON("spr"), .defect = ENTRY(69, 1, 0x8000),
           .finding = "M2PCIe 1: absent: register 0xb210: #GP, and a discovery table lists it");
    expect(VERDICT_WARN, "pmon.discovery", ON("spr"), .defect = ENTRY(85, 1, UINT64_C(1) << 40),
           .finding = "#PF, and a discovery table lists it");
    expect(VERDICT_FAIL, "pmon.discovery", ON("spr"), .defect = ENTRY(89, 1, 1), .finding = "are not aligned");
    expect(VERDICT_FAIL, "pmon.discovery", ON("spr"), .defect = ENTRY(85, 0, 4 << 24), .finding = "are not aligned");
}

/* Linux uncore_insert_box_info(): counters, width and offsets are those of a type's first unit. */
Test(pmon_bad_input, an_entry_that_lays_its_registers_out_otherwise_than_its_type_is_named)
{
    expect(VERDICT_WARN, "pmon.discovery", ON("spr"), .defect = ENTRY(0, 0, UINT64_C(8) << 32),
           .finding = "package 0 CHA 0: its counters, their width or offsets");
    expect(VERDICT_WARN, "pmon.discovery", ON("spr"), .tests = { "pmon.*" }, .defect = ENTRY(89, 0, 4 << 8),
           .finding = "package 0 M2M 0: its counters, their width or offsets",
           .report = "Cause      discovery tables (package 0 M2M 0)");
}

/*  ways to a table ------------------------------------------------------------------------------------------------ */

#define AGAIN 0x900u /* where a second capability is */

static struct pci_address first_at; /* a function that leads to a table */
static bool first_known;

static uint32_t pmon_capability(struct interposer *i, struct pci_address at)
{
    uint32_t offset = 0x100, header = 0, id = 0;

    for (uint32_t n = 0; n < 16 && offset >= 0x100 && interposer_is_device(i, at, 0x09A7); n++) {
        interposer_pci_read(i, at, offset, 4, &header);
        interposer_pci_read(i, at, offset + 8, 4, &id);
        if ((header & 0xFFFF) == 0x23 && (id & 0xFFFF) == 1)
            return offset;
        offset = header >> 20;
    }
    return 0;
}

static enum status twice(void *machine, struct pci_address at, uint32_t offset, uint32_t width, uint32_t *value)
{
    enum status st = interposer_pci_read(machine, at, offset, width, value);
    uint32_t capability = offset >= 0x100 ? pmon_capability(machine, at) : 0;

    if (capability && offset == capability)
        *value = (*value & 0xFFFFF) | AGAIN << 20;
    if (capability && offset >= AGAIN && offset < AGAIN + 16)
        return interposer_pci_read(machine, at, offset - AGAIN + capability, width, value);
    return st;
}

static enum status of_the_first(void *machine, struct pci_address at, uint32_t offset, uint32_t width, uint32_t *value)
{
    if ((offset == 0x10 || offset == 0x14) && pmon_capability(machine, at)) {
        first_at = first_known ? first_at : at;
        first_known = true;
        at = first_at;
    }
    return interposer_pci_read(machine, at, offset, width, value);
}

/* Linux parse_discovery_table() on type and prefetch bits; intel_uncore_has_discovery_tables() on each capability. */
Test(pmon_bad_input, one_table_is_read_once_whatever_leads_to_it)
{
    expect(VERDICT_WARN, "pmon.discovery", ON("spr"), .defect = TABLES(.reg = 0x10, .set = 8),
           .finding = "Linux ignores its table");
    expect(VERDICT_WARN, "pmon.discovery", ON("gnr"), .pci_read = twice, .finding = "a second PMON capability");
    expect(VERDICT_PASS, "pmon.boxes", ON("spr"), .pci_read = twice);
    expect(VERDICT_FAIL, "pmon.discovery", ON("grr", .packages = 2), .pci_read = of_the_first,
           .finding = "it is the table of another package");
    first_known = false;
    expect(VERDICT_FAIL, "pmon.discovery", ON("gnr"), .pci_read = of_the_first, .report = "3FEDH");
}

/* Linux pci_enable_resources(): "BAR not assigned; can't enable device". */
Test(pmon_bad_input, memory_decode_stays_off_where_a_base_address_is_not_assigned)
{
    struct register_defect unassigned = TABLES(.reg = 0x18, .clear = UINT32_MAX, .set = 4);
    struct model_config off = ON("spr", .faults = { "discovery-not-decoded" });

    expect(VERDICT_WARN, "pmon.discovery", off, .code = FOUND_NOT_DECODED);
    expect(VERDICT_FAIL, "pmon.discovery", off, .defect = unassigned, .finding = "reads all ones");
    expect(VERDICT_PASS, "pmon.discovery", ON("spr"), .defect = unassigned);
}

/* The functions that lead to tables have another device id, and a function without the capability has theirs. */
static enum status renamed_function(void *machine, struct pci_address at, uint32_t offset, uint32_t width,
                                    uint32_t *value)
{
    struct pci_address beside = { at.segment, at.bus, at.device, 1 };
    enum status st = interposer_pci_read(machine, at, offset, width, value);

    if (offset == 0 && width == 4 && interposer_is_device(machine, at, 0x09A7))
        *value ^= 0x12340000;
    else if (at.function == 2 && interposer_is_device(machine, beside, 0x09A7))
        *value = offset == 0 ? 0x09A78086 : 0;
    return st;
}

/* Linux has_generic_discovery_table(): else any device of Intel's may have it. */
EXPECT_TEST(pmon_bad_input, a_function_of_the_usual_id_without_a_table_hides_no_table, VERDICT_PASS, "pmon.discovery",
            ON("spr"), .pci_read = renamed_function);

#define TABLE_BYTES 0x10000u

/* Firmware copies the table of the first package for the second. */
static enum status copied(void *machine, uint64_t address, uint32_t width, uint64_t *value)
{
    struct interposer *i = machine;
    bool second = address - MODEL_TABLES_BASE - TABLE_BYTES < TABLE_BYTES;

    return i->real->mmio_read(i->real_machine, second ? address - TABLE_BYTES : address, width, value);
}

EXPECT_TEST(pmon_bad_input, two_packages_have_no_registers_in_common, VERDICT_FAIL, "pmon.discovery",
            ON("spr", .packages = 2), .mmio_read = copied, .finding = "its unit control is that of another box");

/* The function that leads to the table of the last of five dies of package 1, which is a PCI segment of its own. */
static enum status without_a_die(void *machine, struct pci_address at, uint32_t offset, uint32_t width, uint32_t *value)
{
    enum status st = interposer_pci_read(machine, at, offset, width, value);
    bool leads = at.segment == 1 && at.device == 3 && at.function == 1;

    if (leads && first_bus == 0 && offset == 0 && *value == 0x09A78086)
        first_bus = at.bus;
    if (leads && first_bus && at.bus == first_bus + 4)
        *value = width == 4 ? UINT32_MAX : (UINT32_C(1) << 8 * width) - 1;
    return st;
}

/* Two of one device id a package, and no register says whose their buses are. */
EXPECT_TEST(pmon_bad_input, tables_of_both_hubs_are_of_one_package, VERDICT_PASS, "pmon.discovery",
            ON("dmr", .packages = 2), .unsaid = "those of package 0 list");

Test(pmon_bad_input, a_die_whose_table_another_package_has_is_a_warning)
{
    first_bus = 0;
    expect(VERDICT_WARN, "pmon.discovery", ON("gnr", .packages = 2), .pci_read = without_a_die,
           .finding = "package 1: 4 discovery tables, and another package has 5");
}

/* Firmware hides functions with tables (UNCORE_DISCOVERY_TABLE_DEVICE, 09A7H): on the first bus, on the others. */
static enum status hide(void *machine, struct pci_address at, uint32_t offset, uint32_t width, uint32_t *value,
                        bool first, bool others)
{
    enum status st = interposer_pci_read(machine, at, offset, width, value);

    if (interposer_is_device(machine, at, 0x09A7)) {
        first_bus = first_bus ? first_bus : at.bus;
        if (at.bus == first_bus ? first : others)
            *value = UINT32_MAX >> (32 - 8 * width);
    }
    return st;
}

static enum status hide_other_dies(void *machine, struct pci_address at, uint32_t offset, uint32_t width,
                                   uint32_t *value)
{
    return hide(machine, at, offset, width, value, false, true);
}

/* Without tables of all dies but the first MSR 3FEDH has the slices of all, and what the boxes count is no sum of a load. */
EXPECT_TEST(pmon_bad_input, dies_whose_tables_are_hidden_fail_no_sum, VERDICT_WARN, "traffic.channels", ON("gnr"),
            .tests = { "traffic.*" }, .pci_read = hide_other_dies, .none_bad = true,
            .stream = "no discovery table lists some slices of package 0");

/* A function that is not shown is no broken table. */
static enum status hide_first_bus(void *machine, struct pci_address at, uint32_t offset, uint32_t width,
                                  uint32_t *value)
{
    return hide(machine, at, offset, width, value, true, false);
}

static enum status hide_every_bus(void *machine, struct pci_address at, uint32_t offset, uint32_t width,
                                  uint32_t *value)
{
    return hide(machine, at, offset, width, value, true, true);
}

Test(pmon_bad_input, hidden_functions_that_lead_to_tables_are_no_fail)
{
    static const struct {
        const char *part;
        enum status (*hide)(void *, struct pci_address, uint32_t, uint32_t, uint32_t *);
        uint32_t packages;
        enum verdict discovery, boxes;
    } hidden[] = {
        { "spr", hide_first_bus, 2, VERDICT_WARN, VERDICT_PASS },
        { "gnr", hide_other_dies, 1, VERDICT_WARN, VERDICT_WARN },
        { "gnr", hide_first_bus, 1, VERDICT_WARN, VERDICT_PASS },
        { "srf", hide_every_bus, 2, VERDICT_WARN, VERDICT_SKIP },
    };

    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        first_bus = 0;
        expect(hidden[i].discovery, "pmon.discovery", ON(hidden[i].part, hidden[i].packages),
               .tests = { "pmon.boxes", "pmon.discovery" }, .pci_read = hidden[i].hide,
               .also = { { "pmon.boxes", hidden[i].boxes } });
    }
}

Test(pmon_bad_input, capabilities_in_a_circle_are_each_looked_at_once)
{
    struct register_defect circle = TABLES(.reg = 0x140, .set = 0x120u << 20);

    expect(VERDICT_PASS, "pmon.discovery", ON("gnr"), .defect = circle);
    expect(VERDICT_SKIP, "energy.regions", ON("gnr"), .defect = circle);
}

/* --- discovery tables of noise: bits of the table's own memory turned over ---------------------------------------- */

#define TABLE_WORDS 400u /* the table is read before anything else in memory */

static uint64_t noise;

static uint64_t next_noise(void)
{
    noise ^= noise << 13;
    noise ^= noise >> 7;
    noise ^= noise << 17;
    return noise;
}

static enum status noisy(void *machine, uint64_t address, uint32_t width, uint64_t *value)
{
    struct interposer *i = machine;
    enum status st = i->real->mmio_read(i->real_machine, address, width, value);

    if (st == ST_OK && width == 8 && accesses++ < TABLE_WORDS && next_noise() % 8 == 0)
        *value ^= UINT64_C(1) << next_noise() % 64;
    return st;
}

Test(pmon_bad_input, tables_of_noise_end_in_verdicts_and_everything_goes_back)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct model_run *r = model_run_new("spr", 1, "pmon.*");

        accesses = 0;
        noise = seed * UINT64_C(0x9E3779B97F4A7C15);
        r->interposer.ops.mmio_read = noisy;
        model_run_check(r, "pmon.discovery");
        cr_expect_eq(r->run->restored, ST_OK, "seed %lu", seed);
        model_run_free(r);
    }
}

/* --- AMD: counters that are not available ------------------------------------------------------------------------- */

EXPECT_TEST(pmon_bad_input, a_box_that_takes_no_writes_is_one_finding_and_no_error, VERDICT_FAIL, "pmon.width",
            ON("zen3"), .tests = { "pmon.*" }, .finding = "DF: no counter takes a write",
            .defect = { .access = ACCESS_RDMSR, .reg = 0xC0010240, .any = 0xF, .clear = UINT64_MAX },
            .unsaid = "write-protected", .nor_said = "cannot measure",
            .also = { { "pmon.gate", VERDICT_PASS /* the L3s are judged */ } });

/* Skylake-SP: no guide says that counters of a CHA (0 to 3: E08H to E0BH) can be written; those of the other CHAs are. */
static void drop_writes(struct interposer *i, uint32_t, struct step *s)
{
    const uint32_t *last = i->context;

    if (s->op == STEP_WRMSR && s->reg >= 0xE08 && s->reg <= *last && s->reg % 0x10 >= 8 && s->reg % 0x10 <= 0xB)
        s->op = STEP_RDMSR;
}

Test(pmon_bad_input, a_box_that_takes_no_writes_beside_one_that_does_is_a_finding)
{
    uint32_t of_one = 0xE0B, of_all = 0xFFF;

    expect(VERDICT_FAIL, "pmon.width", ON("skx"), .before = drop_writes, .context = &of_one,
           .finding =
               "package 0 CHA 0: its counters count and take no write, and those of package 0 CHA 1 take writes");
    expect(VERDICT_PASS, "pmon.width", ON("skx"), .before = drop_writes, .context = &of_all);
}

/* Controls of the first CHA, which follow its box control (Linux HSWEP_C0_MSR_PMON_CTL0), raise #GP. */
EXPECT_TEST(pmon_bad_input, a_box_that_refuses_writes_beside_one_that_takes_them_is_a_finding, VERDICT_FAIL,
            "pmon.width", ON("skx"),
            .defect = { .access = ACCESS_WRMSR, .reg = 0xE01, .last = 0xE04, .raises = ST_FAULT },
            .finding = "package 0 CHA 0: register 0xe01 can be read, and raises #GP when it is written: locked, and "
                       "those of package 0 CHA 1 take writes");

/* Firmware that keeps all monitors from software: no part is called broken for it, and what is kept is named. */
static const struct {
    const char *profile, *kept, *check, *says;
    enum verdict verdict;
} kept[] = {
    { "bdx", "functions", "pmon.boxes", "no device id 0x6f30 at 18.1", VERDICT_WARN },
    { "bdx", "msrs", "pmon.boxes", "no UBox responds, nor any other box by MSR", VERDICT_WARN },
    { "bdx", "msrs", "pmon.overflow", "MSR 0x700, which lifts that, raises #GP", VERDICT_SKIP },
    { "bdx", "writes", "pmon.width", "CBo 0: register 0xe01 can be read, and raises #GP", VERDICT_WARN },
    { "bdx", "writes", "ubox.width", "UBox: register 0x705 can be read, and raises #GP", VERDICT_SKIP },
    { "skx", "writes", "pmon.overflow", "MSR 0x700, which lifts that, raises #GP", VERDICT_SKIP },
    { "skx", "writes", "pmon.clock", "", VERDICT_PASS },
    { "icx", "bases", "pmon.boxes", "its base address register reads 0x0", VERDICT_WARN },
    { "spr", "bases", "pmon.boxes", "discovery tables list them, and none can be read", VERDICT_PASS },
    { "spr", "bases", "pmon.discovery", "its base address register holds no memory address", VERDICT_WARN },
    { "gnr", "memory", "pmon.boxes", "reads all ones", VERDICT_WARN },
};

Test(pmon_bad_input, what_firmware_keeps_from_software_is_no_fail)
{
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        char realism[32];

        snprintf(realism, sizeof realism, "pmon-kept=%s", kept[i].kept);
        expect(kept[i].verdict, kept[i].check, ON(kept[i].profile, .realism = realism), .tests = { "pmon.*", "ubox.*" },
               .stream = kept[i].says, .none_bad = true, .restored = true);
    }
}

/* APM vol. 3 E.4.2: CPUID 80000001H ECX[24] PerfCtrExtNB, ECX[28] PerfCtrExtLLC. */
#define EXT_NB  (1u << 24)
#define EXT_LLC (1u << 28)

static void without_feature(struct interposer *i, uint32_t, struct step *s)
{
    if (s->op == STEP_CPUID && s->reg == 0x80000001u)
        s->regs.ecx &= ~*(const uint32_t *)i->context;
}

static void expect_without(uint32_t bits, const char *said, enum verdict boxes, enum verdict width)
{
    expect(boxes, "pmon.boxes", ON("zen3"), .tests = { "pmon.*" }, .after = without_feature, .context = &bits,
           .report = said, .also = { { "pmon.width", width } });
}

Test(pmon_bad_input, counters_of_amd_that_cpuid_does_not_enumerate_are_not_touched)
{
    expect_without(EXT_NB, "DF: CPUID.80000001H:ECX[24]", VERDICT_WARN, VERDICT_PASS);
    expect_without(EXT_LLC, "L3 0: CPUID.80000001H:ECX[28]", VERDICT_WARN, VERDICT_PASS);
    expect_without(EXT_NB | EXT_LLC, "no usable uncore box", VERDICT_SKIP, VERDICT_SKIP);
}

/* --- a hypervisor that drops writes and answers 0 ------------------------------------------------------------------ */

/* Uncore MSRs of Snow Ridge: Linux SNR_U_MSR_PMON_*, SNR_C0_*, SNR_IIO_*, SNR_IRP0_*, SNR_M2PCIE_*, SNR_PCU_*. */
static void without_counts(struct interposer *, uint32_t, struct step *s)
{
    if (s->op == STEP_RDMSR && ((s->reg >= 0x700 && s->reg < 0x720) || (s->reg >= 0x1C00 && s->reg < 0x2000)))
        s->value = 0;
}

static enum status no_functions(void *, struct pci_address, uint32_t, uint32_t width, uint32_t *value)
{
    *value = width == 4 ? UINT32_MAX : (UINT32_C(1) << 8 * width) - 1;
    return ST_OK;
}

Test(pmon_bad_input, where_no_counter_counts_no_check_passes)
{
    static const char *const judged[] = { "pmon.own-box",   "pmon.enable",       "pmon.freeze", "pmon.reset",
                                          "pmon.threshold", "pmon.invert",       "pmon.edge",   "pmon.wrap",
                                          "pmon.clock",     "pmon.free-running", "pmon.gate",   "pmon.io-ports" };
    struct model_run *r = model_run_new("snr", 1, "pmon.*");

    r->interposer.ops.pci_read = no_functions;
    r->interposer.after = without_counts;
    (void)model_run_check(r, "pmon.width");
    for (uint32_t i = 0; i < sizeof judged / sizeof judged[0]; i++)
        cr_expect_neq(model_run_verdict(r, judged[i]), VERDICT_PASS, "%s", judged[i]);
    model_run_free(r);
}

/* CPUID 80000022H of an EPYC 9754, in InstLatx64's dump AA0F02: 32 counters, and 12 channels. */
static void counters_of_an_epyc_9754(struct interposer *, uint32_t, struct step *s)
{
    if (s->op == STEP_CPUID && s->reg == 0x80000022u) {
        s->regs.ebx = 0x00204106;
        s->regs.ecx = 0xFFF;
    }
}

Test(pmon_bad_input, counters_that_cpuid_does_not_share_out_evenly_are_left_alone)
{
    expect(VERDICT_WARN, "pmon.boxes", ON("zen4"), .after = counters_of_an_epyc_9754,
           .finding = "32 counters in EBX[23:16] and 12 channels");
    expect(VERDICT_SKIP, "traffic.channels", ON("zen4"), .after = counters_of_an_epyc_9754);
}
