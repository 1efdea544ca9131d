/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/image/data.h: .data as the image has it.
 *
 * Most halves of words (4 bytes) of the tables are 0. scripts/pe_fix.c leaves the others and both of each address, in their
 * order, at the beginning of .data, where firmware relocates the addresses, and a map of them in .map. assay.so is not packed.
 */
#pragma once

/* Puts each half in its place; the first thing that runs. */
void data_expand(void);
