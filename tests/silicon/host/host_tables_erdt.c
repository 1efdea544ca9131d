/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/host/host_tables_erdt.c: ERDT, MRRM and IRDT of a machine that the model could stand in.
 *
 * Source: RDT Architecture Specification 356688 chapter 5; layouts as in ACPICA and intel-cmt-cat. One root port and
 * one resource control structure stand for the devices of each package.
 */
#include "tests/silicon/host/host_platform_internal.h"
#include "tests/silicon/rdt/model_erdt.h"
#include "tests/silicon/model/model_writer.h"

enum { RMDD, CACD, CMRC = 3, MMRC, MARC };

static bool on(const struct model *m, enum fault_id id)
{
    return fault_on(&m->faults, id);
}

/* Faults strike the last domain. */
static bool last(const struct model *m, uint32_t domain, enum fault_id id)
{
    return on(m, id) && domain == m->domains - 1;
}

static size_t part_begin(struct writer *w, uint64_t type)
{
    size_t start = w->at;

    PUT(w, U16(type), U16(0));
    return start;
}

static void part_end(struct writer *w, size_t start)
{
    struct writer length = { w->bytes, start + 2 };

    put(&length, w->at - start, 2);
}

static uint64_t block(const struct model *m, uint32_t domain, uint64_t offset)
{
    return rdt_erdt_base(m) + domain * ERDT_PART + offset;
}

/* --- ERDT */

static void cacd(struct writer *w, const struct model *m, uint32_t domain)
{
    size_t start = part_begin(w, CACD);

    PUT(w, U16(0), U16(last(m, domain, FAULT_ERDT_DANGLING) ? m->domains + 7 : domain));
    for (uint32_t i = 0; i < m->cpus; i++)
        if (model_domain(m, i) == domain && !(on(m, FAULT_ERDT_PROCESSOR_MISSING) && i == m->cpus - 1))
            put(w, model_apic_id(m, i), 4);
    part_end(w, start);
}

static void cmrc(struct writer *w, const struct model *m, uint32_t domain)
{
    size_t start = part_begin(w, CMRC);

    PUT(w, U32(0), U32(0), /* no Unavailable bit */
        U8(last(m, domain, FAULT_ERDT_INDEX) ? 2 : 1), ZEROS(11),
        U64(block(m, domain, ERDT_CMT) + (last(m, domain, FAULT_ERDT_BASE) ? 0x40 : 0)),
        U32(erdt_cmt_pages(m) - last(m, domain, FAULT_ERDT_SHORT)), U16(ERDT_CLUMP), U16(ERDT_STRIDE),
        U64(last(m, domain, FAULT_ERDT_SCALE) ? m->scale * 2 : m->scale));
    part_end(w, start);
}

static void mmrc(struct writer *w, const struct model *m, uint32_t domain)
{
    size_t start = part_begin(w, MMRC);
    uint32_t listed = last(m, domain, FAULT_ERDT_LIST) ? 2 : 0;

    PUT(w, U32(0), U32(1), /* an Unavailable bit, no overflow bit */
        U8(1), ZEROS(11), U64(block(m, domain, ERDT_MBM)), U32(ERDT_MBM_PAGES),
        U8(last(m, domain, FAULT_ERDT_WIDTH) ? 63 : 62), U64(m->scale), ZEROS(7), U32(listed));
    for (uint32_t i = 0; i < listed; i++)
        put(w, 1, 4);
    part_end(w, start);
}

static void marc(struct writer *w, const struct model *m, uint32_t domain)
{
    size_t start = part_begin(w, MARC);

    PUT(w, U16(0), U16(BITS(2, 0)), /* optimum, minimum and maximum */
        U8(1), ZEROS(7));
    for (uint32_t i = 0; i < 3; i++)
        put(w, block(m, domain, ERDT_MBA) + i * ERDT_PAGE, 8);
    PUT(w, U32(1), U32(0x1FF));
    part_end(w, start);
}

static void rmdd(struct writer *w, const struct model *m, uint32_t domain)
{
    uint32_t sets = m->l3_slices * m->l3.sets;
    size_t start = part_begin(w, RMDD);

    PUT(w, U16(1), /* an L3 domain */
        U16(0), U8(bits_for(sets - 1)), U8(m->l3.ways), U64(0),
        U16(last(m, domain, FAULT_ERDT_DOMAIN_TWICE) ? 0 : domain),
        U32(last(m, domain, FAULT_ERDT_RMIDS) ? m->rmids / 2 : m->rmids - 1), U64(block(m, domain, ERDT_CONTROL)),
        U16(1));
    cacd(w, m, domain);
    if (last(m, domain, FAULT_ERDT_ORDER)) {
        mmrc(w, m, domain);
        cmrc(w, m, domain);
    } else {
        cmrc(w, m, domain);
        mmrc(w, m, domain);
    }
    marc(w, m, domain);
    part_end(w, start);
    if (last(m, domain, FAULT_ERDT_LENGTH)) {
        struct writer length = { w->bytes, start + 2 };

        put(&length, w->at - start + 16, 2);
    }
}

static size_t erdt(struct writer *w, const struct model *m)
{
    size_t start = table_begin(w, "ERDT", 1);

    PUT(w, U32(m->clos_max), ZEROS(24));
    for (uint32_t i = 0; i < m->domains; i++)
        rmdd(w, m, i);
    table_end(w, start);
    return start;
}

/* --- MRRM */

static size_t mrrm(struct writer *w, const struct model *m, uint64_t memory_base, uint64_t node_bytes)
{
    size_t start = table_begin(w, "MRRM", 1);
    uint32_t nodes = memory_nodes(m);

    PUT(w, U8(REGIONS), U8(0), ZEROS(26)); /* software cannot assign regions */
    for (uint32_t n = 0; n < nodes; n++) {
        bool struck = n == nodes - 1;

        PUT(w, U16(0), U16(32), U32(0), U64(memory_base + n * node_bytes),
            U64(struck && on(m, FAULT_MRRM_RANGE) ? node_bytes / 2 : node_bytes),
            U16(BITS(1, 0)), /* both region numbers are valid */
            U8(REGION_LOCAL), U8(struck && on(m, FAULT_MRRM_REGION) ? REGIONS : REGION_REMOTE), U32(0));
    }
    table_end(w, start);
    return start;
}

/* --- IRDT */

#define CHANNEL_VALID BIT(7)

/* A root port's virtual channel goes by the control structure of this number. */
static void dss(struct writer *w, uint32_t rcs, uint32_t bus)
{
    PUT(w, U16(0), U16(8 + 16), U8(1), /* a root-integrated endpoint */
        U16(bus << 8 | 8),             /* device 1, function 0 */
        U8(0), U8(rcs), U8(CHANNEL_VALID), ZEROS(14));
}

static void rcs(struct writer *w, uint32_t number)
{
    PUT(w, U16(1), U16(40), U16(0), /* PCIe, CXL.io */
        U8(number), U8(1),          /* channels */
        U16(BITS(3, 1)),            /* RMIDs, classes, registers of two bytes */
        U16(0), U16(2), ZEROS(18), U64(MODEL_MMIO_BASE + UINT64_C(0x10000000) + number * ERDT_PAGE));
}

/* One structure a package: its segment's devices. */
static void rmud(struct writer *w, const struct model *m, uint32_t package)
{
    bool struck = package == m->packages - 1;
    size_t start = w->at;
    struct writer length = { w->bytes, start + 4 };

    PUT(w, U32(0), U32(0), U16(package), ZEROS(3));
    dss(w, struck && on(m, FAULT_IRDT_DANGLING) ? 9 : 1, 0x20);
    rcs(w, 1);
    rcs(w, struck && on(m, FAULT_IRDT_TWICE) ? 1 : 2);
    put(&length, w->at - start, 4);
}

/* I/O protocol and coherent protocol alike: monitoring, control. */
static size_t irdt(struct writer *w, const struct model *m)
{
    size_t start = table_begin(w, "IRDT", 1);
    uint64_t flags = (m->io_qos_bits & 2 ? 1 : 0) | (m->io_qos_bits & 1 ? 2 : 0);

    PUT(w, U16(on(m, FAULT_IRDT_FLAGS) ? 0 : flags), U16(on(m, FAULT_IRDT_FLAGS) ? 0 : flags), U64(0));
    for (uint32_t p = 0; p < m->packages; p++)
        rmud(w, m, p);
    table_end(w, start);
    return start;
}

uint32_t erdt_tables(struct writer *w, const struct model *m, uint64_t memory_base, uint64_t node_bytes,
                     size_t starts[3])
{
    if (!m->profile->erdt)
        return 0;
    starts[0] = erdt(w, m);
    starts[1] = mrrm(w, m, memory_base, node_bytes);
    starts[2] = irdt(w, m);
    return 3;
}
