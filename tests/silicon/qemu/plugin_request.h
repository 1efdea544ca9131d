/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/qemu/plugin_request.h: what the shim asks for (shim/channel.h), the model that answers it, and its summary. */
#pragma once
#include "tests/silicon/qemu/plugin_state.h"

/* A new model by the configuration, in place of the last one. */
void request_model(void);
/* Append it to summary=. */
void request_summary(void);
/* A doorbell has rung: answer what stands in the slot. */
void request_answer(uint32_t cpu, struct channel_slot *s);
/* RDTSC without a doorbell: the TSC; CHANNEL_CLOCK_EXIT, with nothing done, where the processor must leave the guest for it. */
uint64_t request_clock(uint32_t cpu);
/* What the processor stored to this field of channel->call, without a doorbell: answered there. */
void request_call(uint32_t cpu, size_t field);
