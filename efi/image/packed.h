/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/image/packed.h: .data and .strings as the image has them. assay.so has both as they are used.
 *
 * Most halves of words (4 bytes) of the tables are 0. scripts/pe_fix.c leaves the others and both of each address, in their
 * order, at the beginning of .data, where firmware relocates the addresses, and a map of them in .map. Text is packed by
 * DEFLATE, into .packed.
 */
#pragma once
#include <stdbool.h>

/* Puts each half and the text in their places; the first thing that runs. false: what is packed is damaged. */
bool packed_expand(void);
