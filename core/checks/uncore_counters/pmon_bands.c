/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Frequency bands of the power control unit: four thresholds in one filter, one for each of four events. Witness: the
 * thresholds themselves: every cycle passes one of them, and none the other three. */
#include "core/checks/families.h"
#include "core/uncore/pmon_session.h"

#define GUIDE                                                                                                          \
    "E5-2600 Uncore Guide 327043-001 2.6 PCU performance monitoring, FREQ_BANDn_CYCLES and PCU_MSR_PMON_BOX_FILTER; "  \
    "Linux uncore_snbep.c skx_uncore_pcu"

#define BANDS     4u
#define NEVER     UINT32_MAX /* 25.5 GHz for every band */
#define BAND_BITS 8u

static const char *const names[BANDS] = { "freq_band_0", "freq_band_1", "freq_band_2", "freq_band_3" };

static bool has_bands(const struct pmon_unit *unit)
{
    return unit->layout->box && unit->layout->filter0 && unit->layout->counters >= BANDS &&
           pmon_event_named(unit, names[0]);
}

/* Band n on counter n; the threshold of `open` is 0, those of the others are out of reach. */
static void select_bands(struct pmon_session *session, uint32_t open)
{
    pmon_session_clear(session);
    pmon_session_each(session, b) {
        b->filter[0] = NEVER & ~(0xFFu << (BAND_BITS * open));
        for (uint32_t k = 0; k < BANDS; k++) {
            struct pmon_event event = { .ev_sel = pmon_event_named(b->unit, names[k])->ev_sel, .enable = true };

            if (pmon_encode(b->unit, &event, &b->ctl[k]) != ST_OK)
                b->ctl[k] = 0;
        }
    }
}

/* Sources disagree on the position of a band's byte when two bands share the filter (Linux shifts by the band, not by
 * eight times the band): here every band is tried alone. */
static void judge_bands(struct pmon_session *session, uint32_t open)
{
    pmon_session_each(session, b) {
        for (uint32_t k = 0; k < BANDS && b->status == ST_OK; k++)
            pmon_session_expect(session, b, k, k == open ? "cycles at 0 MHz or more" : "cycles at 25.5 GHz or more",
                                (double)pmon_session_counts(b, k), "counts", k == open ? 1 : 0,
                                k == open ? NO_BOUND : 0, k == open ? FOUND_FILTER_STOPS : FOUND_FILTER_PASSES,
                                k == open ? "counts nothing with threshold 0"
                                          : "counts above 25.5 GHz: uses another band's threshold");
    }
}

static void bands_window(struct pmon_session *session, uint32_t open)
{
    select_bands(session, open);
    pmon_session_measure(session, pmon_session_ticks(session));
}

/* On parts whose event file has no bands, boxes none of whose bands counts with threshold 0 leave the session. */
static void keep_counting(struct pmon_session *session)
{
    bool *counts = check_alloc(session->check, sizeof *counts * session->n);
    uint32_t kept = 0;

    for (uint32_t open = 0; counts && open < BANDS; open++) {
        bands_window(session, open);
        for (uint32_t i = 0; i < session->n * BANDS; i++) /* whichever band has threshold 0 */
            counts[i / BANDS] |= pmon_session_counts(&session->boxes[i / BANDS], i % BANDS) > 0;
    }
    pmon_session_silence(session);
    for (uint32_t i = 0; counts && i < session->n; i++) {
        if (counts[i] || !pmon_event_named(session->boxes[i].unit, names[0])->unpublished)
            session->boxes[kept++] = session->boxes[i];
        else
            check_note(session->check, "%s: no band counts a cycle, and the event file of the part has none",
                       session->boxes[i].name);
    }
    session->n = counts ? kept : session->n;
}

static enum status bands_try_each(struct pmon_session *session)
{
    keep_counting(session);
    for (uint32_t open = 0; open < BANDS; open++) {
        bands_window(session, open);
        judge_bands(session, open);
    }
    return session->n ? ST_OK : check_absent(session->check, "no band of a power control unit counts a cycle");
}

static const struct check_row rows[] = {
    { .id = "pmon.bands",
      .title = "Each frequency band uses its own byte of the PCU filter",
      .spec = GUIDE,
      .covers = "V10",
      .detects = "a filter that is ignored, or whose bytes belong to other bands",
      .wanted = has_bands,
      .run_session = bands_try_each },
};
CHECK_FAMILY(pmon_bands, rows, UNCORE_FAMILY, .risk = RISK_MSR, .grade = GRADE_W, .order = 960);
