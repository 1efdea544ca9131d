/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/boot/record_boot.h"

#include "core/base/text.h"
#include "core/base/heap.h"
#include "core/tools/tools.h"
#include "efi/console/console.h"
#include "efi/firmware/memory.h"

#define FILE_NAME "report.machine"

static bool is_wanted(const struct engine *e, bool broken)
{
    const struct verdict_counts *n = &e->run.counts;

    if (e->options->record != RECORD_AUTO)
        return e->options->record != RECORD_NO;
    return broken || n->fail || n->error || n->warn;
}

/* "EDK II, revision 0x10000" */
static void name_firmware(EFI_SYSTEM_TABLE *st, char *out, size_t size)
{
    size_t n = 0;

    for (const CHAR16 *c = st->FirmwareVendor; c && *c && n < size / 2; c++)
        out[n++] = *c >= ' ' && *c <= '~' ? (char)*c : '.';
    text_format(out + n, size - n, ", revision 0x%x", st->FirmwareRevision);
}

#define RANGES_MOST 1024u

struct ranges {
    uint32_t n;
    struct record_range at[RANGES_MOST];
};

/* Neighbours of one type are one range: firmware lists each allocation. */
static void take_range(void *context, uint64_t base, uint64_t bytes, uint32_t type)
{
    struct ranges *r = context;
    struct record_range *last = r->n ? &r->at[r->n - 1] : NULL;

    if (last && last->type == type && last->base + last->bytes == base)
        last->bytes += bytes;
    else if (r->n < RANGES_MOST)
        r->at[r->n++] = (struct record_range){ base, bytes, type };
}

void record_boot(EFI_SYSTEM_TABLE *st, struct engine *e, struct reports *reports, bool broken, const char *made_by)
{
    char firmware[128];
    struct record_source source = { .platform = e->platform,
                                    .machine = e->machine,
                                    .pmon = &e->tools->pmon,
                                    .full = e->options->record == RECORD_FULL,
                                    .made_by = made_by,
                                    .firmware = firmware };
    uint64_t begin = e->platform->ops->tsc(e->platform->machine), ticks;
    struct record_text text;
    struct ranges *ranges;
    enum status s;

    if (!is_wanted(e, broken))
        return;
    console_progress("%s", "recording the machine");
    name_firmware(st, firmware, sizeof firmware);
    ranges = heap_alloc(sizeof *ranges);
    if (ranges) {
        memory_map(st, ranges, take_range);
        source.ranges = ranges->at;
        source.n_ranges = ranges->n;
    }
    s = record_machine(&source, &text);
    ticks = e->platform->ops->tsc(e->platform->machine) - begin;
    if (s == ST_OK)
        s = reports_put(reports, FILE_NAME, text.at, text.length);
    if (s == ST_OK)
        report_log(e->report, "INFO", FILE_NAME ": %zu bytes, %lu ms%s", text.length,
                   ticks / (e->platform->tsc_hz / 1000 + 1), source.full ? ", with serial numbers" : "");
    else
        report_log(e->report, "WARNING", FILE_NAME " is not written: %s", status_text(s));
    heap_free(text.at);
    heap_free(ranges);
    console_progress("%s", "");
}
