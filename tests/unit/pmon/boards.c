/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Places of PCI boxes held to real boards: pmon.boxes on machines that show the functions which lspci recorded
 * (tests/fixtures/machines/pci), and no other on the buses of the uncore. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "core/base/search.h"
#include "core/base/text.h"
#include "tests/support/run/model_run.h"
#include "tests/support/data/recordings.h"

#define BUSES    16u
#define ID_INTEL 0x8086u

struct board_bus { /* of the fixture, and the model's that shows most of its functions */
    uint32_t bus;
    uint16_t did[32][8];
};
struct board {
    uint32_t n;
    struct board_bus buses[BUSES];
    struct pci_address off; /* device 0: none; a function that shows its id, and class FFFFFFH */
};

static uint32_t functions_alike(struct interposer *i, const struct board_bus *b, uint32_t bus)
{
    uint32_t n = 0, id;

    for (uint32_t k = 0; k < 256; k++) {
        struct pci_address at = { .bus = (uint8_t)bus, .device = (uint8_t)(k / 8), .function = (uint8_t)(k % 8) };

        n += b->did[at.device][at.function] && interposer_pci_read(i, at, 0, 4, &id) == ST_OK &&
             id >> 16 == b->did[at.device][at.function];
    }
    return n;
}

/* Buses of a package lie within its share of the 256 numbers. */
static void find_bus(struct interposer *i, struct board_bus *b, uint32_t package, uint32_t packages)
{
    uint32_t most = 0;

    b->bus = UINT32_MAX;
    for (uint32_t bus = 256 * package / packages; bus < 256 * (package + 1) / packages; bus++) {
        uint32_t n = functions_alike(i, b, bus);

        b->bus = n > most ? bus : b->bus;
        most = n > most ? n : most;
    }
}

static void read_functions(const struct recording *recording, uint32_t bus, struct board_bus *b)
{
    EACH(const struct recorded_function, f, recording->functions, recording->n_functions) {
        if (f->bus == bus && f->vendor == ID_INTEL && f->did_known)
            b->did[f->device][f->function] = f->did;
    }
}

static bool has_device(const struct board_bus *b, uint32_t device)
{
    return ANY_OF(f, 8, b->did[device][f] != 0);
}

/* Whether the board's recording speaks of a device: on its buses it has all those that hold monitors. */
static bool is_recorded(const struct board *board, struct pci_address at)
{
    static const uint32_t links_and_channels = 0x01FFFFFCu; /* devices 2 to 24 */
    bool bus = false;

    for (uint32_t k = 0; k < board->n; k++) {
        if (board->buses[k].bus != at.bus)
            continue;
        bus = true;
        if (has_device(&board->buses[k], at.device))
            return true;
    }
    return bus && (links_and_channels >> at.device & 1);
}

static enum status as_on_the_board(void *machine, struct pci_address at, uint32_t offset, uint32_t width,
                                   uint32_t *value)
{
    struct interposer *i = machine;
    const struct board *board = i->context;
    enum status st = interposer_pci_read(i, at, offset, width, value);
    uint16_t did = 0;
    uint32_t id = 0;

    if (!is_recorded(board, at) || interposer_pci_read(i, at, 0, 4, &id) != ST_OK)
        return st;
    for (uint32_t k = 0; k < board->n; k++)
        if (board->buses[k].bus == at.bus && board->buses[k].did[at.device][at.function])
            did = board->buses[k].did[at.device][at.function];
    if (did == 0)
        *value = width == 4 ? UINT32_MAX : (UINT32_C(1) << 8 * width) - 1;
    else if (id >> 16 != did && offset < 0x40)
        *value = offset == 0 ? (uint32_t)did << 16 | ID_INTEL : offset == 8 ? 0x11010001 : 0;
    else if (id >> 16 != did)
        *value = 0;
    if (board->off.device == at.device && board->off.function == at.function && offset == 8)
        *value = 0xFFFFFF01;
    return st;
}

/* buses: "00 3f;40 7f", those of the uncore, package after package. */
static void read_buses(struct interposer *i, struct board *board, const struct recording *recording, const char *buses,
                       uint32_t packages)
{
    uint32_t package = 0;

    for (const char *at = buses; *at;) {
        struct board_bus *b = &board->buses[board->n++];
        char *end;

        cr_assert_leq(board->n, BUSES);
        read_functions(recording, (uint32_t)strtoul(at, &end, 16), b);
        find_bus(i, b, package, packages);
        package += *end == ';';
        at = end + (*end != 0);
    }
}

static struct model_run *run_on(struct board *board, const char *name)
{
    struct tsv *x = recordings_index(RECORDINGS_PCI);
    uint32_t row = 0, packages;
    struct model_run *r;
    struct replay *replay;

    while (row < tsv_rows(x) && !text_equal(tsv_get(x, row, "machine"), name))
        row++;
    cr_assert_lt(row, tsv_rows(x), "%s", name);
    packages = (uint32_t)strtoul(tsv_get(x, row, "packages"), NULL, 10);
    r = model_run_new(tsv_get(x, row, "profile"), packages, "pmon.boxes");
    replay = recordings_open(RECORDINGS_PCI, x, row);
    read_buses(&r->interposer, board, replay_recording(replay), tsv_get(x, row, "buses"), packages);
    replay_free(replay);
    tsv_free(x);
    r->interposer.context = board;
    r->interposer.ops.pci_read = as_on_the_board;
    return r;
}

/* Firmware of the R620 hides both links' monitors, though it has two packages. */
static const struct {
    const char *board;
    enum verdict verdict;
    const char *says;
} boards[] = {
    { "dell-poweredge-r620-50be", VERDICT_WARN, "no device id 0x3c41 at 8.2, whose device shows function 0: hidden" },
    { "dell-poweredge-r630-21ad", VERDICT_PASS, "no device id 0x2f39 at 5.6, whose device shows function 0: hidden" },
    { "dell-poweredge-r730-1f01", VERDICT_PASS,
      "no device id 0x2f32 and no other function of device 8: not populated" },
    { "asrockrack-d1521d4i2-e866", VERDICT_PASS, "no device id 0x6f39 at 5.6" },
    { "supermicro-x11dpi-n-6d6f", VERDICT_PASS,
      "no device id 0x2088 and no other function of device 23: not populated" },
    { "supermicro-x12spa-tf-2c0f", VERDICT_PASS, "2 UPI and 3 M3UPI boxes" },
    { "hpe-proliant-dl380-gen11-89bb", VERDICT_PASS, "" },
};

Test(boards, a_healthy_board_lacks_nothing_that_is_a_warning)
{
    for (size_t k = 0; k < sizeof boards / sizeof boards[0]; k++) {
        struct board board = { 0 };
        struct model_run *r = run_on(&board, boards[k].board);
        const struct whole_result *result = model_run_check(r, "pmon.boxes");

        cr_expect_eq(result->verdict, boards[k].verdict, "%s: %s", boards[k].board, result->reason);
        cr_expect(model_run_streams(r, boards[k].says), "%s: %s\n%s", boards[k].board, boards[k].says, r->stream);
        model_run_free(r);
    }
}

/* A part with two home agents has its channels at 20 and 23, and no function at 21. */
Test(boards, channels_of_a_second_home_agent)
{
    struct board board = { 0 };
    struct model_run *r = run_on(&board, "dell-poweredge-r730-1f01");

    EACH(struct board_bus, b, board.buses, board.n) {
        if (b->did[23][0] == 0)
            continue;
        b->did[23][1] = 0x2FD1;
        b->did[18][5] = 0x2F38;
        memset(b->did[21], 0, sizeof b->did[21]);
    }
    cr_expect_eq(model_run_check(r, "pmon.boxes")->verdict, VERDICT_PASS, "%s", r->run->checks[0].reason);
    model_run_free(r);
}

/* Three channels of Haswell-EP's four, with no place that every part has. */
Test(boards, a_channel_that_is_hidden_is_a_warning)
{
    struct board board = { 0 };
    struct model_run *r = run_on(&board, "dell-poweredge-r730-1f01");

    for (uint32_t k = 0; k < board.n; k++) {
        board.buses[k].did[21][1] = 0;
        memset(board.buses[k].did[23], 0, sizeof board.buses[k].did[23]);
    }
    cr_expect_eq(model_run_check(r, "pmon.boxes")->verdict, VERDICT_WARN);
    cr_expect(strstr(r->run->checks[0].reason, "3 iMC boxes are shown"), "%s", r->run->checks[0].reason);
    model_run_free(r);
}

/* A port with class FFFFFFH is off: neither a warning nor counted as a link. */
Test(boards, a_port_that_is_fused_off_is_a_note)
{
    struct board board = { .off = { .device = 22, .function = 5 } };
    struct model_run *r = run_on(&board, "supermicro-x11dpi-n-6d6f");

    cr_expect_eq(model_run_check(r, "pmon.boxes")->verdict, VERDICT_PASS, "%s", r->run->checks[0].reason);
    cr_expect(model_run_streams(r, "its function has the id 0x2088 and class 0xffffff: fused off"));
    model_run_free(r);
}
