/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/diagnosis/repeat.h"

#include "core/base/text.h"
#include "core/events/event_perf.h"

#define NAMED 2u /* events beside the clock */

/* --- units -------------------------------------------------------------------------------------------------------- */

struct text {
    char *out;
    size_t n, size;
};

/* Linux uncore.h, UNCORE_FIXED_EVENT: the fixed counter, or with a umask a free-running one. */
#define PERF_FIXED 0xFFu

static void put_event(struct text *t, const char *pmu, uint64_t event, uint64_t umask, const char *fields)
{
    t->n = text_append(t->out, t->size, t->n, " -e %s/event=0x%lx,umask=0x%lx%s/", pmu, event, umask, fields);
}

size_t repeat_unit(const struct pmon_unit *unit, const char *fields, char *out, size_t size)
{
    const struct pmon_events *e = &unit->events;
    struct text t = { .out = out, .size = size };
    char pmu[32];

    event_perf_pmu(unit->perf ? unit->perf : unit->name, pmu, sizeof pmu);
    t.n = text_format(out, size, "perf stat -a --no-merge");
    for (uint32_t i = 0; i < unit->layout->n_free && i < NAMED; i++)
        put_event(&t, pmu, unit->perf ? i + 1 : PERF_FIXED, unit->perf ? 0 : 0x10 * (i + 1), "");
    if (!unit->layout->n_free && e->clock != PMON_CLOCK_NONE)
        put_event(&t, pmu, e->clock_event, e->clock_umask, fields);
    else if (!unit->layout->n_free && pmon_has_fixed(unit))
        put_event(&t, pmu, PERF_FIXED, 0, "");
    for (uint32_t i = 0, n = 0; i < e->n_named && n < NAMED; i++) {
        const struct pmon_named *named = &e->named[i];

        if (named->filter0 || named->filter1)
            continue;
        put_event(&t, pmu, named->ev_sel, named->umask | named->extra >> 32 << 8, fields);
        n++;
    }
    return text_append(out, size, t.n, " sleep 1");
}

/* --- monitors ----------------------------------------------------------------------------------------------------- */

#define BY_UNIT NULL
/* Where resctrl is mounted, PCM takes processors into monitoring groups of its own, out of pqos': its PCM_NO_RDT. */
#define MBM "pqos -m \"mbl:CPU;mbr:CPU\", beside PCM_NO_RDT=1 pcm-memory 1"
#define CAT "pqos -e llc:1=1; pqos -a llc:1=CPU; pqos -m llc:CPU; rdmsr -p CPU 0xc91"
#define QM  "wrmsr -p CPU 0xc8d 0xRMID00000002; rdmsr -p CPU 0xc8e (event 1: occupancy, 2: total, 3: local)"

/* By what causes and checks (monitors.c) name. Sources: man pages of pqos, perf-stat, rdmsr, cpuid, acpidump; SDM vol. 4. */
static const struct {
    const char *monitor, *command;
} monitors[] = {
    { "CMT", "pqos -m llc:CPU" },
    { "MBM", MBM },
    { "MBM total", MBM },
    { "MBM local", MBM },
    { "RMID", "wrmsr -p CPU 0xc8f RMID; " QM },
    { "IA32_PQR_ASSOC", "wrmsr -p CPU 0xc8f VALUE; rdmsr -p CPU 0xc8f" },
    { "IA32_QM_CTR", QM },
    { "IA32_QM_EVTSEL", "wrmsr -p CPU 0xc8d VALUE; rdmsr -p CPU 0xc8d" },
    { "upscaling factor", "cpuid -r -l 0xf; pqos -m llc:CPU" },
    { "sub-NUMA clusters", "rdmsr -a 0xca0; pqos -m llc:CPU" },
    { "CPUID", "cpuid -r -l 0xf; cpuid -r -l 0x10" },
    { "CPUID leaf 4", "cpuid -r -l 4; lscpu -C" },
    { "CPUID leaf 0FH", "cpuid -r -l 0xf; pqos -d" },
    { "CPUID leaf 80000020H", "cpuid -r -l 0x80000020" },
    { "CPUID leaf 10H", "cpuid -r -l 0x10; pqos -d" },
    { "RDT of I/O", "cpuid -r -l 0xf; rdmsr -a 0xc83" },
    { "L3 CAT", CAT },
    { "CAT", CAT },
    { "CDP", "pqos -R l3cdp-on; rdmsr -a 0xc81; pqos -s" },
    { "L2 CAT", "pqos -e l2:1=1; rdmsr -p CPU 0xd11" },
    { "MBA", "pqos -e mba:1=10; pqos -a llc:1=CPU; rdmsr -p CPU 0xd51; pqos -m \"mbl:CPU;mbr:CPU\"" },
    { "CBA", "wrmsr -p CPU 0xe00 VALUE; rdmsr -p CPU 0xe00" },
    { "QOS_EVT_CFG", "rdmsr -a 0xc0000400; rdmsr -a 0xc0000401" },
    { "AMD counters", "pqos -m \"mbl:CPU;mbr:CPU\"; rdmsr -a 0xc0000400" },
    { "RDT registers", "wrmsr -p CPU REGISTER VALUE; rdmsr -p CPU REGISTER" },
    { "tables and handoff", "cpuid -r; acpidump; rdmsr -a REGISTER" },
    { "SRAT", "acpidump -n SRAT; numactl -H" },
    { "ERDT", "acpidump -n ERDT; cpuid -r -l 0xf" },
    { "core PMU", "perf stat -a -A -e LLC-load-misses sleep 1, beside pcm-memory 1" },
    { "MP services", "none: Linux starts processors by itself and does not call firmware for it" },
    { "logged errors", "dmesg | grep -i mce; ras-mc-ctl --summary" },
    { "discovery tables", "dmesg | grep -i uncore; ls /sys/bus/event_source/devices; lspci -nn -d 8086:" },
    { "memory channels", BY_UNIT },
    { "data fabric", BY_UNIT },
    { "free-running counters", BY_UNIT },
    { "home agent", BY_UNIT },
    { "monitors compared", BY_UNIT },
    { "QPI and UPI", BY_UNIT },
    { "slice PMON", BY_UNIT },
    { "UBox", BY_UNIT },
    { "uncore PMON", BY_UNIT },
};

static const char *command_of(const char *monitor)
{
    return FIND(i, sizeof monitors / sizeof *monitors, text_equal(monitors[i].monitor, monitor), monitors[i].command,
                "");
}

size_t repeat_diagnosed(const struct diagnosed *d, const struct monitors *m, const char *unit, char *out, size_t size)
{
    const char *own = d->cause ? d->cause->repeat : NULL, *fields = own && own[0] == ',' ? own : "";
    const char *command = own && !fields[0] ? own : command_of(d->cause ? d->cause->monitor : monitor_of_check(d->row));

    if (command)
        return text_format(out, size, "%s", command);
    for (uint32_t i = 0; i < m->n; i++)
        if (m->list[i].unit && text_equal(m->list[i].name, unit))
            return repeat_unit(m->list[i].unit, fields, out, size);
    return text_format(
        out, size, "perf stat -a --no-merge -e UNIT/event=CODE,umask=UMASK%s/ sleep 1, beside pcm-memory 1", fields);
}
