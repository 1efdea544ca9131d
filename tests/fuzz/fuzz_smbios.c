/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Fuzz target: SMBIOS. The first byte chooses the entry point: bit 0 a good 3.x one, bit 1 a good 2.x one over the rest
 * as table; neither: the rest is the entry point, too, and what follows it. */
#include "arch/x86/tables/smbios.h"
#include "core/base/heap.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/machine/memory.h"

#define AT_ENTRY UINT64_C(0xF0000)
#define AT_TABLE UINT64_C(0x100800)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct smbios_info info;
    static struct memory m;
    static struct blob entry;
    uint8_t how, *structures;
    uint32_t bytes;

    if (size == 0)
        return 0;
    how = data[0] & 3;
    data++;
    size--;
    memory_init(&m);
    m.platform.smbios = AT_ENTRY;
    if (how == 0) {
        memory_add(&m, AT_ENTRY, data, size);
    } else {
        if (how & 1)
            smbios_entry_3x(&entry, SMBIOS_3_2, AT_TABLE, (uint32_t)size);
        else
            smbios_entry_2x(&entry, AT_TABLE, (uint16_t)size, 200);
        memory_add(&m, AT_ENTRY, entry.at, entry.n);
        memory_add(&m, AT_TABLE, data, size);
    }
    smbios_read(&m.platform, &info);
    must_be_text(info.bios_vendor, sizeof info.bios_vendor);
    must_be_text(info.bios_version, sizeof info.bios_version);
    must_be_text(info.bios_release_date, sizeof info.bios_release_date);
    must_be_text(info.system_manufacturer, sizeof info.system_manufacturer);
    must_be_text(info.system_product_name, sizeof info.system_product_name);
    must_be_text(info.system_serial_number, sizeof info.system_serial_number);
    must_be_text(info.system_uuid, sizeof info.system_uuid);
    must_be_text(info.baseboard_serial_number, sizeof info.baseboard_serial_number);
    for (int i = 0; i < 8; i++) {
        must_be_text(info.oem_strings[i], sizeof info.oem_strings[i]);
        must_be_text(info.sockets[i].designation, sizeof info.sockets[i].designation);
        must_be_text(info.sockets[i].version, sizeof info.sockets[i].version);
    }
    MUST(info.n_sockets_populated <= info.n_sockets);
    MUST(m.bytes_read <= size + SMBIOS_MAX_BYTES + 64);
    structures = smbios_structures(&m.platform, &bytes);
    MUST(structures ? bytes <= SMBIOS_MAX_BYTES : bytes == 0);
    heap_free(structures);
    return 0;
}
