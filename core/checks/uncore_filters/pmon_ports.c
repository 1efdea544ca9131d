/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Selection of the requests of an I/O stack by port and by flow class: ch_mask and fc_mask. Witness: a known number of
 * configuration reads of a function below a root port, which pass through one port of one stack of the machine. */
#include "core/base/bits.h"
#include "core/base/text.h"
#include "core/uncore/pmon_session.h"

#define SOURCE                                                                                                         \
    "published event files of Skylake-SP, Cascade Lake-SP and Ice Lake-SP, UNC_IIO_TXN_REQ_BY_CPU.CFG_READ and "       \
    "UNC_IIO_DATA_REQ_BY_CPU.CFG_READ by port (PortMask, FCMask); Linux uncore_snbep.c (ch_mask, fc_mask); intel/pcm " \
    "pcm-iio-topology.cpp (ports of root ports)"

#define READS       512u
#define LITTLE      64u /* of others' requests in a window, or of what does not pass a mask */
#define MOST_PORTS  8u
#define READ_EVENT  "config_reads"
#define DWORD_EVENT "config_read_dwords"
#define ALL_BITS    UINT32_MAX

enum { ALL, SECOND, DATA, FOURTH, COUNTERS }; /* counter 0: through every port, of every class; DATA can count data */
#define SINGLE (COUNTERS - 1)                 /* bits of a mask that a window tries, each on a counter of its own */

/* PCI Local Bus Specification 3.0, 6.2.1; PCI-to-PCI Bridge Architecture Specification 1.2, 3.2.4.6 and 3.2.5.3. */
#define DEVICE_ID       BITS(31, 16)
#define PCI_CLASS       0x08u
#define CLASS_OF        BITS(31, 16)
#define CLASS_BRIDGE    0x0604u
#define PCI_HEADER      0x0Cu
#define HEADER_TYPE     BITS(22, 16)
#define PCI_BUSES       0x18u
#define BUSES_SECONDARY BITS(15, 8)

struct port {
    struct pci_address root, behind;
    uint32_t number; /* as ch_mask counts ports */
    char name[64];
};

static bool counts_requests(const struct pmon_unit *unit)
{
    return pmon_session_clocked(unit) && unit->layout->counters >= COUNTERS && unit->layout->control->ch_mask &&
           unit->layout->control->fc_mask && pmon_event_named(unit, READ_EVENT);
}

/* --- where requests can be sent ----------------------------------------------------------------------------------- */

static uint32_t dword_of(struct platform *p, struct pci_address at, uint32_t offset)
{
    uint32_t value = UINT32_MAX; /* as an absent function reads */

    return pci_read(p, at, offset, 4, &value) == ST_OK ? value : UINT32_MAX;
}

/* Whether a function is a root port of a stack with something at the other end of its link. */
static bool port_of(struct check *c, const struct pci_function *fn, struct port *port)
{
    const struct pmon_ports *ports = &c->tools->pmon.part->ports;
    uint32_t at = (uint32_t)fn->at.device - ports->first_device, number = ports->did ? ports->number : at, bus;

    if (fn->at.function != 0 || at >= ports->n ||
        (ports->did && field_get(DEVICE_ID, dword_of(c->platform, fn->at, 0)) != ports->did) ||
        field_get(CLASS_OF, dword_of(c->platform, fn->at, PCI_CLASS)) != CLASS_BRIDGE ||
        field_get(HEADER_TYPE, dword_of(c->platform, fn->at, PCI_HEADER)) != 1)
        return false;
    bus = (uint32_t)field_get(BUSES_SECONDARY, dword_of(c->platform, fn->at, PCI_BUSES));
    *port = (struct port){ .root = fn->at, .number = number };
    port->behind = (struct pci_address){ .segment = fn->at.segment, .bus = (uint8_t)bus };
    text_format(port->name, sizeof port->name, "device %02x:00.0 behind root port %02x:%02x.0", bus, fn->at.bus,
                fn->at.device);
    return bus > fn->at.bus && dword_of(c->platform, port->behind, 0) != UINT32_MAX;
}

static uint32_t find_ports(struct check *c, struct port ports[MOST_PORTS])
{
    const struct pmon *pmon = &c->tools->pmon;
    uint32_t n = 0;

    for (uint32_t i = 0; i < pmon->n_functions && n < MOST_PORTS; i++)
        n += port_of(c, &pmon->functions[i], &ports[n]);
    return n;
}

/* --- one window --------------------------------------------------------------------------------------------------- */

static void select_requests(struct pmon_session_box *b, uint32_t counter, const char *name, uint32_t ports,
                            uint32_t classes)
{
    const struct pmon_named *named = pmon_event_named(b->unit, name);
    const struct pmon_control *f = b->unit->layout->control;
    struct pmon_event event = { .ev_sel = named->ev_sel,
                                .umask = named->umask,
                                .extra = field_put(f->ch_mask, ports & field_get(f->ch_mask, f->ch_mask)) |
                                         field_put(f->fc_mask, classes & field_get(f->fc_mask, f->fc_mask)),
                                .enable = true };

    if (pmon_encode(b->unit, &event, &b->ctl[counter]) != ST_OK)
        b->ctl[counter] = 0;
}

static enum status read_window(struct pmon_session *session, const struct port *port)
{
    enum status st = ST_OK;

    pmon_session_program(session);
    pmon_session_run(session);
    for (uint32_t i = 0; i < READS && st == ST_OK; i++) {
        uint32_t id = 0;

        st = pci_read(session->check->platform, port->behind, 0, 4, &id);
    }
    pmon_session_stop(session);
    pmon_session_fetch(session);
    return st == ST_OK ? ST_OK : check_unmeasured(session->check, st, session->check->platform->bsp, port->name);
}

/* --- judging ------------------------------------------------------------------------------------------------------ */

/* A counter of the port's stack counts all of the reads, or none. */
static bool judge_count(struct pmon_session *session, const struct pmon_session_box *b, uint32_t counter,
                        const char *what, bool all, const char *defect)
{
    double got = (double)pmon_session_counts(b, counter);
    enum finding_code code = !all ? FOUND_FILTER_PASSES : got < READS ? FOUND_FILTER_STOPS : FOUND_OVERCOUNTS;

    if (all)
        excludes_share(session->check, "requests that a stack does not count", got, READS);
    else
        excludes_share(session->check, "requests that pass a mask", READS - got, READS - LITTLE);
    return pmon_session_expect(session, b, counter, what, got, "requests", all ? READS : 0,
                               all ? READS + LITTLE : LITTLE, code, defect);
}

/* The stack that has the port: the only one that counts the reads. NULL: a finding says why. */
static struct pmon_session_box *stack_of(struct pmon_session *session, const struct port *port)
{
    struct check *c = session->check;
    struct pmon_session_box *stack = NULL;

    pmon_session_each(session, b) {
        if (b->status != ST_OK || pmon_session_counts(b, ALL) <= LITTLE)
            continue;
        if (stack) {
            finding(c, FINDING_UNUSUAL, 0, FOUND_COUNTED_ELSEWHERE, place_of("%s", port->name),
                    "%u reads are counted by %s and by %s", READS, stack->name, b->name);
            return NULL;
        }
        stack = b;
    }
    if (!check_measure(c, "I/O stacks that count the configuration reads", place_of("%s", port->name), stack != NULL,
                       "stacks", 1, 1))
        finding(c, FINDING_UNUSUAL, 0, FOUND_COUNTS_ZERO, place_of("%s", port->name),
                "no I/O stack counts the %u configuration reads, though their clocks run", READS);
    return stack;
}

static bool judge_whole(struct pmon_session *session, const struct pmon_session_box *stack)
{
    return judge_count(session, stack, ALL, "configuration reads through all ports", true,
                       "counts other than the configuration reads that were sent") &&
           judge_count(session, stack, SECOND, "configuration reads with no flow class in fc_mask", false,
                       "counts requests of no flow class: fc_mask is ignored") &&
           judge_count(session, stack, DATA, "dwords read from configuration space", true,
                       "counts other than the dwords that were read") &&
           judge_count(session, stack, FOURTH, "configuration reads with no port in ch_mask", false,
                       "counts requests through no port: ch_mask is ignored");
}

static void select_whole(struct pmon_session *session)
{
    pmon_session_clear(session);
    pmon_session_each(session, b) {
        select_requests(b, ALL, READ_EVENT, ALL_BITS, ALL_BITS);
        select_requests(b, SECOND, READ_EVENT, ALL_BITS, 0);
        select_requests(b, DATA, DWORD_EVENT, ALL_BITS, ALL_BITS);
        select_requests(b, FOURTH, READ_EVENT, 0, ALL_BITS);
    }
}

/* Each bit of ch_mask alone: the port's own passes all reads, any other none. */
static enum status try_each_port(struct pmon_session *session, const struct port *port, struct pmon_session_box *stack)
{
    uint64_t field = stack->unit->layout->control->ch_mask;
    uint32_t bits = count_bits(field);

    for (uint32_t first = 0; first < bits; first += SINGLE) {
        pmon_session_clear(session);
        select_requests(stack, ALL, READ_EVENT, ALL_BITS, ALL_BITS);
        for (uint32_t k = 0; k < SINGLE && first + k < bits; k++)
            select_requests(stack, k + 1, READ_EVENT, 1u << (first + k), ALL_BITS);
        TRY(read_window(session, port));
        for (uint32_t k = 0; k < SINGLE && first + k < bits; k++) {
            bool own = first + k == port->number;
            char what[80], defect[PMON_TEXT];

            text_format(what, sizeof what, "configuration reads of port %u with bit %u of ch_mask", port->number,
                        first + k);
            text_format(defect, sizeof defect,
                        own ? "reads through port %u do not pass its own bit of ch_mask"
                            : "reads through port %u pass another port's bit of ch_mask",
                        port->number);
            judge_count(session, stack, k + 1, what, own, defect);
        }
    }
    return ST_OK;
}

/* Each flow class alone: a configuration read has one of them, so that together they count all. */
static enum status try_each_class(struct pmon_session *session, const struct port *port, struct pmon_session_box *stack)
{
    uint32_t bits = count_bits(stack->unit->layout->control->fc_mask);
    uint64_t sum = 0;

    pmon_session_clear(session);
    select_requests(stack, ALL, READ_EVENT, ALL_BITS, ALL_BITS);
    for (uint32_t k = 0; k < SINGLE && k < bits; k++)
        select_requests(stack, k + 1, READ_EVENT, ALL_BITS, 1u << k);
    TRY(read_window(session, port));
    for (uint32_t k = 0; k < SINGLE && k < bits; k++)
        sum += pmon_session_counts(stack, k + 1);
    excludes_share(session->check, "requests that no flow class has", (double)sum, READS);
    if (!check_measure(session->check, "configuration reads of each flow class alone, together", pmon_place(stack->box),
                       (double)sum, "requests", READS, READS + LITTLE))
        finding(session->check, FINDING_UNUSUAL, 0, sum < READS ? FOUND_UNDERCOUNTS : FOUND_OVERCOUNTS,
                pmon_place(stack->box), "%u configuration reads count %lu with each bit of fc_mask alone, together",
                READS, sum);
    return ST_OK;
}

static enum status try_port(struct pmon_session *session, const struct port *port)
{
    struct pmon_session_box *stack;

    select_whole(session);
    TRY(read_window(session, port));
    stack = stack_of(session, port);
    if (!stack || !judge_whole(session, stack))
        return ST_OK;
    TRY(try_each_port(session, port, stack));
    return try_each_class(session, port, stack);
}

static enum status ports_try_each(struct pmon_session *session)
{
    struct port ports[MOST_PORTS];
    uint32_t n = find_ports(session->check, ports);

    if (n == 0)
        return check_absent(session->check, "no root port of an I/O stack has a device below it");
    for (uint32_t i = 0; i < n; i++)
        TRY(try_port(session, &ports[i]));
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "pmon.io-ports",
      .title = "An I/O stack counts the requests of the ports and flow classes that its masks select",
      .spec = SOURCE,
      .covers = "V15",
      .detects = "a mask that is ignored, bits of other ports, a stack that counts no requests, or another's",
      .means = "uncore counters do not behave as the part's event file says",
      .next = "box, register and value in the evidence; whether other boxes of the kind do it; `pmon.boxes`",
      .sums = true,
      .wanted = counts_requests,
      .run_session = ports_try_each },
};
CHECK_FAMILY(pmon_ports, rows, .needs = NEED_PMON, .risk = RISK_MSR, .grade = GRADE_W, .rests_on = RESTS_ON_UNCORE,
             .excludes = true, .order = 960);
