/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Discovery tables, read byte by byte, and units that no check looks at so closely. */
#include "tests/support/machine/uncore_rig.h"
#include "core/base/search.h"

/* --- Sapphire Rapids: Linux uncore_discovery.c, intel/pcm uncore_pmu_discovery */

static uint32_t spr_cha(uint32_t n)
{
    return 0x2000 + 0x10 * n;
}

/* Little-endian bytes of memory, one at a time. */
static uint64_t bytes_at(struct uncore_rig *b, uint64_t address, uint32_t first, uint32_t last)
{
    uint64_t value = 0;

    for (uint32_t i = last + 1; i-- > first;)
        value = value << 8 | mapped(b, address + i, 1);
    return value;
}

struct unit {
    uint32_t counters, ctl, width, ctr, status, access, kind, id, position;
    uint64_t address;
};
struct table {
    uint32_t stride, n, access, status, statuses;
    uint64_t global;
    struct unit unit[256];
};

/* From the function to the table: extended capabilities from 100H, DVSEC with entry 1, base address register. */
static uint64_t table_of(struct uncore_rig *b, uint32_t id, uint32_t n)
{
    uint32_t at = find_function(b, id, 3, 1, n), capability = 0x100, bar;

    cr_assert_neq(at, NOWHERE);
    cr_expect(dword(b, at, 4) >> 20 & 1, "capability list");
    cr_expect_eq(dword(b, at, dword(b, at, 0x34) & 0xFC) & 0xFF, 0x10, "PCI Express, or there is no extended space");
    while (capability && !((dword(b, at, capability) & 0xFFFF) == 0x23 && (dword(b, at, capability + 8) & 0xFFFF) == 1))
        capability = dword(b, at, capability) >> 20;
    cr_assert(capability);
    cr_expect_eq(dword(b, at, capability + 4) & 0xFFFF, 0x8086);
    cr_expect_eq(dword(b, at, capability + 0xC) & ~7u, 0);
    bar = 0x10 + 4 * (dword(b, at, capability + 0xC) & 7);
    cr_expect_eq(dword(b, at, bar) & 0xF, 4, "64 bits, memory");
    cr_expect_eq(dword(b, at, bar + 4), 0, "PCM 202302 takes the low dword alone");
    return (uint64_t)dword(b, at, bar + 4) << 32 | (dword(b, at, bar) & ~15u);
}

static struct unit unit_at(struct uncore_rig *b, uint64_t at)
{
    return (struct unit){
        .counters = (uint32_t)bytes_at(b, at, 0, 0),
        .ctl = (uint32_t)bytes_at(b, at, 1, 1),
        .width = (uint32_t)bytes_at(b, at, 2, 2),
        .ctr = (uint32_t)bytes_at(b, at, 3, 3),
        .status = (uint32_t)bytes_at(b, at, 4, 4),
        .access = (uint32_t)bytes_at(b, at, 7, 7) >> 6,
        .address = bytes_at(b, at, 8, 15),
        .kind = (uint32_t)bytes_at(b, at, 16, 17),
        .id = (uint32_t)bytes_at(b, at, 18, 19),
        .position = (uint32_t)bytes_at(b, at, 20, 21),
    };
}

static const struct table *table_at(struct uncore_rig *b, uint64_t at)
{
    static struct table t;

    t.stride = (uint32_t)bytes_at(b, at, 1, 1);
    t.n = (uint32_t)bytes_at(b, at, 2, 3) & 0x3FF;
    t.access = (uint32_t)bytes_at(b, at, 7, 7) >> 6;
    t.global = bytes_at(b, at, 8, 15);
    t.status = (uint32_t)bytes_at(b, at, 16, 16);
    t.statuses = (uint32_t)bytes_at(b, at, 17, 18);
    cr_assert_lt(t.n, 256);
    for (uint32_t i = 0; i < t.n; i++)
        t.unit[i] = unit_at(b, at + (i + 1) * t.stride * 8);
    return &t;
}

static const struct table *read_table(struct uncore_rig *b, uint32_t package)
{
    return table_at(b, table_of(b, 0x09A7, package));
}

static uint32_t count_kind(const struct table *t, uint32_t kind)
{
    return HOW_MANY(i, t->n, t->unit[i].kind == kind);
}

/* Xeon Max: types 11 to 14 as well. Controls by memory: of HBM four bytes apart, of CXL eight; each has its clock. */
Test(spr, discovery_table_of_xeon_max_lists_hbm_cxl_and_mdf)
{
    static const uint32_t expected[] = { 10, 4, 4, 32 }; /* MDF, CXLCM, CXLDP, HBM */
    static const uint32_t clock[] = { 0, 0x0201, 0x0101, 0x0101 };
    static const uint64_t hz[] = { 0, UINT64_C(500000000), UINT64_C(2400000000), UINT64_C(2400000000) };
    struct uncore_rig b = uncore_rig_of("spr-hbm", 2, 1, NULL);
    const struct table *t = read_table(&b, 1);

    for (uint32_t kind = 11; kind < 15; kind++)
        cr_expect_eq(count_kind(t, kind), expected[kind - 11], "kind %u: %u", kind, count_kind(t, kind));
    for (uint32_t i = 0; i < t->n; i++)
        if (t->unit[i].kind >= 12 && t->unit[i].kind <= 14)
            set_mapped(&b, t->unit[i].address + t->unit[i].ctl, 4, clock[t->unit[i].kind - 11]);
    b.tsc += SECOND;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->unit[i].kind >= 12 && t->unit[i].kind <= 14)
            cr_expect_eq(mapped(&b, t->unit[i].address + t->unit[i].ctr, 8), hz[t->unit[i].kind - 11], "kind %u",
                         t->unit[i].kind);
}

#define KINDS 23u
/* Granite Rapids on: a table for each die, the n-th function leads to the n-th, and a PCI segment for each package. All tables of a
 * package list what it has once. */
Test(gnr, each_die_has_a_table_and_each_package_a_segment)
{
    static const struct {
        const char *profile;
        uint32_t dies, expected[KINDS];
    } parts[] = { { "gnr", 5, { 72, 12, 12, 0, 1, 1, 12, 0, 4, 0, 0, 6, 2, 2, 0, 2, 12, 2, 4, 0, 6, 2, 2 } },
                  { "srf", 3, { 36, 12, 12, 0, 1, 1, 8, 0, 4, 0, 0, 2, 2, 2, 0, 2, 8, 2, 4, 0, 2, 2, 2 } },
                  { "cwf", 5, { 72, 12, 12, 0, 1, 1, 12, 0, 4, 0, 0, 6, 2, 2, 0, 2, 12, 2, 4, 0, 6, 2, 2 } } };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        struct uncore_rig b = uncore_rig_of(parts[i].profile, 2, 1, NULL);

        cr_expect_eq(uncore_segments(b.m), 2);
        for (uint32_t p = 0; p < b.packages; p++) {
            uint32_t found[KINDS] = { 0 };
            bool seen[256] = { false };

            for (uint32_t die = 0; die < parts[i].dies; die++) {
                const struct table *t = read_table(&b, p * parts[i].dies + die);

                cr_expect_eq(find_function(&b, 0x09A7, 3, 1, p * parts[i].dies + die) >> 16, p);
                cr_expect_eq(t->global, 0x3FE0);
                for (uint32_t u = 0; u < t->n; u++) {
                    cr_assert_lt(t->unit[u].kind, KINDS);
                    found[t->unit[u].kind]++;
                    cr_assert_lt(t->unit[u].position, 64 * t->statuses);
                    cr_expect_not(seen[t->unit[u].position], "kind %u", t->unit[u].kind);
                    seen[t->unit[u].position] = true;
                    if (t->unit[u].access == 2)
                        cr_expect_eq(t->unit[u].address >> 28, p, "segment of kind %u", t->unit[u].kind);
                }
            }
            for (uint32_t kind = 0; kind < KINDS; kind++)
                cr_expect_eq(found[kind], parts[i].expected[kind], "%s: kind %u: %u", parts[i].profile, kind,
                             found[kind]);
            cr_expect_eq(msr(&b, p, 0x3FED), parts[i].expected[0]);
        }
        cr_expect_eq(find_function(&b, 0x09A7, 3, 1, 2 * parts[i].dies), NOWHERE);
    }
}

/* Grand Ridge (intel/pcm, GRR_*): one die, three stacks, the U-box at 3F50H; nothing of links, MDF, CXL and PCIe. */
Test(grr, one_table_lists_one_die)
{
    static const uint32_t expected[KINDS] = { 6, 3, 3, 0, 1, 1, 2, [16] = 2 };
    struct uncore_rig b = uncore_rig_of("grr", 1, 1, NULL);
    const struct table *t = read_table(&b, 0);
    uint32_t found[KINDS] = { 0 };

    for (uint32_t u = 0; u < t->n; u++) {
        cr_assert_lt(t->unit[u].kind, KINDS);
        found[t->unit[u].kind]++;
        if (t->unit[u].kind == 5)
            cr_expect(t->unit[u].address == 0x3F50 && t->unit[u].ctl == 2 && t->unit[u].ctr == 8);
        if (t->unit[u].kind == 1)
            cr_expect_eq((t->unit[u].address - 0x2900) % 0x10, 0);
    }
    for (uint32_t kind = 0; kind < KINDS; kind++)
        cr_expect_eq(found[kind], expected[kind], "kind %u: %u", kind, found[kind]);
    cr_expect_eq(find_function(&b, 0x09A7, 3, 1, 1), NOWHERE);
    set_msr(&b, 0, 0x3F5E, EN);
    set_msr(&b, 0, 0x2002, 0x01);
    set_msr(&b, 0, 0x2902, 0x01);
    b.tsc += SECOND;
    cr_expect_eq(msr(&b, 0, 0x3F5F), UINT64_C(2200000000));
    cr_expect_eq(msr(&b, 0, 0x2008), UINT64_C(2200000000));
    cr_expect_eq(msr(&b, 0, 0x2908), UINT64_C(500000000));
}

/* Units of CXL ports without a device store, and have no clock; PCIe units lie in root ports, with an empty bus of their
 * own below each. */
Test(gnr, units_without_a_device_are_still)
{
    struct uncore_rig b = uncore_rig_of("gnr", 1, 1, NULL);
    uint32_t buses[4], ports = 0;

    for (uint32_t die = 0; die < 5; die++) {
        const struct table *t = read_table(&b, die);

        for (uint32_t u = 0; u < t->n; u++) {
            uint64_t at = t->unit[u].address;
            uint32_t function = (uint32_t)(at >> 12) & 0xFFFF;

            if (t->unit[u].kind == 12 || t->unit[u].kind == 13 || t->unit[u].kind == 17) {
                set_mapped(&b, at + t->unit[u].ctl, 8, 0x0301);
                b.tsc += SECOND;
                cr_expect_eq(mapped(&b, at + t->unit[u].ctl, 8), 0x0301);
                cr_expect_eq(mapped(&b, at + t->unit[u].ctr, 8), 0);
            }
            if (t->unit[u].kind < 21)
                continue;
            cr_expect_eq(dword(&b, function, 0x08) >> 8, 0x060400);
            cr_expect_eq(dword(&b, function, 0x0C) >> 16 & 0x7F, 1);
            cr_assert_lt(ports, 4);
            buses[ports] = dword(&b, function, 0x18) >> 8 & 0xFF;
            for (uint32_t k = 0; k < ports; k++)
                cr_expect_neq(buses[k], buses[ports]);
            cr_expect_eq(dword(&b, buses[ports++] << 8, 0), UINT32_MAX);
        }
    }
    cr_expect_eq(ports, 4);
}

/* Sub-channels share a channel's lines, and an event counts one of them; in an E-core's request for data the opcode is another. */
Test(gnr, events_of_sub_channels_and_of_e_cores)
{
    static const struct {
        const char *profile;
        uint64_t data_read, other;
    } parts[] = { { "gnr", 0xC817FF, 0xC827FF }, { "srf", 0xC827FF, 0xC817FF } };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        struct uncore_rig b = uncore_rig_of(parts[i].profile, 1, 1, NULL);
        uint64_t channel = MODEL_MMIO_BASE + 0x24E800, sum[4] = { 0 };
        uint32_t channels = uncore_channels(b.m), slices = uncore_slices(b.m);

        for (uint32_t c = 0; c < channels; c++)
            for (uint32_t k = 0; k < 4; k++) /* reads and writes of sub-channel 0, then 1 */
                set_mapped(&b, channel + c * 0x4000 + 0x40 + 4 * k, 4, (k & 1 ? 0xF000 : 0xCF00) | (5 + k / 2));
        for (uint32_t s = 0; s < slices; s++) {
            set_msr(&b, 0, spr_cha(s) + 2, parts[i].data_read << 32 | 0x0135);
            set_msr(&b, 0, spr_cha(s) + 3, parts[i].other << 32 | 0x0135);
        }
        touch(&b, 0, 0, LINES, MODEL_LOAD);
        for (uint32_t c = 0; c < channels; c++)
            for (uint32_t k = 0; k < 4; k++)
                sum[k] += mapped(&b, channel + c * 0x4000 + 0x8 + 8 * k, 8);
        cr_expect_eq(sum[0] + sum[2], LINES, "%s: %llu and %llu", parts[i].profile, (unsigned long long)sum[0],
                     (unsigned long long)sum[2]);
        cr_expect(sum[0] >= sum[2] && sum[0] - sum[2] <= channels && sum[1] == 0 && sum[3] == 0);
        sum[0] = sum[1] = 0;
        for (uint32_t s = 0; s < slices; s++) {
            sum[0] += msr(&b, 0, spr_cha(s) + 8);
            sum[1] += msr(&b, 0, spr_cha(s) + 9);
        }
        cr_expect(sum[0] == LINES && sum[1] == 0, "%s: %llu and %llu", parts[i].profile, (unsigned long long)sum[0],
                  (unsigned long long)sum[1]);
    }
}

Test(spr, control_bits_that_exist_are_kept)
{
    struct uncore_rig b = uncore_rig_of("spr", 2, 1, NULL);

    set_msr(&b, 0, 0x2002, UINT64_MAX);
    cr_expect_eq(msr(&b, 0, 0x2002), BITS(63, 22) | BIT(20) | BIT(18) | BITS(16, 0));
    set_msr(&b, 0, 0x200E, UINT64_MAX);
    cr_expect_eq(msr(&b, 0, 0x200E), BITS(9, 0));
}

Test(spr, msrs_beside_the_boxes_raise_gp)
{
    struct uncore_rig b = uncore_rig_of("spr", 1, 1, NULL);

    cr_expect(!has_msr(&b, 0, spr_cha(44)));
    cr_expect(!has_msr(&b, 0, 0x3000 + 0x10 * 12));
    cr_expect(!has_msr(&b, 0, 0x3400 + 4), "an IRP has two counters");
    cr_expect(!has_msr(&b, 0, 0xE00), "where Skylake-SP has its CHAs");
}

/* Diamond Rapids (Linux dmr_*): tables of hubs by 8086:09A1, of the block by MSR 710H; no unit by MSR; the second hub's units
 * from 8000H on; all frozen at power-on, until bit 0 of a global control in memory is cleared. */
Test(dmr, tables_of_hubs_and_of_the_block)
{
    static const uint32_t in_block[] = { 31, 32, 33, 34, 36, 37, 38 };
    struct uncore_rig b = uncore_rig_of("dmr", 2, 1, NULL);

    for (uint32_t p = 0; p < b.packages; p++) {
        uint64_t channel = 0, global = 0;

        for (uint32_t hub = 0; hub < 3; hub++) {
            const struct table *t = table_at(&b, hub < 2 ? table_of(&b, 0x09A1, 2 * p + hub) : msr(&b, p, 0x710));

            cr_expect(t->access == 1 && t->n > 10, "package %u, table %u: access %u, %u units", p, hub, t->access,
                      t->n);
            for (uint32_t u = 0; u < t->n; u++) {
                bool block = false;

                for (uint32_t k = 0; k < sizeof in_block / sizeof in_block[0]; k++)
                    block |= t->unit[u].kind == in_block[k];
                cr_expect_eq(block, hub == 2, "kind %u in table %u", t->unit[u].kind, hub);
                cr_expect_neq(t->unit[u].access, 0);
                cr_expect_eq(t->unit[u].id >> 15, hub == 1, "kind %u: id %#x", t->unit[u].kind, t->unit[u].id);
                if (t->unit[u].kind == 6)
                    channel = t->unit[u].address;
            }
            if (hub < 2)
                cr_expect_eq(count_kind(t, 6), 8);
            global = t->global;
        }
        set_mapped(&b, channel + 0x10, 4, EN);
        b.tsc += SECOND;
        cr_expect_eq(mapped(&b, channel + 0x18, 8), 0, "frozen");
        cr_expect_eq(mapped(&b, global, 4), 1);
        set_mapped(&b, global, 4, 0);
        b.tsc += SECOND;
        cr_expect_eq(mapped(&b, channel + 0x18, 8), UINT64_C(2000000000));
    }
}
