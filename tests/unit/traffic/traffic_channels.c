/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* traffic.channels on Broadwell-EP, four channels a package: a channel that counts some of its accesses twice or not at all is
 * distinguished from other readers, who add to reads alone. */
#include <criterion/criterion.h>

#include "tests/silicon/model/flaw.h"
#include "tests/silicon/uncore/uncore.h"
#include "tests/support/run/model_run.h"

#define IMC_DEVICE 20u   /* channel 0: device 20, function 0 (Linux uncore_snbep.c, bdx_uncore_pci_ids) */
#define COUNTER_0  0xA0u /* low halves of counters 0 to 3: A0H, A8H, B0H, B8H */

/* What a channel says for each line: more by `more` of 16, of reads, and of writes. It has reads, writes and all in counters
 * 0 to 2, which are read in this order. */
struct odd {
    int32_t reads, writes; /* of 16 lines */
    bool everywhere;       /* on every channel alike, not on channel 0 alone */
    bool written_back;     /* each line that is read is written as well */
    uint32_t packages;     /* 0: 1 */
    bool sizes_differ;     /* of the memory modules */
    /* of the channel that is read */
    uint32_t read, added[2];
};

static enum status read_pci(void *machine, struct pci_address at, uint32_t offset, uint32_t width, uint32_t *value)
{
    struct interposer *i = machine;
    struct odd *odd = i->context;
    enum status st = i->real->pci_read(i->real_machine, at, offset, width, value);

    if (st != ST_OK || (offset & ~0x18u) != COUNTER_0 || offset > 0xB0)
        return st;
    if (!odd->everywhere && (at.device != IMC_DEVICE || at.function != 0))
        return st;
    if (offset == 0xB0) {
        *value += odd->added[0] + odd->added[1];
        return st;
    }
    odd->added[offset == 0xA8] = *value / 16 * (uint32_t)(offset == 0xA8 ? odd->writes : odd->reads);
    if (offset == 0xA0)
        odd->read = *value;
    else if (odd->written_back)
        odd->added[1] += odd->read;
    *value += odd->added[offset == 0xA8];
    return st;
}

static void fit_modules(struct model_run *r)
{
    const struct odd *odd = r->interposer.context;

    if (odd->sizes_differ)
        r->machine->smbios.ddr_most = 2 * r->machine->smbios.ddr_least;
}

static void expect_odd(struct odd odd, enum verdict verdict, const char *words)
{
    expect(verdict, "traffic.channels", ON("bdx", odd.packages), .pci_read = read_pci, .context = &odd,
           .change = fit_modules, .finding = words);
}

/* T_bw has room for it, the other channels do not. */
Test(traffic_channels, one_line_of_16_counted_twice_or_lost_warns)
{
    expect_odd((struct odd){ .reads = 1, .writes = 1 }, VERDICT_WARN, "6.3 % more than the other channels");
    expect_odd((struct odd){ .reads = -1, .writes = -1 }, VERDICT_WARN, "6.3 % less than the other channels");
    expect_odd((struct odd){ .writes = 1 }, VERDICT_WARN, "bytes written, 6.3 % more");
}

/* 4 of 16 on one channel are 6 % of the load, which others may have read; nobody else writes them. */
Test(traffic_channels, more_reads_on_one_channel_may_be_others_and_more_writes_are_not)
{
    expect_odd((struct odd){ .reads = 4 }, VERDICT_WARN, "the channels of the package");
    expect_odd((struct odd){ .writes = 4 }, VERDICT_FAIL, "the channels of the package");
    expect_odd((struct odd){ .reads = 8 }, VERDICT_FAIL, "bytes read, memory channels count");
    expect_odd((struct odd){ .reads = -4 }, VERDICT_FAIL, NULL);
}

/* --- memory that is not as most is -------------------------------------------------------------------------------- */

/* A region of what the larger modules have more lies on their channels alone. */
Test(traffic_channels, modules_of_two_sizes_are_not_interleaved_evenly)
{
    expect_odd((struct odd){ .writes = 4 }, VERDICT_FAIL, "the channels of the package");
    expect_odd((struct odd){ .writes = 4, .sizes_differ = true }, VERDICT_WARN,
               "SMBIOS does not show modules of one size");
}

Test(traffic_channels, every_line_written_twice_may_be_mirrored_memory)
{
    expect_odd((struct odd){ .writes = 16, .everywhere = true }, VERDICT_WARN, "bytes written, memory channels count");
    expect_odd((struct odd){ .writes = 8, .everywhere = true }, VERDICT_FAIL, "bytes written, memory channels count");
    expect_odd((struct odd){ .reads = 16, .everywhere = true }, VERDICT_FAIL, "bytes read, memory channels count");
}

/* A directory in memory is there for copies in other packages. */
Test(traffic_channels, lines_written_back_while_they_are_read_may_be_a_directory)
{
    expect_odd((struct odd){ .written_back = true, .everywhere = true, .packages = 2 }, VERDICT_WARN,
               "other direction");
    expect_odd((struct odd){ .written_back = true, .everywhere = true }, VERDICT_FAIL, "other direction");
}

/* Modules of one size on each channel by SMBIOS, and memory that is interleaved otherwise: the sum tells it from lost accesses. */
Test(traffic_channels, shares_of_a_load_are_those_of_memory_where_the_sum_is_right)
{
    struct odd half = { .reads = -8, .writes = -8 };

    expect(VERDICT_WARN, "traffic.channels", ON("bdx", .realism = "channel-interleave=one-twice"),
           .finding = "the sum is right");
    expect(VERDICT_WARN, "traffic.channels", ON("spr", .realism = "channel-interleave=half-twice"),
           .finding = "the sum is right");
    expect(VERDICT_WARN, "traffic.channels", ON("icx", .realism = "channel-interleave=regions"),
           .finding = "the sum is right");
    expect(VERDICT_FAIL, "traffic.channels", ON("bdx", .realism = "channel-interleave=one-twice"), .pci_read = read_pci,
           .context = &half, .finding = "memory channels count");
}

static void fit_modules_unevenly(struct model_run *r)
{
    r->machine->smbios.n_ddr_dimms += 1;
}

Test(traffic_channels, modules_that_promise_other_shares_pass_where_the_sum_is_right)
{
    struct odd half = { .reads = -8, .writes = -8 };

    expect(VERDICT_PASS, "traffic.channels", ON("bdx", .realism = "channel-interleave=one-twice"),
           .change = fit_modules_unevenly);
    expect(VERDICT_FAIL, "traffic.channels", ON("bdx", .realism = "channel-interleave=one-twice"), .pci_read = read_pci,
           .context = &half, .change = fit_modules_unevenly, .finding = "memory channels count");
}

/* Snow Ridge has two channels here, of which the last one counts fewer: its clock and its accesses. */
Test(traffic_channels, of_two_channels_the_one_that_is_off_is_named)
{
    for (int32_t lost = 3; lost <= 50; lost += 47) {
        struct flaw f = {
            .monitor = FLAW_UNCORE, .scope = FLAW_BOX, .place = UNIT_IMC, .kind = FLAW_SCALED, .strength = -lost
        };

        expect(lost > 5 ? VERDICT_FAIL : VERDICT_WARN, "traffic.channels", ON("snr", .flaw = &f),
               .stream = "iMC 1: counts", .unsaid = "iMC 0: counts");
        expect(VERDICT_FAIL, "pmon.clock", ON("snr", .flaw = &f), .finding = "iMC 1: clock is",
               .unsaid = "iMC 0: clock is");
    }
}
