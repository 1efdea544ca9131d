/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/run/profile_bands.h: bands of good machines of a profile of the virtual silicon (tests/silicon/bands). */
#pragma once
#include "core/bands/bands_choice.h"

#define PROFILE_BANDS "tests/silicon/bands"

/* Every file of the folder, offered to a machine. Ends the program when the folder cannot be read. */
void profile_bands_offer(struct bands_choice *choice, const struct machine *m);
/* Whether they are of machines with these quirks: of none, or of typical ones. With others it is another part. */
bool profile_bands_know(const char *realism);
/* Those of a kind of machine of which no figure is known: what experience expects is judged by the checks' bounds. */
extern const struct bands bands_without_figures;
