/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/qemu/plugin_start.h: the plugin's arguments, which plugin.c lists. */
#pragma once
#include "tests/silicon/qemu/plugin_state.h"

/* Read them into `plugin`, and map the page that the shim shares. */
void start_read(int argc, char **argv);
/* Which of the model's processors each of QEMU's is: the same, but with grid= that of the place in it that its APIC id
 * says. n_qemu: how many QEMU has, or with grid= could have. Ends QEMU where they do not fit. */
void start_number(uint32_t n_qemu);
