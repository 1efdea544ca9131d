/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/report/report_start.c: testRunStart: the run and the identity of the machine. */
#include "core/report/report_internal.h"
#include "core/base/text.h"
#include "core/report/folder.h"

#define RAN_ON "ran on virtual silicon, not on hardware: %s"

static void put_parameter_texts(struct json *j, const struct option_value *v)
{
    json_array(j, v->parameter);
    for (uint32_t i = 0; i < v->n_texts; i++)
        json_text(j, NULL, v->texts[i]);
    json_end(j);
}

static void put_parameter(struct json *j, const struct option_value *v)
{
    switch (v->form) {
    case OPTION_BOOL:
        json_bool(j, v->parameter, v->yes);
        break;
    case OPTION_NUMBER:
        json_unsigned(j, v->parameter, v->number);
        break;
    case OPTION_TEXT:
        json_text(j, v->parameter, v->text);
        break;
    case OPTION_TEXTS:
        put_parameter_texts(j, v);
        break;
    }
}

static void put_parameters(struct json *j, const struct report *r, const struct options *o,
                           const struct run_identity *id)
{
    json_object(j, "parameters");
    for (uint32_t i = 0; i < options_count(); i++) {
        struct option_value v = options_value(o, i);

        if (v.parameter)
            put_parameter(j, &v);
    }
    json_text(j, "commit", id->commit);
    json_text(j, "buildId", id->build_id);
    json_text(j, "builtFor", id->built_for);
    json_text(j, "mpMethod", r->platform->mp_method);
    if (id->checks)
        json_unsigned(j, "checks", id->checks);
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
    if (m->ran_on[0])
        put_info(j, "virtual silicon", m->ran_on);
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

/* NULL: none of its processors is known. */
static const struct cpu *package_first_cpu(const struct machine *m, uint32_t i)
{
    return m->packages[i].first_cpu < m->n_cpus ? &m->cpus[m->packages[i].first_cpu] : NULL;
}

static void put_package(struct json *j, const struct machine *m, uint32_t i)
{
    const struct package *package = &m->packages[i];
    const struct cpu *first = package_first_cpu(m, i);

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

/* Columns in the order of the packages in hardwareInfos, null: none of its processors is known. */
static void put_signatures(struct json *j, const struct machine *m)
{
    static const char *const columns[] = { "family", "model", "stepping" };

    json_object(j, "packages");
    for (uint32_t column = 0; column < sizeof columns / sizeof *columns; column++) {
        json_array(j, columns[column]);
        for (uint32_t i = 0; i < m->n_packages; i++) {
            const struct cpu *first = package_first_cpu(m, i);

            if (first)
                json_unsigned(j, NULL,
                              (const uint32_t[]){ first->id.family, first->id.model, first->id.stepping }[column]);
            else
                json_verbatim(j, NULL, "null");
        }
        json_end(j);
    }
    json_end(j);
}

static const char *processor_state(const struct platform *p, uint32_t i, const struct cpu *cpu)
{
    uint32_t flags = p->cpus[i].flags;

    if (!(flags & CPU_ENABLED))
        return "not used: disabled by firmware";
    if (!(flags & CPU_HEALTHY))
        return "not used: firmware reports it unhealthy";
    if (!(flags & CPU_STARTED))
        return "not used";
    if (flags & CPU_LOST)
        return "lost";
    return cpu->enumerated == ST_OK ? NULL : status_text(cpu->enumerated);
}

/* A column each in place of an object for each processor: of thousands, testRunStart was an eighth of the stream. */
static void put_processors(struct json *j, const struct report *r)
{
    static const char *const columns[] = { "apicId", "package", "core", "thread" };

    json_object(j, "processors");
    for (uint32_t column = 0; column < sizeof columns / sizeof *columns; column++) {
        json_array(j, columns[column]);
        for (uint32_t i = 0; i < r->machine->n_cpus; i++) {
            const struct cpu *cpu = &r->machine->cpus[i];
            const uint32_t values[] = { r->platform->cpus[i].apic_id, cpu->place.package, cpu->place.core,
                                        cpu->place.thread };

            if (column == 0 || cpu->enumerated == ST_OK)
                json_unsigned(j, NULL, values[column]);
            else
                json_verbatim(j, NULL, "null");
        }
        json_end(j);
    }
    json_array(j, "states");
    for (uint32_t i = 0; i < r->machine->n_cpus; i++) {
        const char *state = processor_state(r->platform, i, &r->machine->cpus[i]);

        if (!state)
            continue;
        json_object(j, NULL);
        json_unsigned(j, "cpu", i);
        json_text(j, "state", state);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

/* A memory module, under the names of SMBIOS. */
static void put_dimm(struct json *j, const struct smbios_dimm *d, uint32_t i)
{
    char speed[24] = "", ranks[24] = "";

    if (d->mts)
        text_format(speed, sizeof speed, ", %u MT/s", d->mts);
    if (d->ranks)
        text_format(ranks, sizeof ranks, ", %u rank%s", d->ranks, d->ranks > 1 ? "s" : "");
    json_object(j, NULL);
    json_format(j, "hardwareInfoId", "dimm%u", i);
    json_format(j, "name", "%lu bytes%s%s%s%s", d->bytes, d->type ? " " : "", d->type ? d->type : "", speed, ranks);
    json_format(j, "location", "%s%s%s", d->locator, d->locator[0] && d->bank[0] ? ", " : "", d->bank);
    json_text(j, "partType", "DIMM");
    if (d->manufacturer[0])
        json_text(j, "manufacturer", d->manufacturer);
    if (d->part_number[0])
        json_text(j, "partNumber", d->part_number);
    if (d->serial_number[0])
        json_text(j, "serialNumber", d->serial_number);
    json_end(j);
}

static void put_hardware_infos(struct json *j, const struct report *r, bool all)
{
    const struct machine *m = r->machine;

    json_array(j, "hardwareInfos");
    for (uint32_t i = 0; i < m->n_packages; i++)
        put_package(j, m, i);
    for (uint32_t i = 0; i < m->n_domains; i++) {
        json_object(j, NULL);
        json_format(j, "hardwareInfoId", "l3.%u", i);
        json_format(j, "name", "L3 domain %u: %lu bytes, %u ways, %u processors", i, l3_whole_bytes(&m->domains[i]),
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
    for (uint32_t i = 0; i < m->smbios.n_dimms && i < SMBIOS_DIMMS && all; i++)
        put_dimm(j, &m->smbios.dimms[i], i);
    json_end(j);
}

static void put_rdt_metadata(struct json *j, const struct rdt_info *rdt)
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

static void put_bands_metadata(struct json *j, const struct run_identity *id)
{
    json_object(j, "bands");
    json_bool(j, "calibrated", id->bands != NULL);
    if (id->bands) {
        json_text(j, "file", id->bands);
        json_text(j, "sha256", id->bands_sha256);
        json_unsigned(j, "machines", id->bands_machines);
        json_unsigned(j, "figures", id->bands_figures);
    }
    json_end(j);
}

static void put_metadata(struct json *j, const struct report *r, const struct run_identity *id, bool all)
{
    const struct machine *m = r->machine;
    const struct smbios_info *s = &m->smbios;
    const char *from;

    json_object(j, "metadata");
    folder_identity(s, &from);
    json_text(j, "dutInfoIdFrom", from);
    json_bool(j, "virtualSilicon", m->ran_on[0] != '\0');
    if (m->ran_on[0])
        json_format(j, "ranOn", RAN_ON, m->ran_on);
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
    json_unsigned(j, "dimmSlots", s->n_dimm_slots);
    json_unsigned(j, "dimmBytes", s->dimm_bytes);
    json_unsigned(j, "memoryBytes", m->memory_bytes);
    json_bool(j, "srat", m->srat_present);
    json_unsigned(j, "numaNodes", m->n_nodes);
    json_unsigned(j, "numaNodesPerPackage", machine_nodes_per_package(m));
    json_text(j, "secureBoot", !m->secure_boot_known ? "unknown" : m->secure_boot ? "on" : "off");
    json_unsigned(j, "tscHz", m->tsc_hz);
    json_text(j, "tscSource", m->tsc_source ? m->tsc_source : "unknown");
    json_bool(j, "tscInvariant", m->tsc_invariant);
    json_unsigned(j, "disagreements", m->n_disagreements);
    put_bands_metadata(j, id);
    if (m->reference < m->n_cpus)
        put_rdt_metadata(j, &m->cpus[m->reference].rdt);
    put_signatures(j, m);
    if (all)
        put_processors(j, r);
    json_end(j);
}

static void put_dut_info(struct json *j, const struct report *r, const struct run_identity *id, bool all)
{
    const struct machine *m = r->machine;
    const struct smbios_info *s = &m->smbios;
    const char *from;

    json_object(j, "dutInfo");
    json_text(j, "dutInfoId", folder_identity(s, &from));
    json_format(j, "name", "%s%s%s", s->system_manufacturer, s->system_manufacturer[0] ? " " : "",
                s->system_product_name[0] ? s->system_product_name : "unnamed machine");
    put_platform_infos(j, s, m);
    put_software_infos(j, m, id);
    put_hardware_infos(j, r, all);
    put_metadata(j, r, id, all);
    json_end(j);
}

static void put_schema_version(struct report *r)
{
    struct json *j = report_begin_line(r);

    json_object(j, "schemaVersion");
    json_unsigned(j, "major", 2);
    json_unsigned(j, "minor", 0);
    report_end_line(r);
}

void report_open(struct report *r)
{
    put_schema_version(r);
    report_flush_kept(r);
}

static void put_run_start(struct report *r, const struct options *o, const struct run_identity *id, bool all)
{
    struct json *j = report_begin_line(r);

    json_object(j, "testRunArtifact");
    json_object(j, "testRunStart");
    json_text(j, "name", "assay");
    json_text(j, "version", id->version);
    json_text(j, "commandLine", id->command_line);
    put_parameters(j, r, o, id);
    put_dut_info(j, r, id, all);
}

void report_start(struct report *r, const struct machine *m, const struct options *o, const struct run_identity *id)
{
    bool all = true;
    char now[25];

    if (!r)
        return;
    r->machine = m;
    r->started = true;
    if (r->sequence == 0)
        put_schema_version(r);

    put_run_start(r, o, id, true);
    if (r->line.failed == ST_NO_MEMORY) { /* the stream is none without it */
        all = false;
        put_run_start(r, o, id, false);
    }
    report_end_line(r);
    if (!all) {
        r->refused++;
        report_error(r, "no-memory",
                     "there was no memory for the line that lists processors and memory modules: it does not");
    }

    /* The page has both in its head; the stream has them as lines that a reader of lines cannot miss. */
    r->verbose = o->verbose;
    if (o->verbose < 2 && o->repeat <= 1 && o->soak_minutes == 0)
        brief_begin(r);
    report_timestamp(r, now);
    text_header(r, o, id, now);
    if (m->ran_on[0]) {
        char message[192];

        text_format(message, sizeof message, RAN_ON, m->ran_on);
        report_log_line(r, "WARNING", message);
    }
    if (r->utc_base_ns == 0)
        report_log_line(r, "WARNING", "the clock of this machine is not set: times count from 1970-01-01T00:00:00Z");
    report_flush_kept(r);
}
