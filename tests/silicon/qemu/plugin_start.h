/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/qemu/plugin_start.h: the plugin's arguments, which plugin.c lists. */
#pragma once
#include "tests/silicon/qemu/plugin_state.h"

/* Read them into `plugin`, and map the page that the shim shares. */
void start_read(int argc, char **argv);
