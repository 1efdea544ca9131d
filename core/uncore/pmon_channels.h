/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/uncore/pmon_channels.h: bytes that each memory channel counted, by one box a channel, one box
 * for all, or events of a fabric.
 */
#pragma once
#include "core/uncore/traffic_window.h"

#define NO_COUNTER     UINT32_MAX
#define CHANNELS       256u
#define CHANNEL_ROUNDS 2u   /* boxes with more channels than counters take several */
#define CHANNEL_DEAD   0.01 /* less than this of the average is none               */

/* Where one channel is counted: events of a box, one for each direction, or one for both. */
struct channel {
    uint32_t box;         /* in the session                        */
    uint32_t round;       /* boxes with more channels than counters take several */
    uint32_t rd, wr, all; /* counters, NO_COUNTER: not counted */
    struct place place;
    double read, written, both; /* bytes; -1: not counted */
    double background;          /* bytes in both directions, in as long a time without the traffic */
};

/* A unit that counts memory channels: a box for each, or one for all. */
bool channels_wanted(const struct pmon_unit *unit);
/* A unit that counts channels that other boxes of the part count as well: in a session of its own. */
bool channels_again_wanted(const struct pmon_unit *unit);
/* How many counters a box of a unit must have for channels_select() to count all of its channels. */
uint32_t channels_counters(const struct pmon_unit *unit);
/* Clears the session, programs the channels of one round and lists them after the n that are listed. Returns how
 * many are listed in all rounds so far, at most CHANNELS. */
uint32_t channels_select(struct pmon_session *session, struct channel *channels, uint32_t n, uint32_t round);
/* Fills in read, written, both and background of n channels, in bytes, background taken off, after
 * traffic_window_run() has filled counts in the round of theirs; what a channel has no counter for gets -1. A line
 * is 64 bytes: 327043-001 2.5, CAS_COUNT. */
void channels_read(const struct pmon_session *session, const struct traffic_window_counts *counts,
                   struct channel *channels, uint32_t n);
/* A package may have channels of two kinds of memory, modules and HBM. Drops channels of a kind that moved less than
 * CHANNELS_UNUSED of a load's bytes, and all channels of a package where both kinds moved more, or where one is known
 * to cache the other: what they should count is not known. Returns how many are left; say: each kind or package that
 * was dropped is noted. */
#define CHANNELS_UNUSED 0.25
uint32_t channels_keep_used(struct pmon_session *session, struct channel *channels, uint32_t n, bool say);
/* Bytes that the channel moved in both directions: by its event for both where it has one, else reads and writes added.
 * -1: it counts neither. May be a little below 0 where there was only background. */
double channel_bytes(const struct channel *ch);

struct channel_sums { /* of a package */
    double read, written, both;
    double background;  /* in both directions, in as long a time without the traffic */
    uint32_t n, n_live; /* channels, and such as count more than CHANNEL_DEAD of the average */
    double share;       /* the caller's: of two of these half of the load; else 0 */
    double median;      /* bytes of these in both directions: one channel that is off does not move it */
    bool split;         /* reads and writes are counted apart */
    double off;         /* the caller's: how many bytes more or less they count than the load moved */
    bool evenly;        /* the caller's: memory is interleaved evenly over them, by SMBIOS */
    bool even;          /* the caller's: no channel is far from the others */
    bool shown;         /* the caller's: they count what the load moved */
};
/* Of the n channels those of one package (its index), in bytes; all 0 with n 0 where it has none. */
struct channel_sums channels_sum(const struct pmon_session *session, const struct channel *channels, uint32_t n,
                                 uint32_t package);
