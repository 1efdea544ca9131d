/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Fuzz target: the MCFG, and where a register of configuration space is then. The input is a table: fuzz_table.h. */
#include "arch/x86/tables/config_space.h"
#include "tests/fuzz/fuzz_table.h"

/* Every bus that a window has is reached through one place alone, which no other bus has. */
static void must_be_apart(const struct acpi_mcfg *windows, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t last = 0;

        MUST(windows[i].base != 0 && windows[i].first_bus <= windows[i].last_bus);
        for (uint32_t bus = windows[i].first_bus; bus <= windows[i].last_bus; bus++) {
            struct pci_address at = { .segment = windows[i].segment, .bus = (uint8_t)bus, .device = 31, .function = 7 };
            struct config_place place;

            MUST(config_place(windows, n, at, 0xFFC, 4, &place) == ST_OK);
            MUST(place.window_address == windows[i].base + (((uint64_t)bus << 20) | 0xFFFFC));
            MUST(place.window_address >> 52 == 0 && place.window_address > last);
            last = place.window_address;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct acpi_info info;
    struct config_place place;

    if (size == 0 || size > FUZZ_TABLE_MOST)
        return 0;
    read_one_table("MCFG", data, size, &info);
    MUST(info.mcfg_present == (info.tables[1].status == ST_OK));
    MUST(info.mcfg_present || info.n_mcfg == 0);
    must_be_apart(info.mcfg, info.n_mcfg);
    for (uint32_t i = 0; i + 4 < size; i++) /* any address at all is answered, or refused */
        (void)config_place(info.mcfg, info.n_mcfg,
                           (struct pci_address){
                               .segment = data[i], .bus = data[i + 1], .device = data[i + 2], .function = data[i + 3] },
                           data[i + 4] * 16u, 1u << (data[i] & 3), &place);
    acpi_free(&info);
    return 0;
}
