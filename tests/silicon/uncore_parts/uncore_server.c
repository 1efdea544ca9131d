/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore_parts/uncore_server.c: sources and tables of uncore_server.h.
 *
 * Event encodings: the public event files of each generation. The fields of the umask extension of TOR and lookup
 * events are read off them: an encoding names what its neighbours with one bit less do not count.
 */
#include "tests/silicon/uncore_parts/uncore_server.h"
#include "tests/silicon/uncore/model_uncore_internal.h"
#include "tests/silicon/uncore/model_uncore_match.h"

static uint64_t umask_of(const struct uncore_look *l)
{
    return field_get(l->box->type->ctl->umask, l->ctl);
}

/* The umask extension: bits 63:32 of a control. */
static uint64_t extension_of(const struct uncore_look *l)
{
    return l->ctl >> 32;
}

#define HERE (BIT(TOR_HIT) | BIT(TOR_MISS_LOCAL)) /* a hit has no home: it is local */

/* --- CHA: look-ups */

/* Look-ups of processors for lines of this socket, or of others: those that hit are of this one, by state; those that miss
 * only if the invalid state is asked for. */
static uint64_t homed_lookups(const struct uncore_look *l, uint64_t why, uint64_t states, bool local)
{
    uint64_t opcodes = (why & BIT(LOOKUP_READ) ? BIT(TOR_DRD) : 0) | (why & BIT(LOOKUP_CODE) ? BIT(TOR_CRD) : 0) |
                       (why & BIT(LOOKUP_RFO) ? BIT(TOR_RFO) : 0);
    uint64_t hits = states & ~BIT(STATE_I), sum = 0;

    if (local && hits)
        sum = source_lookup(l, (why & (BIT(LOOKUP_READ) | BIT(LOOKUP_CODE) | BIT(LOOKUP_RFO))) | SLICE_STATES(hits));
    if (states & BIT(STATE_I))
        sum += source_tor(l, opcodes | TOR_AT(BIT(local ? TOR_MISS_LOCAL : TOR_MISS_REMOTE)));
    return sum;
}

static uint64_t lookups(const struct uncore_look *l, uint64_t why, uint64_t states, bool local, bool remote)
{
    if (states == 0 || why == 0)
        return 0;
    if (local != remote)
        return homed_lookups(l, why, states, local);
    return source_lookup(l, why | SLICE_STATES(states));
}

/* FILTER0 of Skylake-SP: bits 24:21 are F, M, E, S and bit 17 is I, of the LLC (public event files); those between are
 * of the snoop filter: 18 S, 19 E, 20 a state that the model lacks. */
static uint64_t skx_states(const struct uncore_look *l)
{
    uint64_t filter = l->box->filter;

    if (uncore_ignores_states(l))
        return low_bits(STATES);
    return field_get(BIT(17), filter) | field_get(BITS(24, 21), filter) << STATE_S |
           field_get(BITS(19, 18), filter) << STATE_SF_S;
}

/* Umask bit 0 must always be set (public event files). */
uint64_t source_skx_lookup(const struct uncore_look *l, uint64_t)
{
    uint64_t umask = umask_of(l), why = 0;

    if (!(umask & BIT(0)))
        return 0;
    if (umask & BIT(1))
        why |= BIT(LOOKUP_READ);
    if (umask & BIT(2))
        why |= BIT(LOOKUP_WRITE);
    if (umask & BIT(3))
        why |= BIT(LOOKUP_SNOOP);
    if (umask & BIT(4))
        why = low_bits(LOOKUPS);
    return lookups(l, why, skx_states(l), umask & BIT(5), umask & BIT(7));
}

/* Ice Lake-SP on: states of the LLC are umask bits 0 (I) and 7:4 (F, M, E, S), of the snoop filter 3:1. Extension: 0
 * data read, 1 write, 3 request for ownership, 4 code read, 5 anything; 11 homed here, 12 homed elsewhere. */
uint64_t source_icx_lookup(const struct uncore_look *l, uint64_t)
{
    uint64_t umask = umask_of(l), ext = extension_of(l), why = 0;
    uint64_t states =
        field_get(BIT(0), umask) | field_get(BITS(7, 4), umask) << STATE_S | field_get(BITS(2, 1), umask) << STATE_SF_S;

    if (ext & BIT(0))
        why |= BIT(LOOKUP_READ);
    if (ext & BIT(1))
        why |= BIT(LOOKUP_WRITE);
    if (ext & BIT(3))
        why |= BIT(LOOKUP_RFO);
    if (ext & BIT(4))
        why |= BIT(LOOKUP_CODE);
    if (ext & BIT(5))
        why = low_bits(LOOKUPS);
    if (uncore_ignores_states(l))
        states = low_bits(STATES);
    return lookups(l, why, states, ext & BIT(11), ext & BIT(12));
}

/* --- CHA: victims */

static uint64_t victims(const struct uncore_look *l, bool local, bool remote)
{
    uint64_t umask = umask_of(l);

    if (remote && !local)
        return 0;
    return source_victim(l, (umask & BIT(0) ? BIT(STATE_M) : 0) | (umask & BIT(1) ? BIT(STATE_E) : 0) |
                                (umask & BIT(2) ? BIT(STATE_S) : 0) | (umask & BIT(3) ? BIT(STATE_F) : 0));
}

uint64_t source_skx_victim(const struct uncore_look *l, uint64_t)
{
    return victims(l, umask_of(l) & BIT(5), umask_of(l) & BIT(7));
}

uint64_t source_icx_victim(const struct uncore_look *l, uint64_t)
{
    return victims(l, extension_of(l) & BIT(5), extension_of(l) & BIT(7));
}

/* --- CHA: table of requests */

/* Requests by the low eight bits of their opcode, which all generations have in common: RFO, CRd, DRd, DRd_Opt, WCiLF.
 */
static uint64_t opcodes_of(const struct uncore_look *l, uint64_t opcode, uint64_t cores)
{
    if (fault_on(&l->m->faults, FAULT_TOR_OPCODE_IGNORED))
        return low_bits(TOR_OPCODES);
    switch (opcode & 0xFF) {
    case 0x00:
        return BIT(TOR_RFO);
    case 0x01:
        return BIT(TOR_CRD);
    case 0x02:
        return cores == E_CORES ? 0 : BIT(TOR_DRD);
    case 0x04:
        return cores == E_CORES ? BIT(TOR_DRD) : 0;
    case 0x0C:
        return BIT(TOR_NT_STORE);
    default:
        return 0;
    }
}

/* Places of requests that are asked for, as the fault leaves them. */
static uint64_t tor_places(const struct uncore_look *l, uint64_t places)
{
    bool both = (places & BIT(TOR_HIT)) && (places & ~BIT(TOR_HIT));

    return both && fault_on(&l->m->faults, FAULT_TOR_HIT_LOST) ? places & ~BIT(TOR_HIT) : places;
}

/* Places of entries whose memory is asked for. */
static uint64_t homes(const struct uncore_look *l, bool local, bool remote)
{
    if ((local || remote) && fault_on(&l->m->faults, FAULT_TOR_HOME_IGNORED))
        local = remote = true;
    return (local ? HERE : 0) | (remote ? BIT(TOR_MISS_REMOTE) : 0);
}

#define SKX_FILTER1_REM    BIT(0)
#define SKX_FILTER1_LOC    BIT(1)
#define SKX_FILTER1_ALL    BIT(3)
#define SKX_FILTER1_NOT_NM BIT(5)
#define SKX_FILTER1_OPC0   BITS(18, 9)
#define SKX_FILTER1_OPC1   BITS(28, 19)
#define SKX_OPC_CLASS      0x200u /* requests of processors */

/* Umask of Skylake-SP: 0 requests of processors, 3 snoops from other sockets, 4 hit, 5 miss. Nothing matches unless the
 * filter says a home, memory that is not near memory, and an opcode or all of them. */
uint64_t source_skx_tor(const struct uncore_look *l, uint64_t arg)
{
    uint64_t umask = umask_of(l), filter = l->box->filter >> 32, opcodes = 0, sum = 0;
    uint64_t opc0 = field_get(SKX_FILTER1_OPC0, filter), opc1 = field_get(SKX_FILTER1_OPC1, filter);
    uint64_t places =
        (umask & BIT(4) ? BIT(TOR_HIT) : 0) | (umask & BIT(5) ? BIT(TOR_MISS_LOCAL) | BIT(TOR_MISS_REMOTE) : 0);

    places &= homes(l, filter & SKX_FILTER1_LOC, filter & SKX_FILTER1_REM);
    places = tor_places(l, places) & arg >> 8;
    if (!(filter & SKX_FILTER1_NOT_NM))
        return 0;
    if (opc0 & SKX_OPC_CLASS)
        opcodes |= opcodes_of(l, opc0, P_CORES);
    if (opc1 & SKX_OPC_CLASS)
        opcodes |= opcodes_of(l, opc1, P_CORES);
    if (filter & SKX_FILTER1_ALL)
        opcodes = low_bits(TOR_OPCODES);
    if (umask & BIT(0))
        sum += source_tor(l, opcodes | TOR_AT(places));
    if ((umask & BIT(3)) && (filter & SKX_FILTER1_ALL))
        sum += source_lookup(l, BIT(LOOKUP_SNOOP) | SLICE_STATES((places & BIT(TOR_HIT) ? ~BIT(STATE_I) : 0) |
                                                                 (places & BIT(TOR_MISS_LOCAL) ? BIT(STATE_I) : 0)));
    return sum;
}

/* Umask from Ice Lake-SP on: bit 0 requests of processors. Extension: 0 hit, 1 miss, 2 DRAM, 7 homed here, 8 homed
 * elsewhere, 10:9 match the opcode in 20:11. */
uint64_t source_icx_tor(const struct uncore_look *l, uint64_t arg)
{
    uint64_t ext = extension_of(l), opcodes = low_bits(TOR_OPCODES);
    uint64_t places =
        (ext & BIT(0) ? BIT(TOR_HIT) : 0) | (ext & BIT(1) ? BIT(TOR_MISS_LOCAL) | BIT(TOR_MISS_REMOTE) : 0);

    if (!(arg & TOR_ANY_HOME))
        places &= homes(l, ext & BIT(7), ext & BIT(8));
    places = tor_places(l, places) & arg >> 8;
    if (ext & BITS(10, 9))
        opcodes = field_get(BITS(20, 19), ext) == 1 ? opcodes_of(l, field_get(BITS(18, 11), ext), arg & 0xFF) : 0;
    return (umask_of(l) & BIT(0)) && (ext & BIT(2)) ? source_tor(l, opcodes | TOR_AT(places)) : 0;
}

/* --- CHA: memory. Home and memory know no slice, so the boxes take turns. */

uint64_t source_cha_home(const struct uncore_look *l, uint64_t arg)
{
    return uncore_share(l, source_home(l, arg));
}

uint64_t source_cha_memory(const struct uncore_look *l, uint64_t arg)
{
    return uncore_share(l, arg ? source_cas_write(l, UNCORE_ALL) : source_cas_read(l, UNCORE_ALL));
}

/* --- memory */

/* Lines of a channel from 1 on, as source_cas_read() numbers them; 0: the box's own. */
static uint64_t channel_lines(const struct uncore_look *l, uint64_t channel, bool write)
{
    if (l->box->type->hbm)
        return uncore_hbm_lines(l, channel ? (uint32_t)channel - 1 : l->box->index, write);
    return write ? source_cas_write(l, channel) : source_cas_read(l, channel);
}

static uint64_t controller_lines(const struct uncore_look *l, uint64_t arg, uint64_t channels)
{
    uint64_t each = arg & 0xFF, sum = 0;

    for (uint64_t c = 0; c < each; c++) {
        uint64_t channel = l->box->index * each + c + 1;

        if (channels >> c & 1)
            sum += channel_lines(l, channel, arg & M2M_WRITES);
    }
    return sum;
}

uint64_t source_m2m(const struct uncore_look *l, uint64_t arg)
{
    return controller_lines(l, arg, arg & M2M_BY_CHANNEL(UINT64_C(0)) ? extension_of(l) >> (arg >> 16) : UINT64_MAX);
}

uint64_t source_controller(const struct uncore_look *l, uint64_t arg)
{
    return controller_lines(l, arg, UINT64_MAX);
}

static uint64_t pseudo_share(uint64_t lines, uint64_t which)
{
    if (which & (SUB_0 | SUB_1))
        lines = which & SUB_0 ? (lines + 1) / 2 : lines / 2;
    return (which & PSEUDO_0 ? (lines + 1) / 2 : 0) + (which & PSEUDO_1 ? lines / 2 : 0);
}

static uint64_t pseudo_lines(const struct uncore_look *l, uint64_t arg)
{
    return (arg & PSEUDO_READ ? pseudo_share(channel_lines(l, 0, false), arg) : 0) +
           (arg & PSEUDO_WRITE ? pseudo_share(channel_lines(l, 0, true), arg) : 0);
}

uint64_t source_pseudo(const struct uncore_look *l, uint64_t arg)
{
    const struct fault_set *f = &l->m->faults;
    uint32_t channels = uncore_number_of(l->m, l->box->type);

    if (fault_on(f, FAULT_PSEUDO_CHANNEL_DEAD) && (arg & PSEUDO_1) &&
        l->box->index == fault_place(f, FAULT_PSEUDO_CHANNEL_DEAD, channels))
        return 0;
    if (fault_on(f, FAULT_PSEUDO_CHANNEL_BOTH) && l->box->index == fault_place(f, FAULT_PSEUDO_CHANNEL_BOTH, channels))
        arg |= PSEUDO_0 | PSEUDO_1;
    return pseudo_lines(l, arg);
}

/* Umask 5:0: 0 regular read, 1 to 3 other reads, 4 write with an open page, 5 with precharge; none: all of them. */
uint64_t source_spr_cas(const struct uncore_look *l, uint64_t arg)
{
    uint64_t umask = umask_of(l), kinds = umask & BITS(5, 0);
    uint64_t which = (umask & BIT(6) ? PSEUDO_0 : 0) | (umask & BIT(7) ? PSEUDO_1 : 0);

    which |= arg;
    if (kinds == 0 || (kinds & BIT(0)))
        which |= PSEUDO_READ;
    if (kinds == 0 || (kinds & BIT(4)))
        which |= PSEUDO_WRITE;
    if ((which & PSEUDO_READ) && (which & PSEUDO_WRITE)) {
        which &= fault_on(&l->m->faults, FAULT_UMASK_READS_LOST) ? ~(uint64_t)PSEUDO_READ : UINT64_MAX;
        which &= fault_on(&l->m->faults, FAULT_UMASK_WRITES_LOST) ? ~(uint64_t)PSEUDO_WRITE : UINT64_MAX;
    }
    return pseudo_lines(l, which);
}

uint64_t source_spr_clock(const struct uncore_look *l, uint64_t)
{
    return umask_of(l) & BIT(0) ? source_clock(l, 1) : source_clock(l, 1) / 2;
}

/* --- links */

#define LINE_SLOTS 9u /* of data; three slots a flit */

uint64_t source_upi(const struct uncore_look *l, uint64_t arg)
{
    uint64_t umask = umask_of(l), sum = 0;

    if (umask & BIT(3))
        sum += source_link_lines(l, arg) * (LINE_SLOTS / 3) * (uint64_t)__builtin_popcountll(umask & BITS(2, 0));
    if ((umask & BIT(7)) && (umask & BIT(0)))
        sum += source_other_flits(l, arg);
    return sum;
}

#define CLASS_REQUEST  0x8u
#define CLASS_RESPONSE 0xCu
#define CLASS_WRITE    0xDu
#define BY_OPCODE      BIT(0) /* of the extension: by what is in umask bits 7:4 as well, which no source lists */

static bool counts_every_class(const struct uncore_look *l)
{
    const struct fault_set *f = &l->m->faults;
    uint64_t port = f->value[FAULT_HEADER_CLASS_IGNORED];

    return fault_on(f, FAULT_HEADER_CLASS_IGNORED) && (port == UINT64_MAX || port == l->box->index);
}

uint64_t source_upi_headers(const struct uncore_look *l, uint64_t arg)
{
    uint64_t umask = umask_of(l);

    if ((umask & BITS(7, 4)) || (extension_of(l) & BY_OPCODE))
        return 0;
    if (counts_every_class(l))
        return uncore_link_packets(l, arg, PACKETS_REQUESTS) + uncore_link_packets(l, arg, PACKETS_RESPONSES) +
               uncore_link_packets(l, arg, PACKETS_WRITES);
    switch (umask) {
    case CLASS_REQUEST:
        return uncore_link_packets(l, arg, PACKETS_REQUESTS);
    case CLASS_RESPONSE:
        return uncore_link_packets(l, arg, PACKETS_RESPONSES);
    case CLASS_WRITE:
        return uncore_link_packets(l, arg, PACKETS_WRITES);
    default:
        return 0;
    }
}

const struct uncore_event server_upi_events[5] = {
    EVENT(0x01, 0, source_clock),
    EVENT(0x02, 0, source_upi, .arg = 0, .most = 3),
    EVENT(0x03, 0, source_upi, .arg = 1, .most = 3),
    EVENT(0x04, 0, source_upi_headers, .arg = 0),
    EVENT(0x05, 0, source_upi_headers, .arg = 1),
};

/* --- I/O */

#define DEVICE_STACK 1u
#define BOOT_BYTES   UINT64_C(0x1800000) /* what firmware read before */

uint64_t source_io_in(const struct uncore_look *l, uint64_t arg)
{
    const struct fault_set *f = &l->m->faults;
    uint64_t n = 0;

    if (l->box->index == DEVICE_STACK && l->number == 0)
        n = (BOOT_BYTES + (cache_device_lines(l->m, l->tsc) << MODEL_LINE_SHIFT)) / arg;
    if (n > 0 && fault_on(f, FAULT_IIO_BANDWIDTH_BACK))
        n -= 1024 * ((l->tsc >> 16) % 4096); /* faster than devices move anything */
    return n;
}

/* Flow classes of fc_mask: 0 posted, 1 non-posted, 2 completions (perfmon2's libpfm4: FC_POSTED_REQ, FC_NON_POSTED_REQ,
 * FC_CMPL of its Skylake-SP IIO events). Configuration requests are non-posted (PCI Express Base Specification 3.0,
 * 2.1.1.3). */
#define CLASS_NON_POSTED BIT(1)

uint64_t source_config(const struct uncore_look *l, uint64_t arg)
{
    const struct fault_set *f = &l->m->faults;
    const struct uncore_port *port = &uncore_part(l->m)->port;
    uint64_t channels = field_get(l->box->type->ctl->ch_mask, l->ctl);
    uint64_t classes = field_get(l->box->type->ctl->fc_mask, l->ctl), channel = BIT(port->channel);

    if (l->box->index != port->stack || port->bus == 0 || fault_on(f, FAULT_IIO_STACK_DEAD))
        return 0;
    if (fault_on(f, FAULT_IIO_PORT_IGNORED))
        channels = UINT64_MAX;
    if (fault_on(f, FAULT_IIO_FC_IGNORED))
        classes = UINT64_MAX;
    if (fault_on(f, FAULT_IIO_PORT_SHIFTED))
        channel <<= 1;
    return (channels & channel) && (classes & CLASS_NON_POSTED) ? uncore_of(l->m, l->box->package)->config[arg] : 0;
}

/* Data that a device writes to memory, in units of 4 bytes: posted requests of port 0 of its stack. */
#define CLASS_POSTED BIT(0)

uint64_t source_device_writes(const struct uncore_look *l, uint64_t arg)
{
    uint64_t channels = field_get(l->box->type->ctl->ch_mask, l->ctl);
    uint64_t classes = field_get(l->box->type->ctl->fc_mask, l->ctl);

    if (l->box->index != DEVICE_STACK || !(channels & BIT(0)) || !(classes & CLASS_POSTED))
        return 0;
    return (cache_device_lines(l->m, l->tsc) << MODEL_LINE_SHIFT) / arg;
}

uint64_t source_port_buses(const struct uncore_look *l, uint64_t)
{
    const struct uncore_port *port = &uncore_part(l->m)->port;
    uint64_t secondary = uncore_bus(l->m, l->box->package, port->bus) & 0xFF;

    return secondary << 16 | secondary << 8 | (uncore_bus(l->m, l->box->package, port->root_bus) & 0xFF);
}

/* --- where and how many */

uint64_t source_cha_count(const struct uncore_look *l, uint64_t)
{
    return uncore_slices(l->m) - fault_on(&l->m->faults, FAULT_CHA_COUNT);
}

uint64_t source_cha_fuses(const struct uncore_look *l, uint64_t arg)
{
    return low_bits(uncore_slices(l->m)) >> 32 * arg & UINT32_MAX;
}

uint64_t source_cpu_node(const struct uncore_look *l, uint64_t)
{
    return fault_on(&l->m->faults, FAULT_NODE_ID_SAME) ? 0 : l->box->package;
}

uint64_t source_bus_numbers(const struct uncore_look *l, uint64_t)
{
    uint64_t value = fault_on(&l->m->faults, FAULT_BUS_NUMBERS_INVALID) ? 0 : BIT(63);

    for (uint32_t bus = 0; bus < uncore_part(l->m)->pci_buses; bus++)
        if (bus == 0 || bus != uncore_part(l->m)->port.bus) /* which is the last one */
            value |= (uint64_t)(uncore_bus(l->m, l->box->package, bus) & 0xFF) << 8 * bus;
    return value;
}

uint64_t source_bus_dword(const struct uncore_look *l, uint64_t)
{
    uint64_t value = 0;

    for (uint32_t bus = 4 * l->number; bus < uncore_part(l->m)->pci_buses && bus < 4 * l->number + 4; bus++)
        value |= (uint64_t)(uncore_bus(l->m, l->box->package, bus) & 0xFF) << 8 * (bus % 4);
    return value;
}

uint64_t source_stack_id(const struct uncore_look *l, uint64_t arg)
{
    return source_cpu_node(l, 0) | arg << 4;
}

uint64_t source_mmio_base(const struct uncore_look *l, uint64_t)
{
    return (MODEL_MMIO_BASE + l->box->package * uncore_part(l->m)->mmio_bytes) >> 23;
}

uint64_t source_mem_bar(const struct uncore_look *l, uint64_t arg)
{
    if ((fault_on(&l->m->faults, FAULT_MEM_BAR_ZERO) && l->number + 1 == arg >> 32) ||
        l->m->realism.value[REALISM_PMON_KEPT] == KEPT_BASES)
        return 0;
    return (arg & UINT32_MAX) * (l->number + 1) >> 12;
}

/* --- tables */

#define CONFIG_DATA BITS(3, 2) /* counters */
const struct uncore_event server_iio_events[6] = {
    EVENT(0x01, 0, source_clock),
    EVENT(0x83, BIT(0), source_device_writes, .arg = 4, .most = 8, .counters = BITS(1, 0)),
    EVENT(0xC0, BIT(6), source_config, .arg = CONFIG_READ, .counters = CONFIG_DATA),
    EVENT(0xC0, BIT(4), source_config, .arg = CONFIG_WRITE, .counters = CONFIG_DATA),
    EVENT(0xC1, BIT(6), source_config, .arg = CONFIG_READ),
    EVENT(0xC1, BIT(4), source_config, .arg = CONFIG_WRITE),
};

const struct uncore_reg server_port_regs[5] = { SERVER_PORT_ROWS };
const struct uncore_reg server_device_regs[4] = { REG(VALUE, 0x04, .mask = SERVER_STATUS_CAPS),
                                                  REG(VALUE, 0x0C, .mask = 0),
                                                  REG(VALUE, 0x34, .mask = SERVER_EXPRESS_AT),
                                                  REG(VALUE, SERVER_EXPRESS_AT, .mask = SERVER_EXPRESS(0)) };

const struct uncore_box_ctl server_box_ctl = { .rst_ctrl = BIT(0), .rst_ctrs = BIT(1), .frz = BIT(8) };
/* UPI: PCM writes 1 to the reserved bits, and takes the link for disabled where bit 16 reads 0 then. */
const struct uncore_box_ctl server_upi_box_ctl = {
    .rst_ctrl = BIT(0), .rst_ctrs = BIT(1), .frz = BIT(8), .kept = BITS(17, 16)
};
const struct uncore_ctl server_ctl = { SERVER_FIELDS(0) };

/* As Haswell-EP has it (Linux: skx_uncore_ubox), but 48 bits wide. */
const struct uncore_ctl server_ubox_ctl = { SERVER_COMMON, .thresh = BITS(28, 24), .fixed_en = BIT(22),
                                            .fixed_ov_en = BIT(20) };
const struct uncore_box_type server_ubox = { SERVER_UBOX(
    REG_LIST(REG(GLOBAL_CTL, 0x0), REG(GLOBAL_STATUS, 0x1, .mask = UINT64_MAX),
             REG(VALUE, 0x2, .source = source_cha_count, .mask = BITS(5, 0)), E5_UBOX_ROWS)) };

const struct uncore_box_type server_pcu = {
    MONITOR("PCU", UNIT_PCU, 4, CONTROL(E5_PCU_FIELDS, .invert = BIT(23), .ov_en = BIT(20)), &server_box_ctl,
            REG_LIST(REG(BOX_CTL, 0x0), REG_RUN(CTL, 0x1, 4, 1), REG(FILTER, 0x5), REG(STATUS, 0x6),
                     REG_RUN(CTR, 0x7, 4, 1)),
            e5_pcu_events),
    .count = 1,
    .base = 0x710,
    .clock = CLOCK_PCU,
    .filter_kept = UINT32_MAX,
    .global_first = 2,
};

const struct uncore_reg server_node_regs[2] = { REG(VALUE, 0xC0, .source = source_cpu_node),
                                                REG(VALUE, 0xD4, .source = source_node_map) };
const struct uncore_reg server_map_regs[2] = { REG(VALUE, 0xD0, .source = source_mmio_base, .mask = BITS(28, 0)),
                                               REG_RUN(VALUE, 0xD8, 4, 4, .source = source_mem_bar,
                                                       .arg = SERVER_MEM_BARS(4), .mask = BITS(10, 0)) };
uint64_t source_address_rule(const struct uncore_look *l, uint64_t arg)
{
    return BIT(0) | (l->m->near ? arg : 0);
}

const struct uncore_reg server_capid_regs[2] = { REG(VALUE, 0x9C, .source = source_cha_fuses, .arg = 0),
                                                 REG(VALUE, 0xA0, .source = source_cha_fuses, .arg = 1) };

#define CHANNEL_AT(controller, channel)                                                                                \
    BRACED(.base = SERVER_MEM_BAR * ((controller) + 1) + 0x22800 + 0x4000 * (channel))
const struct uncore_place server_channel_places[SERVER_CHANNELS] = { CHANNEL_AT(0, 0), CHANNEL_AT(0, 1),
                                                                     CHANNEL_AT(1, 0), CHANNEL_AT(1, 1),
                                                                     CHANNEL_AT(2, 0), CHANNEL_AT(2, 1),
                                                                     CHANNEL_AT(3, 0), CHANNEL_AT(3, 1) };
const struct uncore_reg server_channel_regs[7] = { SERVER_CHANNEL_ROWS,
                                                   REG_RUN(VALUE, 0x418, 4, 4, .source = source_corrected) };
