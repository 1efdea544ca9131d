/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/events/event_perf.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/search.h"
#include "core/base/text.h"

/* The first c before end; end: there is none. */
static const char *first_of(const char *at, const char *end, char c)
{
    while (at < end && *at != c)
        at++;
    return at;
}

/* --- where an event ends ------------------------------------------------------------------------------------------ */

/* Of "PMU/...": the slash that closes it, which the end or a comma follows; NULL: there is none. */
static const char *closing_slash(const char *text)
{
    const char *slash = text;

    while (*slash && *slash != '/' && *slash != ',')
        slash++;
    if (*slash != '/')
        return NULL;
    for (slash++; *slash && *slash != '/'; slash++)
        ;
    return *slash && (slash[1] == '\0' || slash[1] == ',') ? slash : NULL;
}

size_t event_first_length(const char *list)
{
    const char *end = closing_slash(list);

    for (end = end ? end + 1 : list; *end && *end != ','; end++)
        ;
    return (size_t)(end - list);
}

/* --- words -------------------------------------------------------------------------------------------------------- */

struct words {
    char *out;
    size_t n, size;
};

static void put(struct words *w, const char *from, size_t length)
{
    for (size_t i = 0; i < length; i++, w->n++)
        if (w->n + 1 < w->size)
            w->out[w->n] = from[i];
}

static void put_text(struct words *w, const char *text)
{
    put(w, text, strlen(text));
}

static bool is_word(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

/* Names that the kernel's PMUs have for events and units, and this project's. Linux uncore_snbep.c, uncore_snb.c, uncore_discovery.c:
 * INTEL_UNCORE_EVENT_DESC(), names of struct intel_uncore_type. */
static const struct renamed {
    const char *perf, *ours;
} events[] = { { "cas_count_read", "cas_rd" }, { "cas_count_write", "cas_wr" }, { "clockticks", "clock" },
               { "data_read", "ddr_rd" },      { "data_write", "ddr_wr" },      { "data_total", "ddr_all" },
               { "data_reads", "ddr_rd" },     { "data_writes", "ddr_wr" } },
  units[] = { { "cbox", "cbo" },
              { "sbox", "SBo" },
              { "iio_free_running", "IIO-free" },
              { "imc_free_running", "MC" },
              { "clock", "NCU" } };

static void put_renamed(struct words *w, const struct renamed *table, size_t n, const char *at, size_t length)
{
    for (size_t k = 0; k < n; k++)
        if (is_word(at, length, table[k].perf)) {
            put_text(w, table[k].ours);
            return;
        }
    put(w, at, length);
}

static size_t word_length(const char *at, const char *end)
{
    return (size_t)(first_of(at, end, ',') - at);
}

/* "FIELD=VALUE" of perf's list; its length by *length. NULL: it is not there. */
static const char *value_of(const char *at, const char *end, const char *field, size_t *length)
{
    for (size_t n; at < end; at += n + 1) {
        n = word_length(at, end);
        if (n > strlen(field) && memcmp(at, field, strlen(field)) == 0 && at[strlen(field)] == '=') {
            *length = n - strlen(field) - 1;
            return at + strlen(field) + 1;
        }
    }
    return NULL;
}

/* The other fields; a flag has no value here, and one of 0 is left out. */
static void put_fields(struct words *w, const char *at, const char *end, bool by_code)
{
    static const char *const flags[] = { "edge", "inv", "tid_en" };

    for (size_t n; at < end; at += n + 1) {
        const char *equals;
        bool flag;
        size_t name;

        n = word_length(at, end);
        equals = first_of(at, at + n, '=');
        name = (size_t)(equals - at);
        if (by_code && (is_word(at, name, "event") || is_word(at, name, "umask")))
            continue;
        flag = ANY_OF(k, sizeof flags / sizeof *flags, is_word(at, name, flags[k]));
        if (flag && name < n && is_word(equals + 1, n - name - 1, "0"))
            continue;
        put_text(w, ":");
        put(w, at, flag && name < n && is_word(equals + 1, n - name - 1, "1") ? name : n);
    }
}

static bool starts_with(const char *text, const char *prefix)
{
    return strlen(text) >= strlen(prefix) && memcmp(text, prefix, strlen(prefix)) == 0;
}

enum status event_from_perf(const char *text, char *out, size_t size)
{
    struct words w = { .out = out, .size = size };
    const char *close = closing_slash(text), *pmu = text, *slash, *end = text + strlen(text), *code, *umask;
    bool prefixed = starts_with(text, "uncore_") || starts_with(text, "amd_");
    size_t n_code = 0, n_umask = 0;

    slash = first_of(text, end, '/');
    if (*slash == '\0' || (!close && !prefixed)) {
        put_text(&w, text);
    } else {
        end = close ? close : end;
        pmu += prefixed ? (size_t)(first_of(text, end, '_') - text) + 1 : 0;
        put_renamed(&w, units, sizeof units / sizeof *units, pmu, (size_t)(slash - pmu));
        put_text(&w, "/");
        slash++;
        code = value_of(slash, end, "event", &n_code);
        umask = value_of(slash, end, "umask", &n_umask);
        if (code) {
            put(&w, code, n_code);
            put_text(&w, ":");
            put(&w, umask ? umask : "0", umask ? n_umask : 1);
            put_fields(&w, slash, end, true);
        } else {
            size_t n = word_length(slash, end);

            put_renamed(&w, events, sizeof events / sizeof *events, slash, n);
            if (slash + n < end)
                put_fields(&w, slash + n + 1, end, false);
        }
    }
    out[w.n < size ? w.n : 0] = '\0';
    return w.n < size ? ST_OK : ST_RANGE;
}

void event_perf_pmu(const char *unit, char *out, size_t size)
{
    static const char *const amd[] = { "L3", "DF", "UMC" };
    const char *prefix = text_equal(unit, "uncore") ? "" : "uncore_", *name = unit;

    for (size_t k = 0; k < sizeof amd / sizeof *amd; k++)
        prefix = text_equal(unit, amd[k]) ? "amd_" : prefix;
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        name = text_equal_nocase(unit, units[k].ours) ? units[k].perf : name;
    text_format(out, size, "%s%s%s", prefix, name,
                unit[0] && !unit[1] ? "box" : ""); /* Nehalem-EX: "C" is uncore_cbox */
    text_lower(out);
}
