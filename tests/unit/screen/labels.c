/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/screen/labels.h"

#include <criterion/criterion.h>
#include <string.h>

#include "core/base/text.h"

static struct screen_state state;
static struct machine machine;
static struct cpu cpu;

static void begin(void)
{
    cpu = (struct cpu){ .microcode_status = ST_ABSENT };
    memset(&machine, 0, sizeof machine);
    machine.cpus = &cpu;
    machine.n_packages = 1;
}

Test(labels_of_machine, name_it_as_firmware_does)
{
    begin();
    machine.n_packages = 2;
    cpu.microcode_status = ST_OK;
    cpu.microcode = 0xB000038;
    text_format(machine.brand, sizeof machine.brand, "Xeon");
    text_format(machine.smbios.system_manufacturer, sizeof machine.smbios.system_manufacturer, "Maker");
    text_format(machine.smbios.system_product_name, sizeof machine.smbios.system_product_name, "Model 1");
    text_format(machine.smbios.system_serial_number, sizeof machine.smbios.system_serial_number, "S-7");
    text_format(machine.smbios.bios_vendor, sizeof machine.smbios.bios_vendor, "EDK II");
    text_format(machine.smbios.bios_version, sizeof machine.smbios.bios_version, "2022.11");
    text_format(machine.smbios.bios_release_date, sizeof machine.smbios.bios_release_date, "11/22/2022");
    labels_of_machine(&state, &machine);
    cr_expect_str_eq(state.machine, "Maker Model 1, serial S-7");
    cr_expect_str_eq(state.firmware, "EDK II 2022.11 of 11/22/2022, microcode 0x0b000038");
    cr_expect_str_eq(state.processor, "Xeon, 2 packages");
}

Test(labels_of_machine, say_what_firmware_left_empty)
{
    begin();
    labels_of_machine(&state, &machine);
    cr_expect_str_eq(state.machine, "no name, serial unknown");
    cr_expect_str_eq(state.firmware, "unnamed ");
    cr_expect_str_eq(state.processor, "no brand string, 1 package");
}

Test(labels_of_code, have_what_leads_back_to_the_report)
{
    char digest[65];

    memset(digest, 'a', 64);
    digest[64] = '\0';
    state.version = "0.1.0";
    state.counts = (struct verdict_counts){ .pass = 152, .fail = 1, .warn = 2, .skip = 45, .error = 3 };
    text_format(state.report, sizeof state.report, "\\assay\\reports\\S-7-20261121T061009");
    labels_of_code(&state, RUN_FAIL, digest);
    cr_expect(strstr(state.qr_text, "ASSAY 0.1.0 FAIL 152/1/2/45/3 S-7-20261121T061009 SHA256 AAAA"), "%s",
              state.qr_text);
    cr_expect_eq(strlen(strstr(state.qr_text, "SHA256 ")), 7 + 64, "the digest is whole");
}
