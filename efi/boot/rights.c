/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/boot/rights.h"

#include <string.h>

#include "arch/x86/cpu/paging.h"
#include "core/base/text.h"
#include "efi/boot/metal.h"
#include "efi/firmware/page_rights.h"

/* Source: Microsoft PE format, "Section Table": 40 bytes each, after the optional header. */
#define PE_OFFSET        0x3Cu
#define PE_SECTIONS      6u
#define PE_OPTIONAL_SIZE 20u
#define PE_OPTIONAL      24u
#define SECTION_BYTES    40u
#define SECTION_MAX      16u

static EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;

struct told {
    struct page_tables tables;
    char rights[512], both[512];
};

static void append(char *text, size_t size, const char *name, const char *rights, uint64_t at)
{
    size_t n = strlen(text);

    if (rights)
        text_format(text + n, size - n, "%s%s %s", n ? ", " : "", name, rights);
    else
        text_format(text + n, size - n, "%s%s at 0x%lx", n ? ", " : "", name, at);
}

static void take_range(void *context, const char *name, uint64_t base, uint64_t bytes)
{
    struct told *t = context;
    uint64_t both = 0;
    uint32_t rights = paging_range_rights(&t->tables, base, bytes, &both);

    append(t->rights, sizeof t->rights, name, paging_rights_text(rights), 0);
    if (both)
        append(t->both, sizeof t->both, name, NULL, both);
}

static uint32_t number_at(const uint8_t *at, uint32_t bytes)
{
    uint32_t v = 0;

    memcpy(&v, at, bytes);
    return v;
}

/* The headers are this image's own, which firmware has loaded by them. */
static void take_sections(struct told *t, const EFI_LOADED_IMAGE *image)
{
    const uint8_t *base = image->ImageBase, *pe, *section;
    uint32_t n;

    if (number_at(base, 2) != 0x5A4D) /* "MZ": firmware need not keep headers */
        return;
    pe = base + number_at(base + PE_OFFSET, 4);
    n = number_at(pe + PE_SECTIONS, 2);
    section = pe + PE_OPTIONAL + number_at(pe + PE_OPTIONAL_SIZE, 2);
    for (uint32_t i = 0; i < n && i < SECTION_MAX; i++, section += SECTION_BYTES) {
        char name[9] = "";

        memcpy(name, section, 8);
        take_range(t, name, (uintptr_t)base + number_at(section + 12, 4), number_at(section + 8, 4));
    }
}

void rights_report(EFI_SYSTEM_TABLE *st, EFI_HANDLE image, struct report *r)
{
    static struct told t; /* not on a stack that may be small */
    EFI_LOADED_IMAGE *loaded;
    uint64_t here = (uintptr_t)__builtin_frame_address(0);

    memset(&t, 0, sizeof t);
    if (page_tables_now(&t.tables) != ST_OK)
        return;
    if (!EFI_ERROR(st->BootServices->HandleProtocol(image, &loaded_image_guid, (void **)&loaded)))
        take_sections(&t, loaded);
    take_range(&t, "firmware's stack", here, 1);
    metal_own_memory(&t, take_range);
    report_log(r, "INFO", "page tables: %s", t.rights);
    if (t.both[0])
        report_log(r, "INFO", "page tables: writable and executable at once, by firmware's choice: %s", t.both);
}
