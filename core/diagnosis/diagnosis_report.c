/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/diagnosis/diagnosis_report.h"

#include "core/base/text.h"
#include "core/diagnosis/parts.h"
#include "core/diagnosis/repeat.h"
#include "core/report/report_internal.h"

static const struct report_step step = { .id = "diagnosis",
                                         .title = "Verdict by monitor, and causes of the findings of this run",
                                         .specification = "Assay's own rule: docs/report.md",
                                         .rows = "",
                                         .detects = "a cause that explains several findings",
                                         .risk = "none",
                                         .grade = "FAIL" };

size_t diagnosis_report_line(const struct diagnosed *d, char *out, size_t size)
{
    bool what = d->part[0] || d->amount[0];

    return text_format(out, size, "%s%s%s%s%s%s: %s", diagnosed_monitor(d), what ? " (" : "", d->part,
                       d->part[0] && d->amount[0] ? ", " : "", d->amount, what ? ")" : "", diagnosed_says(d));
}

/* The id under which testRunStart lists the hardware that the place is, or is in: "package0", "l3.1". */
static void put_hardware(struct json *j, const struct machine *m, const struct place *p)
{
    uint32_t cpu = place_has(p, PLACE_CPU) ? p->number[PLACE_CPU] : m->n_cpus;

    if (place_has(p, PLACE_PACKAGE))
        json_format(j, "hardwareInfoId", "package%u", p->number[PLACE_PACKAGE]);
    else if (place_has(p, PLACE_DOMAIN))
        json_format(j, "hardwareInfoId", "l3.%u", p->number[PLACE_DOMAIN]);
    else if (cpu < m->n_cpus && m->cpus[cpu].package != NO_PACKAGE)
        json_format(j, "hardwareInfoId", "package%u", m->cpus[cpu].package);
}

static void put_cause(struct json *j, const struct diagnosed *d)
{
    char verdict[96];

    text_format(verdict, sizeof verdict, "assay-diagnosis-%s", diagnosed_id(d));
    for (char *c = verdict; *c; c++)
        *c = *c == '.' ? '-' : *c;
    json_text(j, "verdict", verdict);
}

static void put_diagnosis(struct report *r, const struct diagnosed *d, const struct parts *parts)
{
    struct json *j = report_step_artifact(r, "diagnosis");
    char text[512], location[PLACE_TEXT];

    diagnosis_report_line(d, text, sizeof text);
    put_cause(j, d);
    json_text(j, "type", d->verdict == VERDICT_FAIL ? "FAIL" : "UNKNOWN");
    json_text(j, "message", text);
    if (d->part[0]) {
        put_hardware(j, r->machine, &parts->list[0].place);
        json_object(j, "subcomponent");
        json_text(j, "name", d->part);
        if (parts->n == 1 && place_location(&parts->list[0].place, location, sizeof location) > 0)
            json_text(j, "location", location);
        json_end(j);
    }
    report_artifact_end(r);
}

/* What the page and scripts fold under it. */
static void put_locations(struct json *j, const struct parts *parts)
{
    char location[PLACE_TEXT];

    json_array(j, "locations");
    for (uint32_t i = 0; i < parts->n; i++)
        if (place_location(&parts->list[i].place, location, sizeof location) > 0)
            json_text(j, NULL, location);
    json_end(j);
}

static void put_extension(struct report *r, const struct symptoms *s, const struct diagnosed *d,
                          const struct parts *parts, const char *repeat)
{
    struct json *j = report_extension(r, "assay.diagnosis");

    json_text(j, "cause", diagnosed_id(d));
    json_text(j, "monitor", diagnosed_monitor(d));
    json_text(j, "kind", d->cause ? defect_kind_text(d->cause->defect) : "");
    json_text(j, "says", diagnosed_says(d));
    json_text(j, "part", d->part);
    if (d->part[0])
        put_locations(j, parts);
    json_text(j, "amount", d->amount);
    json_text(j, "sure", confidence_text(d->sure));
    json_text(j, "check", d->row->id);
    json_text(j, "finding", d->finding);
    json_text(j, "next", diagnosed_next(d) ? diagnosed_next(d) : "");
    json_text(j, "repeat", repeat);
    json_array(j, "explains");
    for (const struct symptom *at = s->first; at; at = at->next)
        if (symptom_is_bad(at) && diagnosed_explains(d, at))
            json_text(j, NULL, at->row->id);
    json_end(j);
    json_array(j, "orElse");
    for (uint32_t i = 0; i < ALTERNATIVES; i++)
        if (d->or_else[i])
            json_text(j, NULL, d->or_else[i]->id);
    json_end(j);
    report_artifact_end(r);
}

#define DETAILED 3u /* causes with all that is known of them in report.txt; a line of the others */

static const char *how_many(const struct diagnosed *d)
{
    return d->n_follow == 1 ? "check" : "checks";
}

static void say_sure(struct report *r, const struct diagnosed *d)
{
    const struct cause *other = d->sure != SURE_CERTAIN ? d->or_else[0] : NULL;
    char text[512];

    text_format(text, sizeof text, "%s: explains %u %s%s%s%s", confidence_text(d->sure), d->n_follow, how_many(d),
                d->verdict == VERDICT_FAIL ? ""
                : d->n_follow == 1         ? ", a WARN"
                                           : ", all of them WARN",
                other ? "; else: " : "", other ? other->says : "");
    text_paragraph(r, "  sure     ", text);
}

static void say_diagnosed(struct report *r, const struct diagnosed *d, const char *repeat)
{
    char text[512];

    diagnosis_report_line(d, text, sizeof text);
    text_paragraph(r, "Cause      ", text);
    text_format(text, sizeof text, "%s: %s", d->row->id, d->finding);
    text_paragraph(r, "  seen by  ", text);
    say_sure(r, d);
    if (diagnosed_next(d))
        text_paragraph(r, "  look at  ", diagnosed_next(d));
    text_paragraph(r, "  repeat   ", repeat);
}

static void say_shortly(struct report *r, const struct diagnosed *d)
{
    char line[512], text[512];

    diagnosis_report_line(d, line, sizeof line);
    text_format(text, sizeof text, "%s [%s, %u %s]", line, confidence_text(d->sure), d->n_follow, how_many(d));
    text_paragraph(r, "Cause      ", text);
}

/* line: what people read of it and of those like it; bad: the checks that count against it. */
static void put_monitor(struct report *r, const struct symptoms *s, const struct diagnosis *d, const struct monitors *m,
                        const struct monitor *of, const char *line)
{
    struct json *j = report_extension(r, "assay.monitor");
    char repeat[256];

    json_text(j, "monitor", of->name);
    json_bool(j, "uncore", of->unit != NULL);
    json_text(j, "state", monitor_state_text(of->state));
    json_text(j, "says", of->says);
    if (line[0])
        json_text(j, "line", line);
    if (of->excludes > 0) {
        json_decimal(j, "excludes", of->excludes);
        json_text(j, "unit", of->unit_of_excludes);
    }
    if (of->unit && (of->state == MONITOR_FAIL || of->state == MONITOR_WARN)) {
        (void)repeat_unit(of->unit, "", repeat, sizeof repeat);
        json_text(j, "repeat", repeat);
    }
    json_array(j, "bad");
    for (const struct symptom *at = s->first; at; at = at->next)
        if (monitor_verdict_of(m, d, at, of) != VERDICT_PASS)
            json_text(j, NULL, at->row->id);
    json_end(j);
    report_artifact_end(r);
}

static void put_monitors(struct report *r, const struct symptoms *s, const struct diagnosis *d,
                         const struct monitors *m)
{
    char line[1024];

    for (uint32_t i = 0, said = 0; i < m->n; i++) {
        line[0] = '\0';
        (void)monitors_line(m, i, line, sizeof line);
        put_monitor(r, s, d, m, &m->list[m->shown[i]], line);
        if (line[0])
            text_paragraph(r, said++ == 0 ? "Monitors   " : "           ", line);
    }
}

/* A step without a finding is a PASS, which says so. */
static void put_none(struct report *r)
{
    struct json *j = report_step_artifact(r, "diagnosis");

    json_text(j, "verdict", "assay-diagnosis-none");
    json_text(j, "type", "PASS");
    json_text(j, "message", "no check found anything");
    report_artifact_end(r);
}

static void put_run(struct report *r, const struct symptoms *s)
{
    struct json *j = report_extension(r, "assay.run");

    json_bool(j, "stopped", s->stopped);
    report_artifact_end(r);
}

void diagnosis_report(struct report *r, const struct symptoms *s, const struct diagnosis *d, const struct monitors *m)
{
    struct check_record record = { .verdict = d->n > 0 ? VERDICT_WARN : VERDICT_PASS, .n_findings = d->n };
    struct parts parts;
    char more[64], repeat[256];

    if (!r || !r->started)
        return;
    report_step_start(r, &step, 1);
    text_rule(r);
    text_turn(r, TEXT_CAUSES);
    put_run(r, s);
    if (!s->lost)
        put_monitors(r, s, d, m);
    if (d->n == 0)
        put_none(r);
    for (uint32_t i = 0; i < d->n; i++) {
        if (d->list[i].verdict == VERDICT_FAIL)
            record.verdict = VERDICT_FAIL;
        diagnosed_parts(&d->list[i], s, r->machine, &parts);
        put_diagnosis(r, &d->list[i], &parts);
        (void)repeat_diagnosed(&d->list[i], m, parts.n > 0 ? parts.list[0].place.unit : "", repeat, sizeof repeat);
        put_extension(r, s, &d->list[i], &parts, repeat);
        if (i < DETAILED)
            say_diagnosed(r, &d->list[i], repeat);
        else
            say_shortly(r, &d->list[i]);
    }
    if (d->n_left > 0)
        text_format(more, sizeof more, "%u more checks said FAIL or WARN.", d->n_left);
    if (d->n_left > 0)
        text_paragraph(r, "           ", more);
    text_turn(r, TEXT_NONE);
    report_close_silently(r, &record);
    report_flush_kept(r);
}
