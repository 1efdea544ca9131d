/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Discovery tables, read byte by byte; the monitors of Sapphire Rapids through them; and what can be wrong with where
 * units say they are, on every server part. */
#include "tests/support/uncore_rig.h"

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
static uint64_t table_of(struct uncore_rig *b, uint32_t package)
{
    uint32_t at = find_function(b, 0x09A7, 3, 1, package), capability = 0x100, bar;

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

static const struct table *read_table(struct uncore_rig *b, uint32_t package)
{
    static struct table t;
    uint64_t at = table_of(b, package);

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

static uint32_t count_kind(const struct table *t, uint32_t kind)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->n; i++)
        n += t->unit[i].kind == kind;
    return n;
}

/* D1, D2: as many of each kind as the part has, once each, in places of the right sort that do not overlap. */
Test(spr, discovery_table_lists_what_the_part_has)
{
    static const uint32_t expected[] = { 44, 12, 12, 12, 1, 0, 8, 4, 3, 3 };
    static const uint32_t access[] = { 0, 0, 0, 0, 0, 0, 1, 2, 2, 2 };

    for (size_t i = 0; i < 3; i++) {
        struct uncore_rig b = uncore_rig_of("spr", machines[i], 1, NULL);

        for (uint32_t p = 0; p < b.packages; p++) {
            const struct table *t = read_table(&b, p);

            cr_expect_geq(t->stride, 3);
            cr_expect_eq(t->access, 0);
            cr_expect_eq(t->global, 0x2FF0);
            cr_expect_eq(count_kind(t, 0), msr(&b, p, 0x2FFE));
            for (uint32_t kind = 0; kind < 10; kind++)
                cr_expect_eq(count_kind(t, kind), expected[kind], "kind %u: %u", kind, count_kind(t, kind));
            for (uint32_t u = 0; u < t->n; u++) {
                const struct unit *x = &t->unit[u];

                cr_assert_lt(x->kind, 10);
                cr_expect_eq(x->access, access[x->kind]);
                cr_expect_eq(x->width, 48);
                cr_expect_lt(x->position, 64 * t->statuses);
                cr_expect(x->ctl && x->ctr && x->status && x->ctl != x->ctr && x->status != x->ctl);
                for (uint32_t v = 0; v < u; v++)
                    cr_expect(t->unit[v].address != x->address && t->unit[v].position != x->position &&
                              (t->unit[v].kind != x->kind || t->unit[v].id != x->id));
            }
        }
        model_free(b.m);
    }
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
    model_free(b.m);
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
        model_free(b.m);
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
    model_free(b.m);
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
    model_free(b.m);
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
        model_free(b.m);
    }
}

/* Against the fixed addresses of intel/pcm and Linux. */
Test(spr, discovery_table_agrees_with_the_fixed_addresses)
{
    struct uncore_rig b = uncore_rig_of("spr", 2, 1, NULL);

    for (uint32_t p = 0; p < 2; p++) {
        const struct table *t = read_table(&b, p);
        uint64_t ubox_bus = find_function(&b, 0x3250, 0, 0, p) >> 8;

        for (uint32_t u = 0; u < t->n; u++) {
            const struct unit *x = &t->unit[u];
            uint64_t devices[] = { [7] = 12, [8] = 1, [9] = 5 }, box[] = { [7] = 0x438, [8] = 0x318, [9] = 0xA0 };

            if (x->kind == 0)
                cr_expect(x->address == spr_cha(x->id) && x->ctl == 2 && x->ctr == 8 && x->counters == 4);
            if (x->kind == 1)
                cr_expect(x->address == 0x3000 + 0x10 * x->id && x->ctl == 2 && x->ctr == 8);
            if (x->kind == 2)
                cr_expect(x->address == 0x3400 + 0x10 * x->id && x->ctl == 2 && x->ctr == 8);
            if (x->kind == 6)
                cr_expect(x->address == channel_of(&b, 0x3251, p, x->id) && x->ctl == 0x40 && x->ctr == 8);
            if (x->kind >= 7)
                cr_expect_eq(x->address, ubox_bus << 20 | (devices[x->kind] + x->id) << 15 |
                                             (x->kind == 7 ? UINT64_C(0) : UINT64_C(1)) << 12 | box[x->kind]);
            if (x->kind == 8)
                cr_expect(x->ctl == 0x350 - 0x318 && x->ctr == 0x320 - 0x318);
        }
    }
    model_free(b.m);
}

/* A register of a unit, by what the table says of it. */
static uint64_t unit_read(struct uncore_rig *b, uint32_t package, const struct unit *x, uint32_t offset)
{
    if (x->access == 0)
        return msr(b, package, (uint32_t)x->address + offset);
    if (x->access == 1)
        return mapped(b, x->address + offset, offset < 0x40 && offset ? 8 : 4);
    return qword(b, (uint32_t)(x->address >> 12 & 0xFFFF), (uint32_t)(x->address & 0xFFF) + offset);
}

static void unit_write(struct uncore_rig *b, uint32_t package, const struct unit *x, uint32_t offset, uint64_t value)
{
    if (x->access == 0)
        set_msr(b, package, (uint32_t)x->address + offset, value);
    else if (x->access == 1)
        set_mapped(b, x->address + offset, 4, value);
    else
        set_dword(b, (uint32_t)(x->address >> 12 & 0xFFFF), (uint32_t)(x->address & 0xFFF) + offset, (uint32_t)value);
}

/* D3, E4, F1, R1, R2: each unit through the table: 300H resets, 1 freezes, 0 runs; bit 22 is not needed. */
Test(spr, every_unit_of_the_table_counts_freezes_and_resets)
{
    struct uncore_rig b = uncore_rig_of("spr", 2, 1, NULL);
    static const uint64_t hz[] = { 2400, 500, 500, 2400, 1000, 0, 2400, 2400, 2000, 2400 };

    for (uint32_t p = 0; p < 2; p++) {
        const struct table *t = read_table(&b, p);

        for (uint32_t u = 0; u < t->n; u++) {
            const struct unit *x = &t->unit[u];
            uint64_t clock = x->kind == 6 ? 0x101 : 0x001;

            unit_write(&b, p, x, 0, 0x300);
            unit_write(&b, p, x, 0, 1);
            unit_write(&b, p, x, x->ctl, clock);
            cr_expect_eq(unit_read(&b, p, x, 0) & UINT32_MAX, 1);
            b.tsc += 24000;
            cr_expect_eq(unit_read(&b, p, x, x->ctr), 0, "frozen");
            unit_write(&b, p, x, 0, 0);
            b.tsc += 24000;
            cr_expect_eq(unit_read(&b, p, x, x->ctr), hz[x->kind] * 10, "kind %u id %u: %lu", x->kind, x->id,
                         unit_read(&b, p, x, x->ctr));
            unit_write(&b, p, x, 0, 0x201);
            cr_expect_eq(unit_read(&b, p, x, x->ctr), 0);
            cr_expect_eq(unit_read(&b, p, x, x->ctl) & UINT32_MAX, clock);
            unit_write(&b, p, x, 0, 0x101);
            cr_expect_eq(unit_read(&b, p, x, x->ctl) & UINT32_MAX, 0);
        }
    }
    model_free(b.m);
}

/* The bit of a unit in the global status is the one that the table names. */
Test(spr, overflow_shows_at_the_unit_and_at_its_place_in_the_global_status)
{
    struct uncore_rig b = uncore_rig_of("spr", 1, 1, NULL);
    const struct table *t = read_table(&b, 0);

    for (uint32_t u = 0; u < t->n; u += 7) {
        const struct unit *x = &t->unit[u];
        uint32_t global = (uint32_t)t->global + t->status;

        if (x->access != 0)
            continue;
        unit_write(&b, 0, x, x->ctr + 1, BIT(48) - 10);
        unit_write(&b, 0, x, x->ctl + 1, 0x001 | BIT(20));
        b.tsc += 100000;
        cr_expect_eq(unit_read(&b, 0, x, x->status), 2);
        cr_expect_eq(msr(&b, 0, global + x->position / 64), BIT(x->position % 64));
        unit_write(&b, 0, x, x->status, 2);
        set_msr(&b, 0, global + x->position / 64, BIT(x->position % 64));
        cr_expect_eq(msr(&b, 0, (uint32_t)t->global), 1, "frozen");
        set_msr(&b, 0, (uint32_t)t->global, 0);
        cr_expect_eq(unit_read(&b, 0, x, x->status), 0);
        cr_expect_eq(msr(&b, 0, global + x->position / 64), 0);
    }
    model_free(b.m);
}

Test(spr, global_control_freezes_everything_but_free_running_counters)
{
    struct uncore_rig b = uncore_rig_of("spr", 1, 1, NULL);
    uint64_t at = channel_of(&b, 0x3251, 0, 7);

    set_msr(&b, 0, 0x2FDE, EN);
    set_msr(&b, 0, 0x2002, 1);
    set_mapped(&b, at + 0x54, 4, EN);
    set_msr(&b, 0, 0x2FF0, 1);
    b.tsc += SECOND;
    cr_expect_eq(msr(&b, 0, 0x2FDF) + msr(&b, 0, 0x2008) + mapped(&b, at + 0x38, 8), 0);
    cr_expect_geq(msr(&b, 0, 0x340E), 500000000);
    cr_expect_geq(mapped(&b, at - 0x4000 - 0x22800 + 0x22B0, 8), 2400000000);
    set_msr(&b, 0, 0x2FF0, 0);
    b.tsc += SECOND;
    cr_expect_eq(msr(&b, 0, 0x2FDF), 2400000000);
    cr_expect_eq(msr(&b, 0, 0x2008), 2400000000);
    cr_expect_eq(mapped(&b, at + 0x38, 8), 2400000000);
    model_free(b.m);
}

/* CAS_COUNT: CFH reads, F0H writes, FFH all, 40H and 80H the pseudo channels, C1H regular reads, C4H underfills. */
Test(spr, cas_is_what_moved)
{
    static const uint64_t umask[][4] = { { 0xCF, 0xF0, 0xFF, 0xC4 }, { 0x40, 0x80, 0xC1, 0xFF } };

    for (size_t i = 0; i < 3; i++)
        for (int set = 0; set < 2; set++) {
            struct uncore_rig b = uncore_rig_of("spr", machines[i], set ? 4 : 1, NULL);
            uint32_t last = b.packages - 1;
            uint64_t sum[4] = { 0 };

            for (uint32_t c = 0; c < 8; c++)
                for (uint32_t k = 0; k < 4; k++)
                    set_mapped(&b, channel_of(&b, 0x3251, last, c) + 0x40 + 4 * k, 4, 0x05 | umask[set][k] << 8);
            for (uint32_t n = 0; n < b.clusters; n++) {
                touch(&b, 0, last * b.clusters + n, LINES, MODEL_LOAD);
                touch(&b, cpu_on(&b, last), last * b.clusters + n, LINES / 2, MODEL_NT_STORE);
            }
            b.tsc += 1000000;
            for (uint32_t c = 0; c < 8; c++)
                for (uint32_t k = 0; k < 4; k++)
                    sum[k] += mapped(&b, channel_of(&b, 0x3251, last, c) + 8 + 8 * k, 8);
            if (set == 0) {
                cr_expect_eq(sum[0], LINES);
                cr_expect_eq(sum[1], LINES / 2);
                cr_expect_eq(sum[2], LINES + LINES / 2);
                cr_expect_eq(sum[3], 0);
            } else {
                cr_expect_eq(sum[0] + sum[1], sum[3]);
                cr_expect(sum[0] >= sum[1] && sum[0] - sum[1] <= 16, "taking turns");
                cr_expect_eq(sum[2], 4 * LINES);
            }
            model_free(b.m);
        }
}

Test(spr, tor_follows_the_extension_and_a_cha_keeps_all_of_it)
{
    struct uncore_rig b = uncore_rig_of("spr", 2, 1, NULL);

    program_chas(&b, 0, spr_cha, 2, 0x0135 | UINT64_C(0xC816FE) << 32);
    program_chas(&b, 0, spr_cha, 3, 0x0135 | UINT64_C(0xC8177E) << 32);
    program_chas(&b, 0, spr_cha, 4, 0x0135 | UINT64_C(0xC001FD) << 32);
    touch(&b, 0, 0, 300, MODEL_LOAD);
    touch(&b, 0, 1, 200, MODEL_LOAD);
    b.tsc += 1000000;
    cr_expect_eq(sum_of_chas(&b, 0, spr_cha, 8), 300);
    cr_expect_eq(sum_of_chas(&b, 0, spr_cha, 9), 200);
    cr_expect_eq(sum_of_chas(&b, 0, spr_cha, 10), 0);
    set_msr(&b, 0, 0x2002, UINT64_MAX);
    cr_expect_eq(msr(&b, 0, 0x2002), BITS(63, 22) | BIT(20) | BIT(18) | BITS(16, 0));
    set_msr(&b, 0, 0x200E, UINT64_MAX);
    cr_expect_eq(msr(&b, 0, 0x200E), BITS(9, 0));
    model_free(b.m);
}

Test(spr, msrs_beside_the_boxes_raise_gp)
{
    struct uncore_rig b = uncore_rig_of("spr", 1, 1, NULL);

    cr_expect(!has_msr(&b, 0, spr_cha(44)));
    cr_expect(!has_msr(&b, 0, 0x3000 + 0x10 * 12));
    cr_expect(!has_msr(&b, 0, 0x3400 + 4), "an IRP has two counters");
    cr_expect(!has_msr(&b, 0, 0xE00), "where Skylake-SP has its CHAs");
    model_free(b.m);
}

/* --- faults: how units say where they are and how many */

static struct table table_with(const char *fault)
{
    struct uncore_rig b = uncore_rig_of("spr", 1, 1, fault);
    struct table t = *read_table(&b, 0);

    model_free(b.m);
    return t;
}

/* The unit of a kind with an id; NULL: none. */
static const struct unit *unit_of(const struct table *t, uint32_t kind, uint32_t id)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->unit[i].kind == kind && t->unit[i].id == id)
            return &t->unit[i];
    return NULL;
}

Test(places, discovery_tables_go_wrong_in_the_ways_that_were_seen)
{
    struct table good = table_with(NULL), t;

    t = table_with("discovery-upi-missing");
    cr_expect_eq(count_kind(&t, 8), 2);
    cr_expect_eq(t.n, good.n - 1);
    t = table_with("discovery-cha-missing");
    cr_expect_eq(count_kind(&t, 0), 43);
    t = table_with("discovery-no-units");
    cr_expect_eq(t.n, 0);
    t = table_with("discovery-duplicate-id");
    cr_expect_null(unit_of(&t, 0, 43));
    cr_expect_eq(count_kind(&t, 0), 44);
    t = table_with("discovery-width");
    cr_expect_eq(unit_of(&t, 6, 0)->width, 32);
    cr_expect_eq(unit_of(&t, 0, 0)->width, 48);
    t = table_with("discovery-width:47");
    cr_expect_eq(unit_of(&t, 6, 7)->width, 47);
    t = table_with("discovery-access");
    cr_expect_eq(unit_of(&t, 7, 0)->access, 1);
    t = table_with("discovery-global");
    cr_expect_neq(t.global, 0x2FF0);
    t = table_with("discovery-stride");
    cr_expect_eq(t.stride, good.stride + 1);
    cr_expect_neq(t.unit[1].address, good.unit[1].address, "whoever believes it reads between entries");
}

Test(places, phantoms_and_dead_units_read_all_ones)
{
    struct uncore_rig b = uncore_rig_of("spr", 1, 1, "discovery-phantom-channel");
    const struct unit *x = unit_of(read_table(&b, 0), 6, 8);

    cr_assert(x, "a ninth channel is listed");
    for (uint32_t offset = 0; offset < 0x60; offset += 4)
        cr_expect_eq(mapped(&b, x->address + offset, 4), UINT32_MAX);
    model_free(b.m);

    b = uncore_rig_of("spr", 1, 1, "discovery-upi-address");
    x = unit_of(read_table(&b, 0), 8, 0);
    cr_expect_eq(dword(&b, (uint32_t)(x->address >> 12 & 0xFFFF), 0), UINT32_MAX, "no function there");
    cr_expect_neq(find_function(&b, 0x3241, 1, 1, 0), NOWHERE, "it is where it always is");
    model_free(b.m);

    b = uncore_rig_of("icx", 1, 1, "mmio-all-ones:3");
    set_mapped(&b, channel_of(&b, 0x3451, 0, 3), 4, 0);
    cr_expect_eq(mapped(&b, channel_of(&b, 0x3451, 0, 3), 4), UINT32_MAX);
    cr_expect_eq(mapped(&b, channel_of(&b, 0x3451, 0, 2), 4), 0);
    model_free(b.m);

    b = uncore_rig_of("icx", 1, 1, "mem-bar-zero");
    cr_expect_eq(dword(&b, find_function(&b, 0x3451, 0, 1, 0), 0xE4), 0);
    cr_expect_neq(dword(&b, find_function(&b, 0x3451, 0, 1, 0), 0xE0), 0);
    model_free(b.m);
}

Test(places, counts_and_nodes_that_disagree)
{
    struct uncore_rig b = uncore_rig_of("spr", 2, 1, "cha-count");

    cr_expect_eq(msr(&b, 1, 0x2FFE), 43);
    cr_expect_eq(count_kind(read_table(&b, 1), 0), 44);
    model_free(b.m);

    b = uncore_rig_of("skx", 2, 1, "cha-count");
    cr_expect_eq(msr(&b, 1, 0x702), 23);
    cr_expect_eq(__builtin_popcount(dword(&b, find_function(&b, 0x2083, 30, 3, 1), 0x9C)), 24);
    model_free(b.m);

    b = uncore_rig_of("skx", 2, 1, "node-id-same");
    cr_expect_eq(dword(&b, find_function(&b, 0x2014, 8, 0, 1), 0xC0), 0);
    model_free(b.m);

    b = uncore_rig_of("skx", 2, 1, "bus-numbers-invalid");
    cr_expect_eq(msr(&b, 0, 0x300) >> 63, 0);
    model_free(b.m);

    b = uncore_rig_of("spr", 2, 1, "discovery-hidden");
    cr_expect_eq(find_function(&b, 0x09A7, 3, 1, 0), NOWHERE);
    model_free(b.m);

    b = uncore_rig_of("spr", 2, 1, "discovery-bar-zero");
    cr_expect_eq(dword(&b, find_function(&b, 0x09A7, 3, 1, 0), 0x10) & ~15u, 0);
    cr_expect_eq(dword(&b, find_function(&b, 0x09A7, 3, 1, 0), 0x14), 0);
    model_free(b.m);
}
