/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/boot/data.h: .data as the image has it.
 *
 * Most words of the tables are 0. scripts/pe_fix.c leaves the others, in their order, at the beginning of .data, where firmware
 * relocates them, and a map of them in .map. assay.so is not packed.
 */
#pragma once

/* Puts each word in its place; the first thing that runs. */
void data_expand(void);
