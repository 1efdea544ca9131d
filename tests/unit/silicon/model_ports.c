/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A device behind a root port of an I/O stack, and what the stack's monitor counts of the requests for it: Linux
 * uncore_snbep.c (fields of the controls), intel/pcm (stacks and ports), Intel's event files. */
#include "tests/support/uncore_rig.h"

#define READS  37u
#define CFG    (0x40C1u | EN) /* TXN_REQ_BY_CPU.CFG_READ */
#define WRITES (0x10C1u | EN) /* TXN_REQ_BY_CPU.CFG_WRITE */
#define DATA   (0x40C0u | EN) /* DATA_REQ_BY_CPU.CFG_READ */

/* A part, where box n of its IIO is (0: it has fewer), the box and port of its device, and the places of the masks. */
static const struct port_part {
    const char *profile;
    uint32_t boxes[6], box, port, root_device, channels, channel_bits, class_bit;
} parts[] = {
    { "skx", { 0xA40, 0xA60, 0xA80, 0xAA0, 0xAC0, 0xAE0 }, 3, 2, 2, 36, 8, 44 },
    { "clx", { 0xA40, 0xA60, 0xA80, 0xAA0, 0xAC0, 0xAE0 }, 3, 2, 2, 36, 8, 44 },
    { "icx", { 0xA50, 0xA70, 0xA90, 0xAE0, 0xB00, 0xB20 }, 1, 3, 5, 36, 12, 48 },
    { "icx-d", { 0xA50, 0xA70, 0xA90, 0xAE0, 0xB00, 0xB20 }, 1, 3, 5, 36, 12, 48 },
    { "snr", { 0x1E00, 0x1E10, 0x1E20, 0x1E30, 0x1E40, 0 }, 4, 4, 4, 36, 12, 48 },
};
#define PARTS (sizeof parts / sizeof parts[0])

/* The function behind the root port, as the bridge's bus numbers lead to it. */
static uint32_t behind(struct uncore_rig *b, const struct port_part *part, uint32_t package, uint32_t *root)
{
    for (uint32_t bus = 0x10; bus < 256; bus++) {
        uint32_t at = bus << 8 | part->root_device << 3, buses;

        if (!model_pci_bus(b->m, bus) || dword(b, at, 8) >> 8 != 0x060400 || package-- != 0)
            continue;
        buses = dword(b, at, 0x18);
        cr_expect_eq(dword(b, at, 0xC) >> 16 & 0x7F, 1, "a bridge's header");
        cr_expect_eq(buses & 0xFF, bus);
        cr_expect_eq(buses >> 16 & 0xFF, buses >> 8 & 0xFF);
        *root = at;
        return buses & 0xFF00;
    }
    cr_assert_fail("%s: no root port", part->profile);
    return NOWHERE;
}

static void send(struct uncore_rig *b, uint32_t at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        (void)dword(b, at, 0);
}

static void select_config(struct uncore_rig *b, const struct port_part *part, uint32_t package, uint32_t box,
                          uint32_t counter, uint64_t event, uint64_t channels, uint64_t classes)
{
    set_msr(b, package, part->boxes[box] + 8 + counter,
            event | BIT(17) | channels << part->channels | classes << part->class_bit);
}

static uint64_t counted(struct uncore_rig *b, const struct port_part *part, uint32_t package, uint32_t box,
                        uint32_t counter)
{
    return msr(b, package, part->boxes[box] + 1 + counter);
}

Test(ports, a_request_passes_its_port_and_the_class_of_requests_that_are_answered)
{
    for (size_t k = 0; k < PARTS; k++) {
        const struct port_part *part = &parts[k];
        struct uncore_rig b = uncore_rig_of(part->profile, 1, 1, NULL);
        uint32_t root, at = behind(&b, part, 0, &root);

        for (uint32_t bit = 0; bit < part->channel_bits; bit++) {
            select_config(&b, part, 0, part->box, 1, CFG, BIT(bit), 7);
            send(&b, at, READS);
            cr_expect_eq(counted(&b, part, 0, part->box, 1), bit == part->port ? READS : 0, "%s: ch_mask bit %u",
                         part->profile, bit);
        }
        for (uint32_t bit = 0; bit < 3; bit++) {
            select_config(&b, part, 0, part->box, 1, CFG, 0xFF, BIT(bit));
            send(&b, at, READS);
            cr_expect_eq(counted(&b, part, 0, part->box, 1), bit == 1 ? READS : 0, "%s: fc_mask bit %u", part->profile,
                         bit);
        }
        model_free(b.m);
    }
}

Test(ports, data_is_counted_by_counters_2_and_3_and_writes_are_no_reads)
{
    struct uncore_rig b = uncore_rig_of("skx", 1, 1, NULL);
    const struct port_part *part = &parts[0];
    uint32_t root, at = behind(&b, part, 0, &root);

    for (uint32_t counter = 0; counter < 4; counter++)
        select_config(&b, part, 0, part->box, counter, DATA, 0xFF, 7);
    send(&b, at, READS);
    set_dword(&b, at, 4, 0);
    for (uint32_t counter = 0; counter < 4; counter++)
        cr_expect_eq(counted(&b, part, 0, part->box, counter), counter >= 2 ? READS : 0);
    select_config(&b, part, 0, part->box, 0, WRITES, 0xFF, 7);
    select_config(&b, part, 0, part->box, 1, CFG, 0xFF, 7);
    set_dword(&b, at, 4, 0);
    cr_expect_eq(counted(&b, part, 0, part->box, 0), 1);
    cr_expect_eq(counted(&b, part, 0, part->box, 1), 0);
    model_free(b.m);
}

/* MSR 300H: byte n is the root bus of stack n (Linux skx_iio_stack()), and the bus below a port is none of them. Ice
 * Lake-SP: 8086:09A2, dword 3F4H bits 6:4 (Linux sad_cfg_iio_topology()), stack 2 is box 1. */
Test(ports, the_root_bus_is_that_of_the_stack_that_counts)
{
    struct uncore_rig b = uncore_rig_of("skx", 2, 1, NULL);

    for (uint32_t p = 0; p < 2; p++) {
        uint32_t root, at = behind(&b, &parts[0], p, &root);
        uint64_t buses = msr(&b, p, 0x300);

        cr_expect_eq(buses >> 8 * parts[0].box & 0xFF, root >> 8);
        for (uint32_t n = 0; n < 6; n++)
            cr_expect_neq(buses >> 8 * n & 0xFF, at >> 8);
    }
    model_free(b.m);
    b = uncore_rig_of("icx", 2, 1, NULL);
    for (uint32_t p = 0; p < 2; p++) {
        uint32_t root, at = behind(&b, &parts[2], p, &root), stack = root & 0xFF00;

        cr_expect_eq(dword(&b, stack, 0), 0x09A28086);
        cr_expect_eq(dword(&b, stack, 0x3F4), 2u << 4 | p);
        cr_expect_gt(at, root);
    }
    model_free(b.m);
}
