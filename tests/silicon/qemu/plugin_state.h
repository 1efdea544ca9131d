/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/qemu/plugin_state.h: what the files of the plugin share. plugin.c has QEMU's callbacks, plugin_request.c
 * answers the shim, plugin_start.c reads the arguments, plugin_clock.c and plugin_wait.c have the guest's time. */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/silicon/model/model_clock.h"
#include "tests/silicon/model/probe.h"
#include "tests/silicon/recorded/recording.h"
#include "tests/silicon/shim/channel.h"

#define MAX_RANGES 64
struct range {
    uint64_t base, bytes;
    uint32_t node;
};
struct piece { /* of RAM, contiguous and of one node */
    uint64_t base, bytes;
    uint64_t reported; /* what QEMU calls its first byte */
    bool known;
};

struct plugin {
    struct model *model;
    struct model_config config;
    struct channel *channel; /* the mapped page */
    atomic_bool feeding;
    atomic_bool throttling; /* model_throttles() since the last write of a register */
    bool feed_always, feed_by_probe;
    bool own_time;        /* clock=model                */
    bool physical_wanted; /* address=physical           */
    bool flush_named;     /* flush=named                */
    bool physical_known;  /* every piece's constant is  */
    bool probe_wanted;
    struct recording *recording;       /* machine=FILE                                             */
    uint32_t grid_cores, grid_threads; /* grid=CORES:THREADS, 0: QEMU numbers its processors as the model does */
    uint8_t number[CHANNEL_SLOTS];     /* the model's of each processor, by QEMU's                            */
    uint32_t n_ranges, n_ram, n_pieces;
    struct range ram[MAX_RANGES];    /* adjacent ranges joined, without nodes: what the hot path looks at */
    struct range ranges[MAX_RANGES]; /* as given */
    struct piece pieces[MAX_RANGES];
    const char *summary_path;
    FILE *trace;
    struct probe probe;
};
extern struct plugin plugin;

static inline struct channel_slot *plugin_slot(uint32_t apic_id)
{
    return (struct channel_slot *)((uint8_t *)plugin.channel + CHANNEL_FIRST_SLOT) + apic_id;
}

static inline uint64_t plugin_ticks(uint64_t us)
{
    return plugin.model->tsc_hz / 1000000 * us;
}

/* A configuration that contradicts itself gives wrong results that look right: say so and end QEMU with
 * status 2, which no write to isa-debug-exit gives. */
_Noreturn void plugin_die(const char *format, ...) __attribute__((format(printf, 1, 2)));
