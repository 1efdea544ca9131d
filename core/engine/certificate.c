/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/engine/certificate.c: the last step of a run, "restore.registers". */
#include "core/engine/certificate.h"

#include "core/check/check.h"
#include "core/report/report_internal.h"

static const struct check_row restore_row = {
    .id = "restore.registers",
    .title = "Every register touched reads as it was found",
    .spec = "Assay's own rule: all modified registers are restored",
    .covers = "",
    .detects = "a register that does not take its value back, a path without restoration",
    .means = "a register was not restored: restart the machine before it is used",
    .next =
        "the register and processors in the finding; whether hardware changes it by itself; the same run after a cold "
        "boot",
    .risk = RISK_MSR,
    .grade = GRADE_F,
};

static const char *kind_name(enum ledger_kind kind)
{
    return kind == LEDGER_CONTROL ? "control" : kind == LEDGER_COUNTER ? "counter" : "not written back";
}

static bool is_as_found(const struct ledger_entry *e)
{
    return e->n_different == 0 && e->n_unread == 0;
}

/* Those of one kind that read as found, on the same number of processors each: a line for all, with the name of each and
 * how often it was written. The uncore of eight packages has 1,300. */
#define ALIKE_LISTED 64u

static void certify_alike(struct check *c, const struct ledger *l, enum ledger_kind kind)
{
    struct json *j = NULL;
    uint32_t listed = 0, processors = 0;
    char name[64];

    EACH(const struct ledger_entry, e, l->entries, l->n_entries) {
        if (e->kind != kind || !is_as_found(e))
            continue;
        if (listed == ALIKE_LISTED || (listed > 0 && e->n_equal != processors)) {
            report_artifact_end(c->report);
            listed = 0;
        }
        if (listed++ == 0) {
            processors = e->n_equal;
            c->state->record.n_evidence++;
            j = report_extension(c->report, "assay.restored");
            json_text(j, "kind", kind_name(kind));
            json_unsigned(j, "asFound", processors);
            json_object(j, "writes");
        }
        report_entry_name(c->report, e, name, sizeof name);
        json_unsigned(j, name, e->writes);
    }
    if (listed > 0)
        report_artifact_end(c->report);
}

static void certify_entry(struct check *c, const struct ledger_entry *e)
{
    char name[64];
    struct json *j = report_extension(c->report, "assay.restored");

    c->state->record.n_evidence++;
    report_entry_name(c->report, e, name, sizeof name);
    json_text(j, "register", name);
    json_hex(j, "address", e->address, 1);
    json_text(j, "kind", kind_name(e->kind));
    json_unsigned(j, "writes", e->writes);
    json_unsigned(j, "asFound", e->n_equal);
    json_unsigned(j, "different", e->n_different);
    json_unsigned(j, "unread", e->n_unread);
    if (e->n_different > 0) {
        json_unsigned(j, "cpu", e->different_cpu);
        json_hex(j, "found", e->found[e->different_cpu < e->n_values ? e->different_cpu : 0], 16);
        json_hex(j, "left", e->different_value, 16);
    }
    report_artifact_end(c->report);
    if (e->kind == LEDGER_CONTROL && e->n_different > 0)
        finding(c, FINDING_EXPECTED, 0, FOUND_NOT_RESTORED, place_of("%s", name),
                "found 0x%lx, left 0x%lx on cpu %u (%u processors differ)",
                e->found[e->different_cpu < e->n_values ? e->different_cpu : 0], e->different_value, e->different_cpu,
                e->n_different);
    if (e->n_unread > 0)
        finding(c, FINDING_UNUSUAL, 0, FOUND_NOT_READ_AGAIN, place_of("%s", name),
                "could not be read again on %u processors, first cpu %u (APIC 0x%x)", e->n_unread, e->unread_cpu,
                e->unread_cpu < c->platform->n_cpus ? c->platform->cpus[e->unread_cpu].apic_id : 0);
}

static void certify_items(struct check *c, const struct restored_item *items, uint32_t n_items)
{
    struct item_group groups[ITEM_GROUPS];
    bool lost = false;
    uint32_t n = report_group_items(items, n_items, groups, &lost);

    EACH(const struct item_group, g, groups, n) {
        struct json *j = report_extension(c->report, "assay.restored");

        c->state->record.n_evidence++;
        json_text(j, "register", g->name);
        json_text(j, "kind", "processor state");
        json_unsigned(j, "asFound", g->n - g->different);
        json_unsigned(j, "different", g->different);
        report_artifact_end(c->report);
        if (g->different > 0)
            finding(c, FINDING_EXPECTED, 0, FOUND_NOT_RESTORED, place_of("%s", g->name),
                    "found 0x%lx, left 0x%lx on cpu %u (%u processors differ)", g->found, g->left, g->first_cpu,
                    g->different);
    }
    if (lost)
        finding(c, FINDING_UNUSUAL, 0, FOUND_NOT_READ_AGAIN, PLACE_NONE,
                "more than %u kinds of processor state: the others are not listed", ITEM_GROUPS);
}

enum verdict certificate_report(struct report *r, const struct ledger *l, const struct restored_item *items,
                                uint32_t n_items)
{
    struct check_state state = { 0 };
    struct check c = { .row = &restore_row, .report = r, .state = &state };

    if (!r)
        return VERDICT_SKIP;
    c.platform = r->platform; /* no machine: no grade limit softens this rule */
    check_step_start(&c, 1);
    for (uint32_t i = 0; l && i < l->n_entries; i++)
        if (!is_as_found(&l->entries[i]))
            certify_entry(&c, &l->entries[i]);
    for (enum ledger_kind kind = 0; l && kind <= LEDGER_READONLY; kind++)
        certify_alike(&c, l, kind);
    certify_items(&c, items, n_items);
    if (l && l->lost)
        finding(&c, FINDING_UNUSUAL, 0, FOUND_NOT_RECORDED, PLACE_NONE,
                "a register could not be recorded before its first write, so that write was refused");
    if (state.record.n_evidence == 0)
        check_skip(&c, "no register was written");
    check_close(&c);
    if (r->started) {
        report_close_step(r, &state.record);
        text_certificate(r, l, items, n_items);
        report_flush_kept(r);
    }
    return check_verdict(&c);
}
