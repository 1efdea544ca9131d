/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/measure/pmon_channels.h"

#include "core/base/text.h"

#define LINE 64.0

bool channels_wanted(const struct pmon_unit *unit)
{
    return unit->kind == PMON_IMC || unit->kind == PMON_UNCORE || unit->kind == PMON_DF || unit->kind == PMON_UMC;
}

struct channel_events {
    const char *suffix;
    const char *rd, *wr, *all;
    uint32_t round;
};

/* Granite Rapids' channels are two sub-channels, each with an event of its own. */
static const struct channel_events imc_events[] = { { "", "cas_rd", "cas_wr", "cas_all", 0 },
                                                    { " sub-channel 1", "cas_rd_1", "cas_wr_1", NULL, 0 } };
static const struct channel_events uncore_events[] = { { " channel 0", "cas_rd_0", "cas_wr_0", NULL, 0 },
                                                       { " channel 1", "cas_rd_1", "cas_wr_1", NULL, 0 },
                                                       { " channel 2", "cas_rd_2", "cas_wr_2", NULL, 0 } };
static const struct channel_events df_events[] = {
    { " channel 0", NULL, NULL, "dram_0", 0 }, { " channel 1", NULL, NULL, "dram_1", 0 },
    { " channel 2", NULL, NULL, "dram_2", 0 }, { " channel 3", NULL, NULL, "dram_3", 0 },
    { " channel 4", NULL, NULL, "dram_4", 1 }, { " channel 5", NULL, NULL, "dram_5", 1 },
    { " channel 6", NULL, NULL, "dram_6", 1 }, { " channel 7", NULL, NULL, "dram_7", 1 },
};

static const struct channel_events *channel_events_of(const struct pmon_unit *unit, uint32_t *n)
{
    *n = unit->kind == PMON_UNCORE ? 3 : unit->kind == PMON_DF ? 8 : 2;
    return unit->kind == PMON_UNCORE ? uncore_events : unit->kind == PMON_DF ? df_events : imc_events;
}

static uint32_t select_next(struct pmon_session_box *b, uint32_t *next, const char *name)
{
    if (name == NULL || !traffic_window_select(b, *next, name))
        return NO_COUNTER;
    return (*next)++;
}

uint32_t channels_select(struct pmon_session *session, struct channel *channels, uint32_t n, uint32_t round)
{
    pmon_session_clear(session);
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];
        uint32_t n_events, next = 0;
        const struct channel_events *events = channel_events_of(b->unit, &n_events);

        for (uint32_t k = 0; k < n_events && n < CHANNELS; k++) {
            struct channel *ch = &channels[n];

            if (events[k].round != round || b->status != ST_OK)
                continue;
            *ch = (struct channel){ .box = i, .round = round, .read = -1, .written = -1, .both = -1 };
            ch->rd = select_next(b, &next, events[k].rd);
            ch->wr = select_next(b, &next, events[k].wr);
            ch->all = select_next(b, &next, events[k].all);
            text_format(ch->name, sizeof ch->name, "%s%s", b->name, events[k].suffix);
            n += ch->rd != NO_COUNTER || ch->all != NO_COUNTER;
        }
    }
    return n;
}

static double channel_counted_bytes(const struct pmon_session *session, const struct traffic_window_counts *counts,
                                    const struct channel *ch, uint32_t i)
{
    return i == NO_COUNTER ? -1 : LINE * traffic_window_net(counts, session, &session->boxes[ch->box], i);
}

static double channel_background_bytes(const struct pmon_session *session, const struct traffic_window_counts *counts,
                                       const struct channel *ch, uint32_t i)
{
    return i == NO_COUNTER ? 0 : LINE * traffic_window_background(counts, session, &session->boxes[ch->box], i);
}

void channels_read(const struct pmon_session *session, const struct traffic_window_counts *counts,
                   struct channel *channels, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        channels[i].read = channel_counted_bytes(session, counts, &channels[i], channels[i].rd);
        channels[i].written = channel_counted_bytes(session, counts, &channels[i], channels[i].wr);
        channels[i].both = channel_counted_bytes(session, counts, &channels[i], channels[i].all);
        channels[i].background = channels[i].rd == NO_COUNTER
                                     ? channel_background_bytes(session, counts, &channels[i], channels[i].all)
                                     : channel_background_bytes(session, counts, &channels[i], channels[i].rd) +
                                           channel_background_bytes(session, counts, &channels[i], channels[i].wr);
    }
}

double channel_bytes(const struct channel *ch)
{
    return ch->both >= 0 || ch->rd == NO_COUNTER ? ch->both : ch->read + ch->written;
}

struct channel_sums channels_sum(const struct pmon_session *session, const struct channel *channels, uint32_t n,
                                 uint32_t package)
{
    struct channel_sums s = { .split = true };

    for (uint32_t i = 0; i < n; i++) {
        if (session->boxes[channels[i].box].box->package != package)
            continue;
        s.n++;
        s.split &= channels[i].rd != NO_COUNTER;
        s.read += channels[i].rd != NO_COUNTER ? channels[i].read : 0;
        s.written += channels[i].wr != NO_COUNTER ? channels[i].written : 0;
        s.both += channel_bytes(&channels[i]);
        s.background += channels[i].background;
    }
    for (uint32_t i = 0; i < n && s.n; i++)
        s.n_live += session->boxes[channels[i].box].box->package == package &&
                    channel_bytes(&channels[i]) > CHANNEL_DEAD * s.both / s.n;
    return s;
}
