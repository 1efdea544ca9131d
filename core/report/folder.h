/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/report/folder.h: the name of a report's folder: which machine, and when. */
#pragma once
#include <stddef.h>

#include "arch/x86/tables/smbios.h"
#include "core/base/calendar.h"

#define FOLDER_NAME      96u
#define FOLDER_NAMES_MAX 1000u /* of one machine in one second */

/* "SERIAL": the system's serial number, else the baseboard's, else the system's UUID, else "no-serial", where placeholders that
 * firmware ships with are none; at most 40 characters, and those that FAT or a shell dislike become '-'. Returns the length. */
size_t folder_machine(const struct smbios_info *smbios, char out[FOLDER_NAME]);
/* "SERIAL-20261121T061000". clock NULL or no such date: "SERIAL-no-clock". */
void folder_name(const struct smbios_info *smbios, const struct calendar *clock, char out[FOLDER_NAME]);
/* What tells the machine from others, "0" where nothing does: the system's serial number, its UUID, or the baseboard's serial
 * number, the first that is no placeholder of firmware: one character repeated, words without a digit, digits that count
 * ("1234567890"); a UUID whose digits, bytes or words count or repeat.
 * from: which, in dmidecode's words, or "none". Points into smbios or to a constant.
 * Source: DSP0134 7.2 System Information, 7.3 Baseboard Information. */
const char *folder_identity(const struct smbios_info *smbios, const char **from);
