/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/run/counting.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/data/whole_file.h"

void counting_line(void *context, const char *line)
{
    struct counting *c = context;
    size_t had = strlen(c->text);

    cr_expect_lt(strlen(line), 160, "%s", line);
    snprintf(c->text + had, sizeof c->text - had, "%s\n", line);
}

static struct counting *last;

void counting_end(void)
{
    if (last == NULL)
        return;
    cr_expect_eq(ledger_restore(&last->mp->platform), ST_OK);
    event_file_free(&last->file);
    tools_free(&last->tools);
    machine_free(&last->machine);
    ledger_free(&last->ledger);
    model_platform_free(last->mp);
    free(last);
    last = NULL;
}

struct counting *counting_on(const struct model_config *config)
{
    struct counting *c = calloc(1, sizeof *c);

    counting_end();
    cr_assert_not_null(c);
    c->mp = model_platform_new(config, 0);
    cr_assert_not_null(c->mp);
    cr_assert_eq(ledger_init(&c->mp->platform, &c->ledger), ST_OK);
    cr_assert_eq(machine_enumerate(&c->mp->platform, &c->machine), ST_OK);
    cr_assert_eq(tools_init(&c->tools, &c->mp->platform, &c->machine, 0), ST_OK);
    options_default(&c->options);
    c->options.size_bytes = 1 << 20;
    return last = c;
}

struct counting *counting_faulty(const char *profile, const char *fault)
{
    return counting_on(&MODEL(profile, 2, 2, 1, .seed = 1, .faults = { fault }));
}

struct counting *counting_new(const char *profile)
{
    return counting_faulty(profile, NULL);
}

static enum status run(struct counting *c, const char *events)
{
    struct count_output out = { .say = counting_line, .context = c };
    struct count_request request = { .options = &c->options, .files = &c->file, .n_files = c->file.n_events > 0 };

    c->options.n_counts = 1;
    snprintf(c->options.counts[0], sizeof c->options.counts[0], "%s", events);
    c->text[0] = '\0';
    return count_run(&c->tools, &request, &out, &c->error);
}

void counting_counts(struct counting *c, const char *events)
{
    cr_assert_eq(run(c, events), ST_OK, "%s: %s: %s", model_profile(c->mp->model), events, c->error.text);
}

void counting_refuses(struct counting *c, const char *events, const char *words)
{
    cr_expect_eq(run(c, events), ST_RANGE, "%s", events);
    cr_expect(!words || strstr(c->error.text, words), "%s: %s", events, c->error.text);
}

void counting_says(const struct counting *c, const char *words)
{
    cr_expect_not_null(strstr(c->text, words), "%s is not in %s", words, c->text);
}

double counting_row(const struct counting *c, const char *event, const char *where)
{
    char head[128];
    const char *at;

    snprintf(head, sizeof head, "\n%s: ", event);
    at = strstr(c->text, head);
    cr_assert_not_null(at, "%s: %s", event, c->text);
    at = strstr(at, where);
    cr_assert_not_null(at, "%s: %s", where, c->text);
    return strtod(at + strlen(where), NULL);
}

void counting_events(struct counting *c, const char *name)
{
    struct event_file_error error;
    char path[512], *text;
    size_t n;

    snprintf(path, sizeof path, "%s/tests/fixtures/events/%s.events", ASSAY_ROOT, name);
    text = whole_file(path, &n);
    cr_assert_not_null(text, "%s", path);
    cr_assert_eq(event_file_parse(&c->file, text, n, &error), ST_OK, "%s", error.text);
    free(text);
}
