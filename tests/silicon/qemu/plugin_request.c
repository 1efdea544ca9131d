/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/qemu/plugin_request.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bits.h"
#include "tests/silicon/qemu/plugin_clock.h"

void request_model(void)
{
    char error[1024] = "";

    model_free(plugin.model);
    plugin.model = model_new(&plugin.config, error, sizeof error);
    if (!plugin.model)
        plugin_die("%s", error);
    for (uint32_t i = 0; i < plugin.n_ranges; i++)
        model_memory(plugin.model, plugin.ranges[i].base, plugin.ranges[i].bytes, plugin.ranges[i].node);
    for (uint32_t bus = 0; bus < 8 * sizeof plugin.channel->buses; bus++) {
        plugin.channel->buses[bus / 8] &= (uint8_t) ~(1u << bus % 8);
        plugin.channel->buses[bus / 8] |= (uint8_t)(model_pci_bus(plugin.model, bus) << bus % 8);
    }
    plugin.channel->tsc_hz = plugin.model->tsc_hz;
    plugin.channel->window = MODEL_MMIO_BASE;
    plugin.channel->window_bytes = model_mmio_bytes(plugin.model);
    plugin.channel->tables = MODEL_TABLES_BASE;
    plugin.channel->tables_bytes = model_tables_bytes(plugin.model);
}

static const char *const op_names[CHANNEL_OPS] = {
    [CHANNEL_HELLO] = "hello",
    [CHANNEL_HERE] = "here",
    [CHANNEL_FEED] = "feed",
    [CHANNEL_CPUID] = "cpuid",
    [CHANNEL_RDMSR] = "rdmsr",
    [CHANNEL_WRMSR] = "wrmsr",
    [CHANNEL_WBINVD] = "wbinvd",
    [CHANNEL_PCI_READ] = "pci read",
    [CHANNEL_PCI_WRITE] = "pci write",
    [CHANNEL_MMIO_READ] = "mmio read",
    [CHANNEL_MMIO_WRITE] = "mmio write",
    [CHANNEL_RDTSC] = "rdtsc",
    [CHANNEL_PM_TIMER] = "pm timer",
    [CHANNEL_WAKE] = "wake",
    [CHANNEL_HALT] = "halt",
    [CHANNEL_LATE] = "late",
    [CHANNEL_DEVICE_BEGIN] = "device begin",
    [CHANNEL_DEVICE_END] = "device end",
    [CHANNEL_RDPMC] = "rdpmc",
    [CHANNEL_CLFLUSH] = "clflush",
    [CHANNEL_IPI] = "ipi",
};

/* Pages of devices that the shim has asked for: the guest has them mapped. One that was forgotten for another leaves the guest
 * again. */
#define PAGES 65536u
static struct {
    uint64_t page[PAGES]; /* its number + 1 */
    uint64_t answered, left;
} calls;

void request_summary(void)
{
    char *text;
    size_t length;
    FILE *f;

    if (!plugin.summary_path || !plugin.model)
        return;
    length = model_summary(plugin.model, NULL, 0);
    text = calloc(1, length + 1);
    f = fopen(plugin.summary_path, "a");
    if (text && f) {
        model_summary(plugin.model, text, length + 1);
        fputs(text, f);
        fputs("requests:", f);
        for (uint32_t op = CHANNEL_HELLO; op < CHANNEL_OPS; op++)
            fprintf(f, "%s %s %" PRIu64, op > CHANNEL_HELLO ? "," : "", op_names[op], plugin.channel->requests[op]);
        fprintf(f, "\ncalls: %" PRIu64 " answered in the guest, %" PRIu64 " left it\n", calls.answered, calls.left);
        if (plugin.own_time)
            clock_summary(f);
    } else {
        fprintf(stderr, "silicon plugin: cannot write the summary to %s: %s\n", plugin.summary_path, strerror(errno));
    }
    if (f)
        fclose(f);
    free(text);
}

static void trace_request(uint32_t cpu, const struct channel_slot *s)
{
    static const char *const answers[] = { "pending", "done", "#GP", "not mine" };
    const char *answer = answers[s->answer & 3];

    switch (s->op) {
    case CHANNEL_CPUID:
        fprintf(plugin.trace, "cpu %u CPUID %#x.%#x: %08x %08x %08x %08x\n", cpu, s->number, s->subleaf, s->regs[0],
                s->regs[1], s->regs[2], s->regs[3]);
        break;
    case CHANNEL_RDMSR:
        fprintf(plugin.trace, "cpu %u RDMSR %#x: %#" PRIx64 " %s\n", cpu, s->number, s->value, answer);
        break;
    case CHANNEL_WRMSR:
        fprintf(plugin.trace, "cpu %u WRMSR %#x <- %#" PRIx64 " %s\n", cpu, s->number, s->value, answer);
        break;
    case CHANNEL_WBINVD:
        fprintf(plugin.trace, "cpu %u WBINVD\n", cpu);
        break;
    case CHANNEL_PCI_READ:
    case CHANNEL_PCI_WRITE:
        fprintf(plugin.trace, "cpu %u PCI %02x:%02x.%x %#x/%u %s %#" PRIx64 "\n", cpu, s->number >> 8,
                s->number >> 3 & 31, s->number & 7, s->subleaf, s->bytes, s->op == CHANNEL_PCI_READ ? "->" : "<-",
                s->value);
        break;
    case CHANNEL_MMIO_READ:
    case CHANNEL_MMIO_WRITE:
        fprintf(plugin.trace, "cpu %u MMIO %#" PRIx64 "/%u %s %#" PRIx64 "\n", cpu, s->address, s->bytes,
                s->op == CHANNEL_MMIO_READ ? "->" : "<-", s->value);
        break;
    default:
        fprintf(plugin.trace, "cpu %u operation %u\n", cpu, s->op);
    }
}

static uint32_t answer_of(enum model_answer answer)
{
    return answer == MODEL_DONE ? CHANNEL_DONE : answer == MODEL_GP ? CHANNEL_GP : CHANNEL_NOT_MINE;
}

/* A machine starts. After a warm reset the silicon starts again too; nobody else runs then. */
static void hello(void)
{
    static bool used;

    if (used) {
        atomic_store(&plugin.feeding, false);
        request_summary();
        memset(&calls, 0, sizeof calls);
        request_model();
        atomic_store(&plugin.feeding, plugin.feed_always);
    }
    used = true;
}

static void check_place(uint32_t cpu, uint32_t apic_id)
{
    if (cpu >= model_cpus(plugin.model) || model_apic_id(plugin.model, cpu) != apic_id)
        plugin_die(
            "QEMU's processor %u has APIC id %#x, the model's %#x: start QEMU with the model's sockets, cores, threads",
            cpu, apic_id, cpu < model_cpus(plugin.model) ? model_apic_id(plugin.model, cpu) : UINT32_MAX);
}

static enum model_answer read_register(uint32_t cpu, struct channel_slot *s)
{
    enum model_answer answer =
        plugin.probe_wanted ? probe_read(&plugin.probe, plugin.model, cpu, s->number, &s->value) : MODEL_NOT_MINE;

    if (plugin.probe_wanted && s->number == PROBE_FEED) {
        s->value = atomic_load(&plugin.feeding);
        answer = MODEL_DONE;
    }
    if (answer == MODEL_NOT_MINE && plugin.own_time && clock_rdmsr(cpu, s))
        answer = MODEL_DONE;
    return answer == MODEL_NOT_MINE ? model_rdmsr(plugin.model, cpu, s->number, s->tsc, &s->value) : answer;
}

static enum model_answer write_register(uint32_t cpu, struct channel_slot *s)
{
    enum model_answer answer =
        plugin.probe_wanted ? probe_write(&plugin.probe, plugin.model, s->number, s->value) : MODEL_NOT_MINE;

    if (plugin.probe_wanted && s->number == PROBE_FEED) {
        atomic_store(&plugin.feeding, s->value != 0);
        answer = MODEL_DONE;
    } else if (plugin.probe_wanted && s->number == PROBE_SUMMARY) {
        request_summary();
        answer = MODEL_DONE;
    }
    if (answer == MODEL_NOT_MINE && plugin.own_time && clock_wrmsr(cpu, s))
        answer = MODEL_DONE;
    if (answer != MODEL_NOT_MINE)
        return answer;
    answer = model_wrmsr(plugin.model, cpu, s->number, s->tsc, s->value);
    if (!plugin.own_time)
        atomic_store_explicit(&plugin.throttling, model_throttles(plugin.model), memory_order_relaxed);
    return answer;
}

static void send_ipi(uint32_t apic_id)
{
    for (uint32_t i = 0; i < model_cpus(plugin.model); i++)
        if (model_apic_id(plugin.model, i) == apic_id)
            model_ipi(plugin.model, i);
}

/* What a processor asked for without leaving the guest, and was answered by other than CHANNEL_DONE: it asks again by leaving,
 * after an interrupt of QEMU's timer, or of firmware's, maybe. */
static struct kept {
    uint32_t op, number, answer;
    uint64_t value; /* that is written */
} kept[CHANNEL_SLOTS];

static bool is_kept(const struct kept *k, const struct channel_slot *s)
{
    return k->op == s->op && k->number == s->number && (s->op != CHANNEL_WRMSR || k->value == s->value);
}

static void answer_request(uint32_t cpu, struct channel_slot *s)
{
    uint32_t answer = CHANNEL_DONE;

    if (is_kept(&kept[cpu], s)) {
        s->answer = kept[cpu].answer;
        s->tsc = turns_now(cpu);
        kept[cpu].op = 0;
        return;
    }
    if (s->op != CHANNEL_LATE)
        kept[cpu].op = 0;
    if (plugin.own_time && s->op != CHANNEL_LATE)
        s->tsc = clock_request(cpu, s);
    switch (s->op) {
    case CHANNEL_HELLO:
        hello();
        if (plugin.own_time)
            clock_begin(cpu);
        break;
    case CHANNEL_HERE:
        check_place(cpu, s->apic_id);
        break;
    case CHANNEL_FEED:
        if (plugin.physical_wanted && !plugin.physical_known)
            plugin_die("QEMU does not say where each piece of RAM is: address=physical cannot work");
        atomic_store(&plugin.feeding, plugin.feed_always || !plugin.feed_by_probe);
        break;
    case CHANNEL_CPUID:
        if (plugin.physical_wanted && s->number == 0xA)
            s->regs[0] |= 1; /* an operating system's RDPMC ends here, so model_cpuid() may show the counters */
        model_cpuid(plugin.model, cpu, s->number, s->subleaf, s->regs);
        break;
    case CHANNEL_RDMSR:
        answer = answer_of(read_register(cpu, s));
        break;
    case CHANNEL_WRMSR:
        answer = answer_of(write_register(cpu, s));
        break;
    case CHANNEL_RDPMC:
        answer = answer_of(model_rdpmc(plugin.model, cpu, s->number, s->tsc, &s->value));
        break;
    case CHANNEL_WBINVD:
        model_wbinvd(plugin.model, cpu);
        break;
    case CHANNEL_CLFLUSH:
        if (atomic_load_explicit(&plugin.feeding, memory_order_relaxed))
            model_clflush(plugin.model, cpu, s->address);
        break;
    case CHANNEL_IPI:
        send_ipi(s->number);
        break;
    case CHANNEL_PCI_READ:
        s->value = model_pci_read(plugin.model, s->number, s->subleaf, s->bytes, s->tsc);
        break;
    case CHANNEL_PCI_WRITE:
        model_pci_write(plugin.model, s->number, s->subleaf, s->bytes, s->tsc, (uint32_t)s->value);
        break;
    case CHANNEL_MMIO_READ:
        s->value = model_mmio_read(plugin.model, s->address, s->bytes, s->tsc);
        break;
    case CHANNEL_MMIO_WRITE:
        model_mmio_write(plugin.model, s->address, s->bytes, s->tsc, s->value);
        break;
    case CHANNEL_RDTSC:
        s->value = clock_rdtsc(cpu);
        s->number = model_pmi(plugin.model, cpu, s->value);
        break;
    case CHANNEL_PM_TIMER:
        s->value = clock_pm_timer(cpu);
        break;
    case CHANNEL_WAKE:
        clock_interrupt(cpu, s->number);
        break;
    case CHANNEL_HALT:
        s->tsc = clock_halt(cpu, s->value);
        break;
    case CHANNEL_LATE:
        s->tsc = clock_is_firmware(s->address) ? turns_now(cpu) : 0;
        s->value = turns_alone();
        break;
    case CHANNEL_DEVICE_BEGIN:
        if (plugin.own_time)
            clock_device_begin(cpu);
        break;
    case CHANNEL_DEVICE_END:
        if (plugin.own_time)
            s->tsc = clock_device_end(cpu, s->value);
        break;
    default:
        plugin_die("processor %u asks for operation %u: shim and plugin are of different versions", cpu, s->op);
    }
    s->answer = answer;
    __atomic_fetch_add(&plugin.channel->requests[s->op], 1, __ATOMIC_RELAXED);
    if (plugin.trace)
        trace_request(cpu, s);
}

/* The processor is to leave the guest: one of firmware's timer interrupts, or of uncore counters (PMI), may be due. */
static bool is_due(uint32_t cpu)
{
    return turns_now(cpu) >= plugin_slot(model_apic_id(plugin.model, cpu))->due || model_pmi_enabled(plugin.model, cpu);
}

uint64_t request_clock(uint32_t cpu)
{
    struct channel_slot s = { .op = CHANNEL_RDTSC };

    if (is_due(cpu))
        return CHANNEL_CLOCK_EXIT;
    answer_request(cpu, &s);
    return s.value;
}

static void page_reached(const struct channel_slot *s)
{
    uint64_t page = s->address / 4096;

    if (s->op == CHANNEL_PCI_READ || s->op == CHANNEL_PCI_WRITE)
        page = plugin.channel->ecam / 4096 + s->number;
    else if (s->op != CHANNEL_MMIO_READ && s->op != CHANNEL_MMIO_WRITE)
        return;
    calls.page[page % PAGES] = page + 1;
}

static bool is_reached(uint64_t address)
{
    return calls.page[address / 4096 % PAGES] == address / 4096 + 1;
}

/* An access of 4 or 8 bytes to a device of the model's. A register's window takes both, configuration space 4. */
static bool of_device(struct channel_slot *s, uint64_t address, uint32_t bytes, bool write)
{
    const volatile struct channel *c = plugin.channel;
    uint64_t function = (address - c->ecam) >> 12;

    if (address % bytes || !is_reached(address))
        return false;
    s->address = address;
    s->bytes = bytes;
    s->value = write ? c->call.value & low_bits(8 * bytes) : 0;
    if (address - c->window < c->window_bytes || address - c->tables < c->tables_bytes) {
        s->op = write ? CHANNEL_MMIO_WRITE : CHANNEL_MMIO_READ;
        return true;
    }
    s->op = write ? CHANNEL_PCI_WRITE : CHANNEL_PCI_READ;
    s->number = (uint32_t)function;
    s->subleaf = address % 4096;
    return c->ecam && bytes == 4 && function < 8 * sizeof c->buses << 8 && function != c->own &&
           c->buses[function / 256 / 8] >> function / 256 % 8 & 1;
}

/* What was stored to the channel at this field. false: it is no question, or not the plugin's to answer. */
static bool call_read(struct channel_slot *s, size_t field)
{
    const volatile struct channel_call *call = &plugin.channel->call;

    s->address = UINT64_MAX; /* no instruction of firmware's */
    switch (field) {
    case offsetof(struct channel_call, rdmsr):
        s->op = CHANNEL_RDMSR;
        s->number = call->rdmsr;
        return true;
    case offsetof(struct channel_call, wrmsr):
        s->op = CHANNEL_WRMSR;
        s->number = call->wrmsr;
        s->value = call->value;
        return true;
    case offsetof(struct channel_call, in32):
        s->op = CHANNEL_PM_TIMER;
        return plugin.channel->pm_timer && call->in32 == plugin.channel->pm_timer;
    case offsetof(struct channel_call, read32):
        return of_device(s, call->read32, 4, false);
    case offsetof(struct channel_call, read64):
        return of_device(s, call->read64, 8, false);
    case offsetof(struct channel_call, write32):
        return of_device(s, call->write32, 4, true);
    case offsetof(struct channel_call, write64):
        return of_device(s, call->write64, 8, true);
    default:
        return false;
    }
}

void request_answer(uint32_t cpu, struct channel_slot *s)
{
    page_reached(s);
    answer_request(cpu, s);
}

void request_call(uint32_t cpu, size_t field)
{
    struct channel_slot s = { 0 };
    bool leave;

    if (field == offsetof(struct channel_call, value))
        return;
    leave = !call_read(&s, field) || is_due(cpu);
    if (!leave) {
        answer_request(cpu, &s);
        leave = s.answer != CHANNEL_DONE;
        if (leave)
            kept[cpu] = (struct kept){ s.op, s.number, s.answer, s.value };
        plugin.channel->call.value = s.value;
    }
    plugin.channel->call.leave = leave;
    calls.answered += !leave;
    calls.left += leave;
}
