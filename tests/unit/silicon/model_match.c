/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Requests that home agents match by address and opcode, and packets that links match, against 327043-001 (tables 2-37 to
 * 2-39 and 2-88 to 2-91, 2.10), 329468-002 (tables 2-42 to 2-44) and the public event files. */
#include "tests/support/uncore_rig.h"

#define RD_DATA    0x02u
#define RD_INV_OWN 0x04u
#define HOM1_DATA  0x12u

static const struct {
    const char *profile;
    uint32_t ha;     /* device id at 14.1 or 18.1 */
    uint32_t device; /* of it                     */
    uint32_t qpi, filter, filter_device;
    bool by_one; /* ADDR and OPC alone are events too */
} parts[] = { { "snbep", 0x3C46, 14, 0x3C41, 0x3C86, 8, false },
              { "ivbep", 0x0E30, 14, 0x0E32, 0x0E86, 8, true },
              { "hsx", 0x2F30, 18, 0x2F32, 0x2F86, 8, true },
              { "bdx", 0x6F30, 18, 0x6F32, 0x6F86, 8, true } };

static uint64_t lone_line(uint32_t node)
{
    return GB(node) + (900u << 20) + 0x40;
}

/* One line of a node, and `others` more, read or stored to. */
static void ask(struct uncore_rig *b, uint32_t cpu, uint32_t node, uint32_t others, enum model_kind kind)
{
    model_access(b->m, cpu, lone_line(node), 8, kind);
    touch(b, cpu, node, others, kind);
}

Test(home, knows_requests_of_the_other_package_and_other_opcodes)
{
    struct uncore_rig b = uncore_rig_of("ivbep", 2, 1, NULL);
    uint32_t ha = find_function(&b, 0x0E30, 14, 1, 0);

    set_dword(&b, ha, 0x40, (uint32_t)lone_line(0));
    set_dword(&b, ha, 0x48, RD_INV_OWN);
    set_dword(&b, ha, 0xD8, 0x0320 | EN);
    set_dword(&b, ha, 0xDC, 0x0220 | EN);
    ask(&b, cpu_on(&b, 1), 0, 20, MODEL_STORE);
    touch(&b, 0, 0, 30, MODEL_LOAD);
    touch(&b, 0, 1, 30, MODEL_STORE);
    cr_expect_eq(qword(&b, ha, 0xA0), 1);
    cr_expect_eq(qword(&b, ha, 0xA8), 21, "what the loads and the other home got is not among them");
    set_dword(&b, ha, 0x48, HOM1_DATA);
    ask(&b, 0, 0, 20, MODEL_LOAD);
    cr_expect_eq(qword(&b, ha, 0xA8), 21, "a request is of class HOM0");
    set_dword(&b, ha, 0x48, RD_DATA);
    cr_expect_eq(qword(&b, ha, 0xA8), 21, "a match counts from its write on");
    model_free(b.m);
}

/* Match and mask of what the first port receives. */
static void match(struct uncore_rig *b, size_t part, uint32_t package, uint32_t value, uint32_t mask)
{
    uint32_t at = find_function(b, parts[part].filter, parts[part].filter_device, 6, package);

    cr_assert_neq(at, NOWHERE);
    set_dword(b, at, 0x228, value);
    set_dword(b, at, 0x238, mask);
}

#define ANY_DATAC 0x1C00u /* table 2-92 and its like: DRS.AnyDataC with mask 1F80H */

/* 17:13 destination, 19:16 of the second register the state of data: E. */
Test(links, match_destination_and_state)
{
    struct uncore_rig b = uncore_rig_of("bdx", 2, 1, NULL);
    uint32_t port = find_function(&b, 0x6F32, 8, 2, 1), filter = find_function(&b, 0x6F86, 8, 6, 1);

    set_dword(&b, port, 0xD8, 0x38 | BIT(21) | EN);
    match(&b, 3, 1, ANY_DATAC | 1u << 13, 0x1F80 | BITS(17, 13));
    touch(&b, cpu_on(&b, 1), 0, LINES, MODEL_LOAD);
    cr_expect_eq(qword(&b, port, 0xA0), LINES / 2);
    match(&b, 3, 1, ANY_DATAC, 0x1F80 | BITS(17, 13));
    touch(&b, cpu_on(&b, 1), 0, LINES, MODEL_LOAD);
    cr_expect_eq(qword(&b, port, 0xA0), LINES / 2, "they are for node 1");
    match(&b, 3, 1, ANY_DATAC, 0x1F80);
    set_dword(&b, filter, 0x22C, 8u << 16);
    set_dword(&b, filter, 0x23C, BITS(19, 16));
    touch(&b, cpu_on(&b, 1), 0, LINES, MODEL_LOAD);
    cr_expect_eq(qword(&b, port, 0xA0), LINES / 2, "none comes modified");
    set_dword(&b, filter, 0x22C, 4u << 16);
    touch(&b, cpu_on(&b, 1), 0, LINES, MODEL_LOAD);
    cr_expect_eq(qword(&b, port, 0xA0), LINES);
    model_free(b.m);
}

/* Event files, UNC_UPI_RxL_BASIC_HDR_MATCH (05H) and TxL (04H): REQ 08H, RSP_DATA 0CH, WB 0DH. */
static const struct {
    const char *profile;
    uint32_t did, device, function, ctl, ctr;
} upis[] = { { "skx", 0x2058, 14, 0, 0x350, 0x318 }, { "icx", 0x3441, 2, 1, 0x350, 0x320 } };

Test(links, count_headers_by_message_class)
{
    for (size_t i = 0; i < sizeof upis / sizeof upis[0]; i++) {
        struct uncore_rig b = uncore_rig_of(upis[i].profile, 2, 1, NULL);
        uint32_t reader = find_function(&b, upis[i].did, upis[i].device, upis[i].function, 1);
        static const uint32_t events[] = { 0x0C05, 0x0804, 0x0D04, 0x0905 };

        cr_assert_neq(reader, NOWHERE);
        for (uint32_t k = 0; k < 4; k++)
            set_dword(&b, reader, upis[i].ctl + 8 * k, events[k] | EN);
        touch(&b, cpu_on(&b, 1), 0, LINES, MODEL_LOAD);
        touch(&b, cpu_on(&b, 1), 0, LINES / 2, MODEL_NT_STORE);
        cr_expect_eq(qword(&b, reader, upis[i].ctr), LINES / 3, "%s: of three links", upis[i].profile);
        cr_expect_eq(qword(&b, reader, upis[i].ctr + 8), LINES / 3, "%s", upis[i].profile);
        cr_expect_eq(qword(&b, reader, upis[i].ctr + 16), LINES / 6, "%s", upis[i].profile);
        cr_expect_eq(qword(&b, reader, upis[i].ctr + 24), 0, "%s: no snoops", upis[i].profile);
        model_free(b.m);
    }
}
