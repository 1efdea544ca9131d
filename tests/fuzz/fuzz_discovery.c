/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Fuzz target: discovery tables of the uncore. The input is the memory that the table lies in. */
#include <string.h>

#include "arch/x86/pmon/pmon_discovery.h"
#include "arch/x86/pmon_parts/pmon_parts.h"
#include "tests/fuzz/fuzz.h"

struct input {
    const uint8_t *data;
    size_t size;
};

/* What lies after the input reads all ones, as beyond a device's memory. */
static enum status read_qword(void *context, uint64_t offset, uint64_t *qword)
{
    const struct input *in = context;

    if (offset >= (UINT64_C(1) << 32))
        return ST_PAGE_FAULT;
    memset(qword, 0xFF, sizeof *qword);
    if (offset < in->size)
        memcpy(qword, in->data + offset, in->size - offset < 8 ? in->size - offset : 8);
    return ST_OK;
}

static void must_be_usable(const struct pmon_entry *e)
{
    struct pmon_made_unit made;
    const struct pmon_unit *unit = &made.unit;
    const struct pmon_layout *layout = &made.layout;
    struct pmon_box box;

    pmon_entry_unit(pmon_sapphire.discovery, e, &made);
    pmon_entry_box(e, unit, &box);
    MUST(unit->name != NULL && layout->control != NULL && layout->box != NULL);
    MUST(layout->counters >= 1 && layout->counters <= PMON_MOST_PROGRAMMABLE);
    MUST(layout->counter_bits >= 36 && layout->counter_bits <= 48);
    for (uint32_t i = 0; i < layout->counters; i++) {
        MUST(pmon_ctl(unit, i).offset != pmon_box_ctl(unit).offset);
        MUST(pmon_ctr(unit, i).offset != pmon_box_ctl(unit).offset);
        MUST(pmon_ctr(unit, i).offset != pmon_ctl(unit, i).offset);
        MUST(layout->access != PMON_PCI || pmon_ctl(unit, i).offset < 0x1000);
        MUST(layout->access != PMON_MSR || box.base + pmon_ctl(unit, i).offset <= 0xFFFF);
        MUST(layout->access != PMON_MSR || box.base + pmon_ctr(unit, i).offset <= 0xFFFF);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    struct pmon_table t;

    MUST(pmon_table_parse(pmon_sapphire.discovery, read_qword, &in, &t) == ST_OK);
    MUST(t.status == ST_OK || t.status == ST_CORRUPT);
    MUST((t.status == ST_CORRUPT) == (t.defect != NULL));
    MUST(t.n_entries + t.n_empty <= t.max_units);
    for (uint32_t i = 0; i < t.n_entries; i++) {
        MUST(!t.entries[i].fatal || t.entries[i].defect != NULL);
        if (!t.entries[i].fatal)
            must_be_usable(&t.entries[i]);
    }
    pmon_table_free(&t);
    return 0;
}
