/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/report/report_internal.h"

static const char *s_of(uint32_t n) /* "1 node", "2 nodes" */
{
    return n == 1 ? "" : "s";
}

/* "55 MiB", "1.5 GiB", "90112 bytes": the largest unit that needs at most two decimals to be exact, else bytes. */
static const char *size_text(uint64_t bytes, char *text, size_t size)
{
    static const char *const units[] = { "TiB", "GiB", "MiB", "KiB" };
    char number[40];

    for (unsigned i = 0; i < 4; i++) {
        unsigned shift = 40 - 10 * i;

        if (bytes >> shift == 0 || bytes % ((UINT64_C(1) << shift) / 4) != 0)
            continue;
        text_decimal(number, sizeof number, (double)bytes / (double)(UINT64_C(1) << shift));
        text_format(text, size, "%s %s", number, units[i]);
        return text;
    }
    text_format(text, size, "%lu bytes", bytes);
    return text;
}

/* --- header ------------------------------------------------------------------------------------------------------ */

/* "maker product version, serial X", of the parts that there are. */
static void put_identity(struct report *r, const char *prefix, const char *const parts[3], const char *serial)
{
    char text[320];
    size_t n = 0;

    text[0] = '\0';
    for (int i = 0; i < 3; i++)
        if (parts[i][0])
            n += text_format(text + n, sizeof text - n, "%s%s", n > 0 ? " " : "", parts[i]);
    if (n == 0)
        n = text_format(text, sizeof text, "no name");
    text_format(text + n, sizeof text - n, "%s%s", serial[0] ? ", serial " : ", no serial number", serial);
    text_paragraph(r, prefix, text);
}

static void put_machine(struct report *r)
{
    const struct machine *m = r->machine;
    const struct smbios_info *s = &m->smbios;
    const char *const system[] = { s->system_manufacturer, s->system_product_name, s->system_version };
    const char *const board[] = { s->baseboard_manufacturer, s->baseboard_product_name, s->baseboard_version };

    if (s->status == ST_ABSENT) {
        text_say(r, "Machine    ", "no SMBIOS tables");
    } else {
        put_identity(r, "Machine    ", system, s->system_serial_number);
        if (board[0][0] || board[1][0])
            put_identity(r, "Baseboard  ", board, s->baseboard_serial_number);
    }
    text_say(r, "Firmware   ", "%s %s%s%s, Secure Boot %s", s->bios_vendor[0] ? s->bios_vendor : "unnamed",
             s->bios_version, s->bios_release_date[0] ? " of " : "", s->bios_release_date,
             !m->secure_boot_known ? "unknown"
             : m->secure_boot      ? "on"
                                   : "off");
}

static void put_microcode(const struct report *r, char *text, size_t size)
{
    const struct machine *m = r->machine;
    const struct cpu *ref = &m->cpus[m->reference];
    uint32_t others;

    if (ref->microcode_status != ST_OK) {
        text_format(text, size, "microcode %s", status_text(ref->microcode_status));
        return;
    }
    others = HOW_MANY(i, m->n_cpus,
                      m->cpus[i].enumerated == ST_OK && m->cpus[i].microcode_status == ST_OK &&
                          m->cpus[i].microcode != ref->microcode);
    size_t n = text_format(text, size, "microcode 0x%08lx", ref->microcode);
    if (others > 0 && n < size)
        text_format(text + n, size - n, " (%u processors with another revision)", others);
}

static void put_unused_processors(struct report *r)
{
    const struct platform *p = r->platform;
    char list[200];
    size_t n = 0;
    uint32_t more = 0;

    for (uint32_t i = 0; i < p->n_cpus; i++) {
        if (cpu_takes_work(p, i))
            continue;
        if (n < sizeof list - 32)
            n += text_format(list + n, sizeof list - n, "%scpu %u (APIC 0x%x)", n ? ", " : "", i, p->cpus[i].apic_id);
        else
            more++;
    }
    if (n > 0 && more > 0)
        text_say(r, "           ", "not used: %s and %u more", list, more);
    else if (n > 0)
        text_say(r, "           ", "not used: %s", list);
}

static void put_processors(struct report *r)
{
    const struct machine *m = r->machine;
    const struct platform *p = r->platform;
    const struct cpu *ref = &m->cpus[m->reference];
    char text[96], hz[32];
    uint32_t started;

    put_microcode(r, text, sizeof text);
    text_say(r, "Processor  ", "%s", m->brand[0] ? m->brand : "no brand string");
    text_say(r, "           ", "%s, %s family 0x%x model 0x%x stepping %u, %s",
             m->generation ? m->generation : "unknown", ref->id.vendor_string, ref->id.family, ref->id.model,
             ref->id.stepping, text);
    started = HOW_MANY(i, p->n_cpus, cpu_takes_work(p, i));
    text_say(r, "           ", "%u logical processor%s in %u package%s, %u used; MP method: %s", p->n_cpus,
             s_of(p->n_cpus), m->n_packages, s_of(m->n_packages), started,
             p->mp_method ? p->mp_method : "the boot processor alone");
    put_unused_processors(r);
    text_decimal(hz, sizeof hz, (double)m->tsc_hz / 1e6);
    text_say(r, "           ", "TSC %s MHz (%s)%s%s%s", hz, m->tsc_source ? m->tsc_source : "unknown source",
             m->tsc_invariant ? ", invariant" : "", m->hypervisor ? ", hypervisor " : "",
             m->hypervisor ? m->hypervisor_name : "");
    if (m->n_disagreements > 0)
        text_say(r, "           ", "%u CPUID leaves differ between processors", m->n_disagreements);
}

static void put_memory(struct report *r)
{
    const struct machine *m = r->machine;
    char total[40], l3[40];

    if (m->n_domains > 0)
        text_say(r, "L3         ", "%u domain%s; the first has %s, %u ways, %s", m->n_domains, s_of(m->n_domains),
                 size_text(l3_whole_bytes(&m->domains[0]), l3, sizeof l3), m->domains[0].l3_ways,
                 m->domains[0].l3_inclusive ? "inclusive" : "not inclusive");
    text_say(r, "Memory     ", "%s on %u node%s (%s)", size_text(m->memory_bytes, total, sizeof total), m->n_nodes,
             s_of(m->n_nodes), m->srat_present ? "SRAT" : "no SRAT");
}

static void put_rdt_lines(struct report *r)
{
    const struct machine *m = r->machine;
    const struct rdt_info *rdt = &m->cpus[m->reference].rdt;

    if (!rdt->monitoring || !rdt->l3_known)
        text_say(r, "Monitoring ", "none (CPUID.7.0:EBX[12] = %u)", rdt->monitoring);
    else
        text_say(r, "Monitoring ", "%s%s%sRMID 0 to %u, upscaling factor %u bytes, %u-bit counters",
                 rdt->occupancy ? "CMT, " : "", rdt->total ? "MBM total, " : "", rdt->local ? "MBM local, " : "",
                 rdt->max_rmid, rdt->upscaling_factor, rdt->counter_width);
    if (!rdt->allocation || !rdt->l3.present)
        text_say(r, "Allocation ", "none of L3 (CPUID.7.0:EBX[15] = %u)%s", rdt->allocation,
                 m->generation && text_equal(m->generation, "Haswell-EP") /* Linux, cache_alloc_hsw_probe() */
                     ? "; CAT of some E5 v3 is not enumerated, and not checked"
                     : "");
    else
        text_say(r, "Allocation ", "L3 CAT: CBM of %u bits, %u CLOS%s", rdt->l3.cbm_len, rdt->l3.clos,
                 rdt->l3.cdp ? ", CDP" : "");
}

static void put_bands_lines(struct report *r, const struct run_identity *id)
{
    if (!id->bands) {
        text_say(r, "Bands      ",
                 "none for this machine (uncalibrated): limits learned from reference machines only WARN "
                 "(docs/first-machine.md)");
        return;
    }
    text_say(r, "Bands      ", "%s: %u figures of %u machines, SHA-256", id->bands, id->bands_figures,
             id->bands_machines);
    text_say(r, "           ", "%s", id->bands_sha256);
}

void text_header(struct report *r, const struct options *o, const struct run_identity *id, const char *now)
{
    text_turn(r, TEXT_TITLE);
    text_say(r, "", "Assay %s: validation of this machine's shared-resource monitors", id->version);
    text_rule(r);
    if (r->machine->ran_on[0]) {
        text_say(r, "", "RAN ON VIRTUAL SILICON, NOT ON HARDWARE");
        text_say(r, "           ", "%s", r->machine->ran_on);
    }
    text_turn(r, TEXT_HEAD);
    text_say(r, "Assay      ", "%s, commit %s, build %s", id->version, id->commit, id->build_id);
    text_say(r, "Started    ", "%s%s", now, r->utc_base_ns == 0 ? " (the clock is not set)" : "");
    if (id->command_line[0])
        text_say(r, "Command    ", "%s", id->command_line);
    if (o->soak_minutes > 0)
        text_say(r, "Rounds     ", "for %u minutes", o->soak_minutes);
    else if (o->repeat > 1)
        text_say(r, "Rounds     ", "%u", o->repeat);
    put_machine(r);
    if (r->machine->n_cpus > 0) {
        put_processors(r);
        put_memory(r);
        put_rdt_lines(r);
    }
    put_bands_lines(r, id);
    text_rule(r);
    text_turn(r, TEXT_NONE);
}

/* --- one check --------------------------------------------------------------------------------------------------- */

const char *text_detail_prefix(enum detail kind)
{
    if (kind == DETAIL_TABLE)
        return "       ";
    return kind == DETAIL_LIMIT || kind == DETAIL_ERRATUM ? "         " : "       - ";
}

/* kinds: each a character of enum detail. */
static void put_details(struct report *r, const char *kinds)
{
    for (size_t at = 0; at < r->details_length; at += strlen(r->details + at) + 1)
        if (text_find(kinds, (const char[]){ r->details[at], '\0' }))
            text_paragraph(r, text_detail_prefix((enum detail)r->details[at]), r->details + at + 1);
}

/* -v 0: findings only. 1: every check. 2: every check with its measurements and notes. 3: its cost too. */
void text_step(struct report *r, const struct check_record *c)
{
    bool unremarkable = c->verdict == VERDICT_PASS || c->verdict == VERDICT_SKIP;
    char prefix[48], title[320], clocks[64] = "";
    uint64_t skipped;
    bool as_before;

    if (r->verbose == 0 && unremarkable)
        return;
    skipped = c->verdict == VERDICT_SKIP ? hash_text(HASH_EMPTY, c->reason) : 0;
    as_before = skipped != 0 && skipped == r->skipped;
    r->skipped = skipped;
    text_format(prefix, sizeof prefix, "%-5s  %-25s ", c->done ? "DONE" : verdict_text(c->verdict), r->open.id);
    if (c->verdict == VERDICT_SKIP && r->verbose < 2) { /* the reason only */
        text_paragraph(r, prefix, as_before ? "as above" : c->reason);
        return;
    }
    size_t n = text_format(title, sizeof title, "%s", r->open.title);
    /* A PASS: what it excludes; else the measurement that came closest to a bound, where there is room for it. */
    if (c->verdict == VERDICT_PASS && c->excludes[0])
        text_format(title + n, sizeof title - n, "; %s above %s would have shown", c->excludes, c->least);
    else if (c->verdict == VERDICT_PASS && r->telling[0] && strlen(prefix) + n + strlen(r->telling) + 3 <= TEXT_COLUMNS)
        text_format(title + n, sizeof title - n, " [%s]", r->telling);
    text_paragraph(r, prefix, title);
    put_details(r, (const char[]){ DETAIL_TABLE, '\0' });
    if (unremarkable && r->verbose < 2)
        return;
    put_details(r, (const char[]){ DETAIL_FINDING, DETAIL_LIMIT, DETAIL_ERRATUM, DETAIL_NOTE, '\0' });
    put_details(r, (const char[]){ r->n_outside > 0 ? DETAIL_OUTSIDE : DETAIL_INSIDE, '\0' });
    if (r->details_lost)
        text_paragraph(r, "       - ", "there was no memory for more: the rest is in report.jsonl");
    if (c->disturbed > 0)
        text_say(r, "       - ", "%u of %u samples were disturbed and retried", c->disturbed, c->samples);
    if (c->slowest > 0) /* else APERF and MPERF gave no ratio */
        text_format(clocks, sizeof clocks, "; clocks of %u to %u %% of the nominal one", (uint32_t)(100 * c->slowest),
                    (uint32_t)(100 * c->fastest));
    if (c->throttled > 0)
        text_say(r, "       - ", "%u of %u samples under throttling%s", c->throttled, c->samples, clocks);
    if (r->verbose >= 3) {
        const struct platform_counts *now = &r->platform->counts, *then = &r->counts_before;

        text_say(r, "       - ", "cost: %lu RDMSR, %lu WRMSR, %lu KiB moved", now->rdmsr - then->rdmsr,
                 now->wrmsr - then->wrmsr, (now->work_bytes - then->work_bytes) >> 10);
    }
}

/* --- certificate ------------------------------------------------------------------------------------------------- */

uint32_t report_group_items(const struct restored_item *items, uint32_t n_items, struct item_group *groups, bool *lost)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_items; i++) {
        uint32_t g = INDEX_OF(k, n, text_equal(groups[k].name, items[i].name));

        if (g == ITEM_GROUPS) {
            *lost = true;
            continue;
        }
        if (g == n)
            groups[n++] = (struct item_group){ .name = items[i].name };
        groups[g].n++;
        if (items[i].found == items[i].left)
            continue;
        if (groups[g].different++ == 0) {
            groups[g].first_cpu = items[i].cpu;
            groups[g].found = items[i].found;
            groups[g].left = items[i].left;
        }
    }
    return n;
}

void report_entry_name(const struct report *r, const struct ledger_entry *e, char *out_name, size_t size)
{
    char words[MACHINE_REGISTER_NAME];
    const char *name = e->space == LEDGER_MSR ? machine_register_name(r->machine, (uint32_t)e->address, words) : NULL;

    if (e->space == LEDGER_PCI)
        text_format(out_name, size, "PCI %04x:%02x:%02x.%u+0x%03x", (unsigned)(e->address >> 32),
                    (unsigned)(e->address >> 20 & 0xFF), (unsigned)(e->address >> 15 & 31),
                    (unsigned)(e->address >> 12 & 7), (unsigned)(e->address & 0xFFF));
    else if (e->space == LEDGER_MMIO)
        text_format(out_name, size, "MMIO 0x%lx", e->address);
    else if (name)
        text_format(out_name, size, "%s (0x%lx)", name, e->address);
    else
        text_format(out_name, size, "MSR 0x%lx", e->address);
}

static bool is_as_found(const struct ledger_entry *e)
{
    return e->kind == LEDGER_COUNTER || e->kind == LEDGER_READONLY || (e->n_different == 0 && e->n_unread == 0);
}

/* The same can be said of both: MSRs of one name, one after the other, as they were found. */
static bool goes_on(const struct report *r, const struct ledger_entry *e, const struct ledger_entry *next)
{
    char one[MACHINE_REGISTER_NAME], other[MACHINE_REGISTER_NAME];
    const char *name, *next_name;

    if (e->space != LEDGER_MSR || next->space != LEDGER_MSR || next->address != e->address + 1 ||
        e->kind != next->kind || !is_as_found(e) || !is_as_found(next) || e->n_equal != next->n_equal)
        return false;
    name = machine_register_name(r->machine, (uint32_t)e->address, one);
    next_name = machine_register_name(r->machine, (uint32_t)next->address, other);
    return name && next_name ? text_equal(name, next_name) : name == next_name;
}

/* e and those that follow it, n in all. */
static void certificate_line(struct report *r, const struct ledger_entry *e, uint32_t n_entries)
{
    char name[64], state[96];
    size_t n = 0;
    uint64_t writes = SUM_OF(uint64_t, i, n_entries, e[i].writes);

    report_entry_name(r, e, name, sizeof name);
    n = strlen(name);
    if (n_entries > 1)
        text_format(name + n - (name[n - 1] == ')'), sizeof name - n, " to 0x%lx%s", e[n_entries - 1].address,
                    name[n - 1] == ')' ? ")" : "");
    if (e->kind == LEDGER_COUNTER)
        text_format(state, sizeof state, "written back, free-running");
    else if (e->kind == LEDGER_READONLY)
        text_format(state, sizeof state, "not written back");
    else {
        n = text_format(state, sizeof state, "as found on %u", e->n_equal);
        if (e->n_different > 0)
            n += text_format(state + n, sizeof state - n, ", DIFFERS on %u", e->n_different);
        if (e->n_unread > 0)
            text_format(state + n, sizeof state - n, ", unread on %u", e->n_unread);
    }
    text_say(r, "  ", "%-33s %6lu writes  %s", name, writes, state);
}

/* An uncore has hundreds of registers, and a reader looks for those that are wrong: of the others only the first are
 * listed, which are RDT's, and the rest is counted. The stream has each. */
#define CERTIFIED_LISTED 6u

static void certificate_lines(struct report *r, const struct ledger *l)
{
    uint32_t listed = 0, more = 0, running = 0, never = 0, n;

    for (uint32_t i = 0; i < l->n_entries; i += n) {
        const struct ledger_entry *e = &l->entries[i];

        for (n = 1; i + n < l->n_entries && goes_on(r, e + n - 1, e + n);)
            n++;
        if (listed < CERTIFIED_LISTED || !is_as_found(e)) {
            certificate_line(r, e, n);
            listed++;
        } else {
            more += n;
            running += e->kind == LEDGER_COUNTER ? n : 0;
            never += e->kind == LEDGER_READONLY ? n : 0;
        }
    }
    if (more > 0)
        text_say(r, "  ",
                 "and %u more: %u as found, %u counters written back, %u not written back; report.jsonl lists each",
                 more, more - running - never, running, never);
}

void text_certificate(struct report *r, const struct ledger *l, const struct restored_item *items, uint32_t n_items)
{
    struct item_group groups[ITEM_GROUPS];
    bool lost = false;
    uint32_t n = report_group_items(items, n_items, groups, &lost);

    text_turn(r, TEXT_TAIL);
    text_rule(r);
    text_say(r, "", "Registers written by Assay, read again after restoration (processors):");
    if (l)
        certificate_lines(r, l);
    for (uint32_t i = 0; i < n; i++) {
        if (groups[i].different > 0)
            text_say(r, "  ", "%-47s  as found on %u, DIFFERS on %u", groups[i].name, groups[i].n - groups[i].different,
                     groups[i].different);
        else
            text_say(r, "  ", "%-47s  as found on %u", groups[i].name, groups[i].n);
    }
    if ((!l || l->n_entries == 0) && n == 0)
        text_say(r, "  ", "none");
    text_turn(r, TEXT_NONE);
}

/* --- footer ------------------------------------------------------------------------------------------------------ */

void text_footer(struct report *r, const struct run_record *run, enum run_result result)
{
    const struct verdict_counts *c = &run->counts;
    const struct platform_counts *p = &r->platform->counts;
    char moved[40];

    text_rule(r);
    text_turn(r, TEXT_NONE); /* the short text begins with it */
    text_say(r, "Checks     ", "%u PASS, %u FAIL, %u WARN, %u SKIP, %u ERROR", c->pass, c->fail, c->warn, c->skip,
             c->error);
    text_turn(r, TEXT_TAIL);
    text_say(r, "Accesses   ",
             "%lu RDMSR, %lu WRMSR, %lu CPUID, of which %lu raised a fault; %s read or written by loads", p->rdmsr,
             p->wrmsr, p->cpuid, p->faults, size_text(p->work_bytes, moved, sizeof moved));
    text_say(
        r, "Retried    ",
        "%lu of %lu samples, %lu under throttling; %u checks with SMIs, %u of them run again; %u checks throttled by "
        "temperature, %u by a power limit",
        r->disturbed, r->samples, r->throttled, run->with_smis, run->repeated, run->hot, run->limited);
    if (r->machine && r->machine->ran_on[0])
        text_say(r, "", "Ran on virtual silicon, not on hardware: no real part was validated.");
    if (run->stopped)
        text_say(r, "", "Stopped on request: not every check was run.");
    if (r->failed != ST_OK)
        text_say(r, "", "The report is incomplete, writing failed: %s.", status_text(r->failed));
    if (result == RUN_NOTHING)
        text_say(r, "", "%s",
                 c->pass + c->warn == 0 ? "Nothing was checked on this machine: every selected check was skipped."
                 : c->monitors_warned ? "No monitor was judged on this machine: a hypervisor answers for them, and no "
                                        "check of one passed."
                                      : "No monitor was judged on this machine: each check of one was skipped.");
    text_say(r, "", "RESULT: %s exit=%u", run_result_text(result), run_result_code(result, run->warn_exit));
}
