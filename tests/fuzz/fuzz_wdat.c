/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Fuzz target: WDAT, and every action of a table that is taken. */
#include "arch/x86/tables/acpi_wdat.h"
#include "tests/fuzz/fuzz.h"

static enum status read_any(void *, const struct wdat_entry *at, uint32_t *value)
{
    MUST(at->address != 0 && (!at->port || at->address <= 0xFFFF) && at->bytes <= 4);
    *value = (uint32_t)at->address;
    return at->address % 7 == 0 ? ST_PAGE_FAULT : ST_OK;
}

static enum status write_any(void *context, const struct wdat_entry *at, uint32_t value)
{
    return read_any(context, at, &value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct wdat_access access = { .read = read_any, .write = write_any };
    struct wdat w;

    if (size > 4096)
        return 0;
    if (wdat_decode(data, (uint32_t)size, &w) == ST_OK) {
        uint32_t periods = wdat_periods(&w, data[0]), result = 0;

        MUST(w.n <= WDAT_ENTRIES && periods >= w.least && periods <= w.most);
        for (uint32_t action = 0; action < 256; action++) {
            enum status st = wdat_run(&w, &access, (enum wdat_action)action, periods, &result);

            MUST(st == ST_OK || st == ST_ABSENT || st == ST_PAGE_FAULT);
        }
    }
    return 0;
}
