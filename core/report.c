#include "core/report.h"

#include <string.h>

#include "core/heap.h"
#include "core/ledger.h"
#include "core/report_text.h"
#include "core/text.h"

/* --- lines ---------------------------------------------------------------------------------------------------------
 */

enum status report_init(struct report *r, struct platform *p, struct sink jsonl, struct sink text)
{
    memset(r, 0, sizeof *r);
    if (!jsonl.write)
        return ST_RANGE;
    r->jsonl = jsonl;
    r->text = text;
    r->platform = p;
    r->utc_base_ns = p->ops->utc_ns ? p->ops->utc_ns(p->machine) : 0;
    r->tsc_base = p->ops->tsc(p->machine);
    r->telling_margin = -1;
    return ST_OK;
}

void report_free(struct report *r)
{
    json_free(&r->line);
    heap_free(r->details);
    memset(r, 0, sizeof *r);
}

/* Milliseconds since 1970, never less than the last time. Without a TSC rate, time stands still rather than lie. */
static uint64_t now_ms(struct report *r)
{
    uint64_t ms = r->utc_base_ns / 1000000, tsc = r->platform->ops->tsc(r->platform->machine);
    uint64_t hz = r->platform->tsc_hz, ticks = tsc > r->tsc_base ? tsc - r->tsc_base : 0;

    if (hz > 0) /* the remainder is below hz, so the product stays far below 2^64 */
        ms += ticks / hz * 1000 + ticks % hz * 1000 / hz;
    if (ms < r->last_ms)
        ms = r->last_ms;
    r->last_ms = ms;
    return ms;
}

/* Days since 1970-01-01 as a date of the Gregorian calendar: eras of 400 years that begin on 1 March. */
static void date_of(uint64_t days, unsigned *year, unsigned *month, unsigned *day)
{
    uint64_t shifted = days + 719468, era = shifted / 146097, of_era = shifted % 146097;
    uint64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    uint64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    uint64_t from_march = (5 * of_year + 2) / 153;

    *day = (unsigned)(of_year - (153 * from_march + 2) / 5 + 1);
    *month = (unsigned)(from_march < 10 ? from_march + 3 : from_march - 9);
    *year = (unsigned)(year_of_era + era * 400 + (*month <= 2));
}

void report_timestamp(struct report *r, char out[25])
{
    uint64_t ms = now_ms(r), seconds = ms / 1000 % 86400;
    unsigned year, month, day;

    date_of(ms / 86400000, &year, &month, &day);
    text_format(out, 25, "%04u-%02u-%02uT%02u:%02u:%02u.%03uZ", year % 10000, month, day, (unsigned)(seconds / 3600),
                (unsigned)(seconds / 60 % 60), (unsigned)(seconds % 60), (unsigned)(ms % 1000));
}

static struct json *begin_line(struct report *r)
{
    json_reset(&r->line);
    json_object(&r->line, NULL);
    return &r->line;
}

/* Closes what is open, adds what every artifact has, and writes the line with one call. */
static void end_line(struct report *r)
{
    struct json *j = &r->line;
    char now[25];

    while (j->failed == ST_OK && j->depth > 1)
        json_end(j);
    report_timestamp(r, now);
    json_unsigned(j, "sequenceNumber", r->sequence);
    json_text(j, "timestamp", now);
    json_end(j);
    if (r->failed == ST_OK)
        r->failed = j->failed;
    if (r->failed != ST_OK)
        return;
    j->text[j->length] = '\n'; /* in the place of the terminator */
    r->failed = r->jsonl.write(r->jsonl.context, j->text, j->length + 1);
    if (r->failed == ST_OK)
        r->sequence++;
}

enum status report_flush(struct report *r)
{
    if (!r)
        return ST_OK;
    if (r->failed == ST_OK && r->jsonl.flush)
        r->failed = r->jsonl.flush(r->jsonl.context);
    if (r->text_failed == ST_OK && r->text.flush)
        r->text_failed = r->text.flush(r->text.context);
    if (r->failed == ST_OK)
        r->failed = r->text_failed;
    return r->failed;
}

/* Where the outcome shows later: it is kept in r->failed. */
static void flush(struct report *r)
{
    enum status st = report_flush(r);

    (void)st;
}

/* --- testRunStart --------------------------------------------------------------------------------------------------
 */

static void put_parameters(struct json *j, const struct report *r, const struct options *o,
                           const struct run_identity *id)
{
    json_object(j, "parameters");
    json_array(j, "t");
    for (uint32_t i = 0; i < o->n_tests; i++)
        json_text(j, NULL, o->tests[i]);
    json_end(j);
    json_array(j, "skip");
    for (uint32_t i = 0; i < o->n_skips; i++)
        json_text(j, NULL, o->skips[i]);
    json_end(j);
    json_text(j, "o", o->folder);
    json_text(j, "cpus", o->cpus);
    json_unsigned(j, "memBytes", o->mem_bytes);
    json_unsigned(j, "repeat", o->repeat);
    json_unsigned(j, "v", o->verbose);
    json_bool(j, "q", o->quiet);
    json_text(j, "mp", options_mp_names[o->mp]);
    json_text(j, "exit", options_exit_names[o->exit]);
    json_text(j, "commit", id->commit);
    json_text(j, "buildId", id->build_id);
    json_text(j, "builtFor", id->built_for);
    json_text(j, "mpMethod", r->platform->mp_method);
    json_end(j);
}

static void put_info(struct json *j, const char *name, const char *value)
{
    if (!value[0])
        return;
    json_object(j, NULL);
    json_format(j, "info", "%s: %s", name, value);
    json_end(j);
}

static void put_platform_infos(struct json *j, const struct smbios_info *s, const struct machine *m)
{
    json_array(j, "platformInfos");
    put_info(j, "system-manufacturer", s->system_manufacturer);
    put_info(j, "system-product-name", s->system_product_name);
    put_info(j, "system-version", s->system_version);
    put_info(j, "system-serial-number", s->system_serial_number);
    put_info(j, "baseboard-manufacturer", s->baseboard_manufacturer);
    put_info(j, "baseboard-product-name", s->baseboard_product_name);
    put_info(j, "baseboard-version", s->baseboard_version);
    put_info(j, "baseboard-serial-number", s->baseboard_serial_number);
    if (m->virtual_silicon[0])
        put_info(j, "virtual silicon", m->virtual_silicon);
    json_end(j);
}

static void put_software(struct json *j, const char *id, const char *name, const char *version, const char *revision,
                         const char *type)
{
    json_object(j, NULL);
    json_text(j, "softwareInfoId", id);
    json_text(j, "name", name);
    if (version[0])
        json_text(j, "version", version);
    if (revision[0])
        json_text(j, "revision", revision);
    json_text(j, "softwareType", type);
    json_end(j);
}

static bool microcode_is_new(const struct machine *m, uint32_t cpu)
{
    if (m->cpus[cpu].microcode_status != ST_OK || m->cpus[cpu].enumerated != ST_OK)
        return false;
    for (uint32_t i = 0; i < cpu; i++) {
        if (m->cpus[i].microcode_status != ST_OK || m->cpus[i].enumerated != ST_OK)
            continue;
        if (m->cpus[i].microcode == m->cpus[cpu].microcode)
            return false;
    }
    return true;
}

static void put_software_infos(struct json *j, const struct machine *m, const struct run_identity *id)
{
    uint32_t n = 0;

    json_array(j, "softwareInfos");
    put_software(j, "assay", "Assay", id->version, id->commit, "APPLICATION");
    if (m->smbios.bios_vendor[0] || m->smbios.bios_version[0]) {
        char name[SMBIOS_TEXT + 8];

        text_format(name, sizeof name, "BIOS %s", m->smbios.bios_vendor);
        put_software(j, "bios", name, m->smbios.bios_version, m->smbios.bios_release_date, "FIRMWARE");
    }
    for (uint32_t i = 0; i < m->n_cpus; i++) {
        char sid[24], version[24];

        if (!microcode_is_new(m, i))
            continue;
        text_format(sid, sizeof sid, "microcode%u", n++);
        text_format(version, sizeof version, "0x%08lx", m->cpus[i].microcode);
        put_software(j, sid, "microcode", version, "", "FIRMWARE");
    }
    json_end(j);
}

static void put_package(struct json *j, const struct machine *m, uint32_t i)
{
    const struct package *package = &m->packages[i];
    const struct cpu *first = package->first_cpu < m->n_cpus ? &m->cpus[package->first_cpu] : NULL;

    json_object(j, NULL);
    json_format(j, "hardwareInfoId", "package%u", i);
    json_text(j, "name", m->brand[0] ? m->brand : "processor package");
    json_format(j, "location", "package %u", package->id);
    json_text(j, "partType", "CPU");
    if (first) {
        json_text(j, "manufacturer", first->id.vendor_string);
        json_format(j, "version", "family 0x%x model 0x%x stepping %u", first->id.family, first->id.model,
                    first->id.stepping);
        if (first->ppin_status == ST_OK)
            json_format(j, "serialNumber", "0x%016lx", first->ppin);
    }
    json_end(j);
}

static const char *processor_state(const struct platform *p, uint32_t i, const struct cpu *cpu)
{
    uint32_t flags = p->cpus[i].flags;

    if (!(flags & CPU_ENABLED))
        return "left alone: firmware has it disabled";
    if (!(flags & CPU_HEALTHY))
        return "left alone: firmware calls it unhealthy";
    if (!(flags & CPU_STARTED))
        return "left alone";
    if (flags & CPU_LOST)
        return "lost";
    return cpu->enumerated == ST_OK ? NULL : status_text(cpu->enumerated);
}

static void put_processor(struct json *j, const struct report *r, uint32_t i)
{
    const struct machine *m = r->machine;
    const struct cpu *cpu = &m->cpus[i];
    const char *state = processor_state(r->platform, i, cpu);

    json_object(j, NULL);
    json_format(j, "hardwareInfoId", "cpu%u", i);
    if (state)
        json_format(j, "name", "logical processor %u (%s)", i, state);
    else
        json_format(j, "name", "logical processor %u", i);
    if (cpu->enumerated == ST_OK)
        json_format(j, "location", "package %u core %u thread %u", cpu->place.package, cpu->place.core,
                    cpu->place.thread);
    json_format(j, "partNumber", "APIC 0x%x", r->platform->cpus[i].apic_id);
    json_text(j, "partType", "logical processor");
    json_end(j);
}

static void put_hardware_infos(struct json *j, const struct report *r)
{
    const struct machine *m = r->machine;

    json_array(j, "hardwareInfos");
    for (uint32_t i = 0; i < m->n_packages; i++)
        put_package(j, m, i);
    for (uint32_t i = 0; i < m->n_cpus; i++)
        put_processor(j, r, i);
    for (uint32_t i = 0; i < m->n_domains; i++) {
        json_object(j, NULL);
        json_format(j, "hardwareInfoId", "l3.%u", i);
        json_format(j, "name", "L3 domain %u: %lu bytes, %u ways, %u processors", i, m->domains[i].l3_bytes,
                    m->domains[i].l3_ways, m->domains[i].n_cpus);
        json_format(j, "location", "package %u", m->packages ? m->packages[m->domains[i].package].id : 0);
        json_text(j, "partType", "L3 cache");
        json_end(j);
    }
    for (uint32_t i = 0; i < m->n_nodes; i++) {
        json_object(j, NULL);
        json_format(j, "hardwareInfoId", "node%u", i);
        json_format(j, "name", "NUMA node %u: %lu bytes, %u processors", i, m->nodes[i].memory_bytes,
                    m->nodes[i].n_cpus);
        json_format(j, "location", "proximity domain %u", m->nodes[i].proximity);
        json_text(j, "partType", "NUMA node");
        json_end(j);
    }
    json_end(j);
}

static void put_rdt(struct json *j, const struct rdt_info *rdt)
{
    json_object(j, "rdt");
    json_bool(j, "monitoring", rdt->monitoring);
    json_bool(j, "allocation", rdt->allocation);
    if (rdt->leaf0f_known)
        json_unsigned(j, "maxRmidAny", rdt->max_rmid_any);
    if (rdt->l3_known) {
        json_unsigned(j, "maxRmid", rdt->max_rmid);
        json_unsigned(j, "upscalingFactorBytes", rdt->upscaling_factor);
        json_unsigned(j, "counterWidthBits", rdt->counter_width);
        json_bool(j, "occupancy", rdt->occupancy);
        json_bool(j, "totalBandwidth", rdt->total);
        json_bool(j, "localBandwidth", rdt->local);
        json_bool(j, "overflowBit", rdt->overflow_bit);
    }
    if (rdt->l3.present && rdt->l3.known) {
        json_unsigned(j, "l3CbmBits", rdt->l3.cbm_len);
        json_unsigned(j, "l3Clos", rdt->l3.clos);
        json_bool(j, "l3Cdp", rdt->l3.cdp);
    }
    json_end(j);
}

static void put_metadata(struct json *j, const struct report *r)
{
    const struct machine *m = r->machine;
    const struct smbios_info *s = &m->smbios;

    json_object(j, "metadata");
    json_bool(j, "virtualSilicon", m->virtual_silicon[0] != '\0');
    if (m->virtual_silicon[0])
        json_format(j, "ranOn", "virtual silicon, not on hardware: %s", m->virtual_silicon);
    json_text(j, "generation", m->generation ? m->generation : "unknown");
    json_text(j, "brand", m->brand);
    json_bool(j, "hypervisor", m->hypervisor);
    if (m->hypervisor)
        json_text(j, "hypervisorName", m->hypervisor_name);
    json_text(j, "system-uuid", s->system_uuid);
    json_text(j, "bios-vendor", s->bios_vendor);
    json_text(j, "bios-version", s->bios_version);
    json_text(j, "bios-release-date", s->bios_release_date);
    json_text(j, "smbios", s->status == ST_OK ? "read" : status_text(s->status));
    json_unsigned(j, "socketsPopulated", s->n_sockets_populated);
    json_unsigned(j, "sockets", s->n_sockets);
    json_unsigned(j, "dimms", s->n_dimms);
    json_unsigned(j, "dimmBytes", s->dimm_bytes);
    json_unsigned(j, "memoryBytes", m->memory_bytes);
    json_bool(j, "srat", m->srat_present);
    json_unsigned(j, "numaNodes", m->n_nodes);
    json_text(j, "secureBoot", !m->secure_boot_known ? "unknown" : m->secure_boot ? "on" : "off");
    json_unsigned(j, "tscHz", m->tsc_hz);
    json_text(j, "tscSource", m->tsc_source ? m->tsc_source : "unknown");
    json_bool(j, "tscInvariant", m->tsc_invariant);
    json_unsigned(j, "disagreements", m->n_disagreements);
    if (m->reference < m->n_cpus)
        put_rdt(j, &m->cpus[m->reference].rdt);
    json_end(j);
}

static void put_dut_info(struct json *j, const struct report *r, const struct run_identity *id)
{
    const struct machine *m = r->machine;
    const struct smbios_info *s = &m->smbios;

    json_object(j, "dutInfo");
    json_text(j, "dutInfoId", s->system_uuid[0] ? s->system_uuid : "0");
    json_format(j, "name", "%s%s%s", s->system_manufacturer, s->system_manufacturer[0] ? " " : "",
                s->system_product_name[0] ? s->system_product_name : "unnamed machine");
    put_platform_infos(j, s, m);
    put_software_infos(j, m, id);
    put_hardware_infos(j, r);
    put_metadata(j, r);
    json_end(j);
}

static void log_line(struct report *r, const char *severity, const char *message)
{
    struct json *j = begin_line(r);

    json_object(j, "testRunArtifact");
    json_object(j, "log");
    json_text(j, "severity", severity);
    json_text(j, "message", message);
    end_line(r);
}

void report_start(struct report *r, const struct machine *m, const struct options *o, const struct run_identity *id)
{
    struct json *j;

    if (!r)
        return;
    r->machine = m;
    r->started = true;
    j = begin_line(r);
    json_object(j, "schemaVersion");
    json_unsigned(j, "major", 2);
    json_unsigned(j, "minor", 0);
    end_line(r);

    j = begin_line(r);
    json_object(j, "testRunArtifact");
    json_object(j, "testRunStart");
    json_text(j, "name", "assay");
    json_text(j, "version", id->version);
    json_text(j, "commandLine", id->command_line);
    put_parameters(j, r, o, id);
    put_dut_info(j, r, id);
    end_line(r);

    /* The page has both in its head; the stream has them as lines that a reader of lines cannot miss. */
    text_header(r, o, id);
    if (m->virtual_silicon[0]) {
        char message[192];

        text_format(message, sizeof message, "ran on virtual silicon, not on hardware: %s", m->virtual_silicon);
        log_line(r, "WARNING", message);
    }
    if (r->utc_base_ns == 0)
        log_line(r, "WARNING", "the clock of this machine is not set: times count from 1970-01-01T00:00:00Z");
    flush(r);
}

/* --- artifacts of the run --------------------------------------------------------------------------------------------
 */

void report_log(struct report *r, const char *severity, const char *format, ...)
{
    char message[512];
    va_list args;

    if (!r)
        return;
    va_start(args, format);
    text_vformat(message, sizeof message, format, args);
    va_end(args);
    if (r->started)
        log_line(r, severity, message);
    if (!text_equal(severity, "DEBUG"))
        text_paragraph(r, "", message);
}

void report_error(struct report *r, const char *symptom, const char *format, ...)
{
    char message[1024]; /* an exception frame is long */
    va_list args;

    if (!r)
        return;
    va_start(args, format);
    text_vformat(message, sizeof message, format, args);
    va_end(args);
    if (r->started) {
        struct json *j = begin_line(r);

        json_object(j, "testRunArtifact");
        json_object(j, "error");
        json_text(j, "symptom", symptom);
        json_text(j, "message", message);
        end_line(r);
    }
    text_paragraph(r, "ERROR  ", message);
    flush(r);
}

/* --- steps
 * ------------------------------------------------------------------------------------------------------------ */

struct json *report_step_artifact(struct report *r, const char *kind)
{
    struct json *j;

    if (!r || !r->step_open || r->failed != ST_OK)
        return NULL;
    j = begin_line(r);
    json_object(j, "testStepArtifact");
    json_text(j, "testStepId", r->step_id);
    json_object(j, kind);
    return j;
}

struct json *report_extension(struct report *r, const char *name)
{
    struct json *j = report_step_artifact(r, "extension");

    if (!j)
        return NULL;
    json_text(j, "name", name);
    json_object(j, "content");
    return j;
}

void report_artifact_end(struct report *r)
{
    if (r)
        end_line(r);
}

void report_detail(struct report *r, enum detail kind, const char *format, ...)
{
    char message[640] = { (char)kind };
    va_list args;

    if (!r || !r->step_open || !r->text.write)
        return;
    va_start(args, format);
    size_t n = 1 + text_vformat(message + 1, sizeof message - 1, format, args);
    va_end(args);
    if (n >= sizeof message)
        n = sizeof message - 1;
    if (r->details_length + n + 1 > r->details_capacity) {
        size_t capacity = (r->details_length + n + 1) * 2;
        char *details = heap_alloc(capacity);

        if (!details)
            return; /* the stream has it */
        if (r->details_length > 0)
            memcpy(details, r->details, r->details_length);
        heap_free(r->details);
        r->details = details;
        r->details_capacity = capacity;
    }
    memcpy(r->details + r->details_length, message, n + 1);
    r->details_length += n + 1;
}

static const char *risk_name(enum check_risk risk)
{
    return risk == RISK_NONE ? "none" : risk == RISK_MSR ? "msr" : "workload";
}

void report_step_start(struct report *r, const struct check_row *row, uint32_t round)
{
    struct json *j;

    if (!r || !r->started)
        return;
    text_format(r->step_id, sizeof r->step_id, "%u", r->step++);
    r->step_open = true;
    r->series = 0;
    r->series_open = false;
    r->details_length = 0;
    r->telling[0] = '\0';
    r->telling_margin = -1;
    r->n_inside = r->n_outside = 0;
    r->counts_before = r->platform->counts;
    r->tsc_before = r->platform->ops->tsc(r->platform->machine);
    j = report_step_artifact(r, "testStepStart");
    if (!j)
        return;
    json_text(j, "name", row->id);
    end_line(r);
    j = report_extension(r, "assay.check");
    if (!j)
        return;
    json_text(j, "id", row->id);
    json_text(j, "title", row->title);
    json_text(j, "specification", row->spec);
    json_text(j, "rows", row->rows);
    json_text(j, "catches", row->catches);
    json_text(j, "risk", risk_name(row->risk));
    json_text(j, "grade", row->grade == GRADE_W ? "at most WARN" : "FAIL");
    json_unsigned(j, "round", round);
    end_line(r);
}

/* What the check cost: operations per sample can be worked out from it. */
static void put_cost(struct report *r, const struct check *c)
{
    const struct platform_counts *now = &r->platform->counts, *then = &r->counts_before;
    struct json *j = report_extension(r, "assay.cost");

    if (!j)
        return;
    json_text(j, "verdict", verdict_text(c->verdict));
    json_unsigned(j, "evidence", c->n_evidence);
    json_unsigned(j, "evidenceNotListed", c->n_evidence > EVIDENCE_LISTED ? c->n_evidence - EVIDENCE_LISTED : 0);
    json_unsigned(j, "measurements", c->n_measurements);
    json_unsigned(j, "outOfBounds", c->n_out_of_bounds);
    json_unsigned(j, "series", c->n_series);
    json_unsigned(j, "findings", c->n_findings);
    json_unsigned(j, "notes", c->n_notes);
    json_unsigned(j, "disturbedSamples", c->disturbed);
    json_unsigned(j, "rdmsr", now->rdmsr - then->rdmsr);
    json_unsigned(j, "wrmsr", now->wrmsr - then->wrmsr);
    json_unsigned(j, "cpuid", now->cpuid - then->cpuid);
    json_unsigned(j, "faults", now->faults - then->faults);
    json_unsigned(j, "runs", now->runs - then->runs);
    json_unsigned(j, "workBytes", now->work_bytes - then->work_bytes);
    json_unsigned(j, "tscTicks", r->platform->ops->tsc(r->platform->machine) - r->tsc_before);
    end_line(r);
}

static void say_what_is_not_listed(struct report *r, const struct check *c)
{
    struct json *j;

    if (c->n_evidence <= EVIDENCE_LISTED && c->n_measurements <= MEASUREMENTS_LISTED)
        return;
    j = report_step_artifact(r, "log");
    if (!j)
        return;
    json_text(j, "severity", "INFO");
    json_format(j, "message", "of %u pieces of evidence the first %u are listed, of %u measurements inside bounds %u",
                c->n_evidence, EVIDENCE_LISTED, c->n_measurements, MEASUREMENTS_LISTED);
    end_line(r);
}

static void end_step(struct report *r, const struct check *c)
{
    struct json *j;

    say_what_is_not_listed(r, c);
    put_cost(r, c);
    j = report_step_artifact(r, "testStepEnd");
    if (j) {
        json_text(j, "status",
                  c->verdict == VERDICT_SKIP    ? "SKIP"
                  : c->verdict == VERDICT_ERROR ? "ERROR"
                                                : "COMPLETE");
        end_line(r);
    }
    r->disturbed += c->disturbed;
    text_step(r, c);
    r->step_open = false;
}

void report_step_end(struct report *r, const struct check *c)
{
    if (!r || !r->started)
        return;
    end_step(r, c);
    flush(r);
}

/* --- the certificate
 * ---------------------------------------------------------------------------------------------------- */

static const struct check_row restore_row = {
    .id = "restore.registers",
    .title = "Every register touched reads as it was found",
    .spec = "Assay's own rule: the machine is someone else's",
    .rows = "",
    .catches = "a register that does not take its value back, a path that forgot to restore",
    .risk = RISK_MSR,
    .grade = GRADE_F,
};

static const char *kind_name(enum ledger_kind kind)
{
    return kind == LEDGER_CONTROL ? "control" : kind == LEDGER_COUNTER ? "counter" : "never written back";
}

static void certify_entry(struct check *c, const struct ledger_entry *e)
{
    char name[64];
    struct json *j = report_extension(c->report, "assay.restored");

    c->n_evidence++;
    entry_name(e, name, sizeof name);
    if (j) {
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
    }
    if (e->kind == LEDGER_CONTROL && e->n_different > 0)
        fail(c, "%s: found 0x%lx, left 0x%lx on cpu %u (%u processors differ)", name,
             e->found[e->different_cpu < e->n_values ? e->different_cpu : 0], e->different_value, e->different_cpu,
             e->n_different);
    if (e->n_unread > 0)
        warn(c, "%s: could not be read again on %u processors, the first is cpu %u (APIC 0x%x)", name, e->n_unread,
             e->unread_cpu, e->unread_cpu < c->platform->n_cpus ? c->platform->cpus[e->unread_cpu].apic_id : 0);
}

static void certify_items(struct check *c, const struct restored_item *items, uint32_t n_items)
{
    struct item_group groups[ITEM_GROUPS];
    bool lost = false;
    uint32_t n = group_items(items, n_items, groups, &lost);

    for (uint32_t i = 0; i < n; i++) {
        const struct item_group *g = &groups[i];
        struct json *j = report_extension(c->report, "assay.restored");

        c->n_evidence++;
        if (j) {
            json_text(j, "register", g->name);
            json_text(j, "kind", "processor state");
            json_unsigned(j, "asFound", g->n - g->different);
            json_unsigned(j, "different", g->different);
            report_artifact_end(c->report);
        }
        if (g->different > 0)
            fail(c, "%s: found 0x%lx, left 0x%lx on cpu %u (%u processors differ)", g->name, g->found, g->left,
                 g->first_cpu, g->different);
    }
    if (lost)
        warn(c, "more than %u kinds of processor state were handed in: the rest is not listed", ITEM_GROUPS);
}

enum verdict report_restored(struct report *r, const struct ledger *l, const struct restored_item *items,
                             uint32_t n_items)
{
    struct check c = { .row = &restore_row, .report = r };

    if (r)
        c.platform = r->platform; /* no machine: no grade limit softens this rule */
    report_step_start(r, &restore_row, 1);
    for (uint32_t i = 0; l && i < l->n_entries; i++)
        certify_entry(&c, &l->entries[i]);
    certify_items(&c, items, n_items);
    if (l && l->lost)
        warn(&c, "a register could not be recorded before its first write, so that write was refused");
    if (c.n_evidence == 0)
        skip(&c, "no register was written");
    check_close(&c, c.verdict);
    if (r && r->started) {
        end_step(r, &c);
        text_certificate(r, l, items, n_items);
        flush(r);
    }
    return c.verdict;
}

/* --- the end
 * -------------------------------------------------------------------------------------------------------------- */

static void name_lost_processors(struct report *r)
{
    for (uint32_t i = 0; i < r->platform->n_cpus; i++)
        if (r->platform->cpus[i].flags & CPU_LOST)
            report_log(r, "WARNING", "cpu %u (APIC 0x%x) missed a deadline and got no more work", i,
                       r->platform->cpus[i].apic_id);
}

enum status report_end(struct report *r, const struct engine *e, enum run_result result)
{
    struct json *j;

    if (!r)
        return ST_OK;
    if (r->started) {
        bool stopped = e->stopped && result != RUN_FAIL;

        name_lost_processors(r);
        j = begin_line(r);
        json_object(j, "testRunArtifact");
        json_object(j, "testRunEnd");
        json_text(j, "status", result == RUN_NOTHING || stopped ? "SKIP" : result == RUN_ERROR ? "ERROR" : "COMPLETE");
        json_text(j, "result",
                  result == RUN_FAIL               ? "FAIL"
                  : result == RUN_PASS && !stopped ? "PASS"
                                                   : "NOT_APPLICABLE");
        end_line(r);
    }
    text_footer(r, e, result);
    flush(r);
    return r->failed;
}
