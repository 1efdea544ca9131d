/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/machine/heap_host.h: the host's heap, made to run out. */
#pragma once
#include <stdint.h>

/* How many more times heap_alloc() gives memory; UINT32_MAX, as it begins: without end. */
extern uint32_t heap_host_grants;
/* How many times it refuses then, before it gives memory without end again; UINT32_MAX, as it begins: for good. */
extern uint32_t heap_host_refusals;
