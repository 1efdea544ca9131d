/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/report/folder.h"

#include "core/base/text.h"

/* What firmware ships with where no serial number or UUID was written; the last one is the UUID of AMI's sample board. */
static bool is_serial(const char *text)
{
    static const char *const placeholders[] = {
        "Not Specified",
        "Not Settable",
        "Not Present",
        "Not Available",
        "None",
        "N/A",
        "Unknown",
        "INVALID",
        "To be filled by O.E.M.",
        "System Serial Number",
        "Serial Number",
        "Default string",
        "0123456789",
        "123456789",
        "03000200-0400-0500-0006-000700080009",
    };
    size_t same = 0;

    for (size_t i = 0; i < sizeof placeholders / sizeof *placeholders; i++)
        if (text_equal_nocase(text, placeholders[i]))
            return false;
    while (text[same] != '\0' && text[same] == text[0])
        same++;
    return text[same] != '\0'; /* "", "0000000", "........" */
}

const char *folder_identity(const struct smbios_info *smbios, const char **from)
{
    if (is_serial(smbios->system_serial_number)) {
        *from = "system-serial-number";
        return smbios->system_serial_number;
    }
    if (is_serial(smbios->system_uuid)) {
        *from = "system-uuid";
        return smbios->system_uuid;
    }
    if (is_serial(smbios->baseboard_serial_number)) {
        *from = "baseboard-serial-number";
        return smbios->baseboard_serial_number;
    }
    *from = "none";
    return "0";
}

static bool is_plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

size_t folder_machine(const struct smbios_info *smbios, char out[FOLDER_NAME])
{
    const char *serial = is_serial(smbios->system_serial_number)      ? smbios->system_serial_number
                         : is_serial(smbios->baseboard_serial_number) ? smbios->baseboard_serial_number
                                                                      : "no-serial";
    size_t n = text_format(out, FOLDER_NAME, "%.40s", serial);

    for (size_t i = 0; i < n; i++)
        if (!is_plain(out[i]))
            out[i] = i == 0 ? '_' : '-'; /* a name that begins with '-' is an option to programs */
    return n;
}

void folder_name(const struct smbios_info *smbios, const struct calendar *clock, char out[FOLDER_NAME])
{
    size_t n = folder_machine(smbios, out);

    text_format(out + n, FOLDER_NAME - n, clock ? "-yyyymmddThhmmss" : "-no-clock");
    if (!clock)
        return;
    calendar_digits(out + n + 1, 4, clock->year);
    calendar_digits(out + n + 5, 2, clock->month);
    calendar_digits(out + n + 7, 2, clock->day);
    calendar_digits(out + n + 10, 2, clock->hour);
    calendar_digits(out + n + 12, 2, clock->minute);
    calendar_digits(out + n + 14, 2, clock->second);
}
