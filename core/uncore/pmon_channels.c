/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/uncore/pmon_channels.h"

#include <string.h>

#include "core/base/stats.h"

#define LINE 64.0

bool channels_wanted(const struct pmon_unit *unit)
{
    return unit->events.n_channels > 0 && !unit->events.channels_again;
}

bool channels_again_wanted(const struct pmon_unit *unit)
{
    return unit->events.n_channels > 0 && unit->events.channels_again;
}

uint32_t channels_counters(const struct pmon_unit *unit)
{
    uint32_t most = 0;

    for (uint32_t round = 0; round < CHANNEL_ROUNDS; round++) {
        uint32_t n = 0;

        EACH(const struct pmon_channel, ch, unit->events.channels, unit->events.n_channels)
            if (ch->round == round)
                n += (ch->rd != NULL) + (ch->wr != NULL) + (ch->all != NULL);
        most = n > most ? n : most;
    }
    return most;
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
        uint32_t next = 0;

        for (uint32_t k = 0; k < b->unit->events.n_channels && n < CHANNELS; k++) {
            const struct pmon_channel *counted = &b->unit->events.channels[k];
            struct channel *ch = &channels[n];

            if (counted->round != round || b->status != ST_OK)
                continue;
            *ch = (struct channel){ .box = i, .round = round, .read = -1, .written = -1, .both = -1 };
            ch->rd = select_next(b, &next, counted->rd);
            ch->wr = select_next(b, &next, counted->wr);
            ch->all = select_next(b, &next, counted->all);
            ch->place = pmon_place(b->box);
            if (counted->channel)
                ch->place = place_with(ch->place, PLACE_CHANNEL, counted->channel - 1);
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
    double live[CHANNELS];

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
        if (session->boxes[channels[i].box].box->package == package &&
            channel_bytes(&channels[i]) > CHANNEL_DEAD * s.both / s.n)
            live[s.n_live++] = channel_bytes(&channels[i]);
    s.median = s.n_live ? stats_median(live, s.n_live) : 0;
    return s;
}

/* --- kinds of memory ---------------------------------------------------------------------------------------------- */

static const struct pmon_session_box *channels_box(const struct pmon_session *session, const struct channel *ch)
{
    return &session->boxes[ch->box];
}

static bool is_of_kind(const struct pmon_session_box *b, const char *kind)
{
    const char *name = b->unit->name;

    return name != NULL && kind != NULL && strcmp(name, kind) == 0;
}

/* kind NULL: of all. */
static double bytes_of_kind(const struct pmon_session *session, const struct channel *channels, uint32_t n,
                            uint32_t package, const char *kind)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        const struct pmon_session_box *b = channels_box(session, &channels[i]);

        if (b->box->package == package && (kind == NULL || is_of_kind(b, kind)) && channel_bytes(&channels[i]) > 0)
            sum += channel_bytes(&channels[i]);
    }
    return sum;
}

/* The package's kind that counts most. */
static const char *channels_first_kind(const struct pmon_session *session, const struct channel *channels, uint32_t n,
                                       uint32_t package)
{
    const char *most = NULL;

    for (uint32_t i = 0; i < n; i++) {
        const char *kind = channels_box(session, &channels[i])->unit->name;

        if (channels_box(session, &channels[i])->box->package == package &&
            (most == NULL ||
             bytes_of_kind(session, channels, n, package, kind) > bytes_of_kind(session, channels, n, package, most)))
            most = kind;
    }
    return most;
}

/* Of the package's channels those of `kind`, or none where it is NULL, and all of other packages. */
static uint32_t channels_keep_kind(const struct pmon_session *session, struct channel *channels, uint32_t n,
                                   uint32_t package, const char *kind)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < n; i++) {
        const struct pmon_session_box *b = channels_box(session, &channels[i]);

        if (b->box->package != package || is_of_kind(b, kind))
            channels[kept++] = channels[i];
    }
    return kept;
}

uint32_t channels_keep_used(struct pmon_session *session, struct channel *channels, uint32_t n, bool say)
{
    struct check *c = session->check;

    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        const char *most = channels_first_kind(session, channels, n, p);
        double all = bytes_of_kind(session, channels, n, p, NULL);
        double rest = most ? all - bytes_of_kind(session, channels, n, p, most) : 0;
        uint32_t left = most ? channels_keep_kind(session, channels, n, p, most) : n;

        if (c->tools->pmon.packages[p].cached_rules) {
            n = channels_keep_kind(session, channels, n, p, NULL);
            if (say && most)
                check_note(c,
                           "package %u: HBM is a cache of the modules: its %s channels count %lu bytes, others %lu; "
                           "not judged, since no document says what a look-up and a fill count",
                           p, most, (uint64_t)(all - rest), (uint64_t)rest);
            continue;
        }
        if (left == n)
            continue;
        if (say && rest <= CHANNELS_UNUSED * all)
            check_note(c, "package %u: the load is in memory of its %s channels; others count %lu bytes: not judged", p,
                       most, (uint64_t)rest);
        n = left;
        if (rest <= CHANNELS_UNUSED * all)
            continue;
        n = channels_keep_kind(session, channels, n, p, NULL);
        if (say)
            check_note(c,
                       "package %u: its %s channels count %lu bytes, others %lu: one memory may be a cache of the "
                       "other; neither is judged",
                       p, most, (uint64_t)(all - rest), (uint64_t)rest);
    }
    return n;
}
