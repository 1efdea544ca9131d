/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/qemu/plugin.c: joins a stock QEMU (TCG) to the silicon model.
 *
 * Two jobs. It feeds model_access() every load and store that the guest makes to RAM, on the thread of the virtual
 * processor that makes it. And it answers the shim's requests (shim/channel.h): a store to a doorbell runs on_shim()
 * synchronously, so the request is done before the guest's next instruction.
 *
 * Arguments, as -plugin silicon.so,KEY=VALUE,...
 *   page=FILE          the ivshmem device's backing file, CHANNEL_BYTES long (must be given)
 *   profile= packages= cores= threads= clusters= seed= tsc_hz=
 *                      see struct model_config; tsc_hz: the profile's, with clock=host measured
 *   clock=model|host   the guest's time: of the model, which accesses and instructions drive (turns.h, model_clock.h); or
 *                      the host's TSC, for an operating system, which measures it by timers that QEMU has
 *   fault=NAME[:VALUE] may be repeated
 *   realism=LIST       habits of real parts: tests/silicon/model/realism.h
 *   mem=NODE:BASE:SIZE RAM of a node, may be repeated, numbers in any C notation; accesses elsewhere are no traffic
 *   summary=FILE       model_summary() is appended there when QEMU ends, also by isa-debug-exit
 *   trace=FILE         a line for each request
 *   prefetch=off|on    the L2's prefetchers act, unless the guest stops them by MSR 1A4H; off: bytes moved are exact
 *   feed=shim|always|probe
 *                      when accesses begin to count: when the shim says so (default), from the reset vector on, or when
 *                      software in the guest writes 1 to PROBE_FEED (probe.h)
 *
 * Instructions of the shim itself are no traffic of the silicon: they are known by their address when they are
 * translated, and get the doorbell callback alone. An operating system may use the same virtual addresses for programs
 * of its own, so with address=physical they are known by where QEMU keeps them in its own memory.
 *
 * Not seen: instruction fetches and page walks (the model has data lines only), prefetches (TCG drops them), and the
 * operand of CLFLUSH, CLFLUSHOPT and CLWB, for which TCG makes no access. The latter are paired with the line that
 * their processor touched last, so software that reads a line and then flushes it is served, and software that flushes
 * lines it has not just touched is not (WBINVD is exact).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "core/base/bits.h"
#include "tests/silicon/model/model_clock.h"
#include "tests/silicon/qemu/insn.h"
#include "tests/silicon/qemu/plugin_api.h"
#include "tests/silicon/qemu/turns.h"
#include "tests/silicon/model/probe.h"
#include "tests/silicon/shim/channel.h"

/* --- state */

#define MAX_RANGES 64
#define PAGE       4096u
struct range {
    uint64_t base, bytes;
    uint32_t node;
};
struct touched { /* one cache line a processor: written by its own thread at every access */
    _Alignas(64) uint64_t address;
    uint64_t paused_at; /* TSC at the last PAUSE  */
    uint32_t pauses;    /* PAUSEs close together  */
};

static struct model *model;
static struct model_config config;
static struct channel *channel; /* the mapped page */
static atomic_bool feeding;
static atomic_bool throttling; /* model_throttles() since the last write of a register */
static bool feed_always, feed_by_probe;
static struct range ranges[MAX_RANGES]; /* as given */
static uint32_t n_ranges;
static struct range ram[MAX_RANGES]; /* the same without nodes, adjacent ones joined: what the hot path looks at */
static uint32_t n_ram;
static struct touched last[CHANNEL_SLOTS];
static bool own_time = true; /* clock=model */
#define MAX_ARGUMENTS 96
static char *arguments[MAX_ARGUMENTS]; /* QEMU frees its own after installation; the configuration points into these */
static const char *summary_path;
static FILE *trace;
static bool probe_wanted;
static struct probe probe;

#include "tests/silicon/qemu/plugin_address.h"
#include "tests/silicon/qemu/plugin_clock.h"

/* A configuration that contradicts itself gives wrong results that look right: say so and end QEMU with
 * status 2, which no write to isa-debug-exit gives. */
static _Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void die(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("silicon plugin: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    fflush(NULL);
    _exit(2);
}

/* --- the model */

static void start_model(void)
{
    char error[1024] = "";

    model_free(model);
    model = model_new(&config, error, sizeof error);
    if (!model)
        die("%s", error);
    for (uint32_t i = 0; i < n_ranges; i++)
        model_memory(model, ranges[i].base, ranges[i].bytes, ranges[i].node);
    for (uint32_t bus = 0; bus < 8 * sizeof channel->buses; bus++) {
        channel->buses[bus / 8] &= (uint8_t) ~(1u << bus % 8);
        channel->buses[bus / 8] |= (uint8_t)(model_pci_bus(model, bus) << bus % 8);
    }
    channel->tsc_hz = model->tsc_hz;
    channel->window = MODEL_MMIO_BASE;
    channel->window_bytes = model_mmio_bytes(model);
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
};

static void write_summary(void)
{
    char *text;
    size_t length;
    FILE *f;

    if (!summary_path || !model)
        return;
    length = model_summary(model, NULL, 0);
    text = calloc(1, length + 1);
    f = fopen(summary_path, "a");
    if (text && f) {
        model_summary(model, text, length + 1);
        fputs(text, f);
        fputs("requests:", f);
        for (uint32_t op = CHANNEL_HELLO; op < CHANNEL_OPS; op++)
            fprintf(f, "%s %s %" PRIu64, op > CHANNEL_HELLO ? "," : "", op_names[op], channel->requests[op]);
        fputc('\n', f);
        if (own_time)
            clock_summary(f);
    } else {
        fprintf(stderr, "silicon plugin: cannot write the summary to %s: %s\n", summary_path, strerror(errno));
    }
    if (f)
        fclose(f);
    free(text);
}

static void on_exit_of_qemu(void)
{
    write_summary();
    if (trace)
        fflush(trace);
}

/* --- requests */

static void trace_request(uint32_t cpu, const struct channel_slot *s)
{
    static const char *const answers[] = { "pending", "done", "#GP", "not mine" };
    const char *answer = answers[s->answer & 3];

    switch (s->op) {
    case CHANNEL_CPUID:
        fprintf(trace, "cpu %u CPUID %#x.%#x: %08x %08x %08x %08x\n", cpu, s->number, s->subleaf, s->regs[0],
                s->regs[1], s->regs[2], s->regs[3]);
        break;
    case CHANNEL_RDMSR:
        fprintf(trace, "cpu %u RDMSR %#x: %#" PRIx64 " %s\n", cpu, s->number, s->value, answer);
        break;
    case CHANNEL_WRMSR:
        fprintf(trace, "cpu %u WRMSR %#x <- %#" PRIx64 " %s\n", cpu, s->number, s->value, answer);
        break;
    case CHANNEL_WBINVD:
        fprintf(trace, "cpu %u WBINVD\n", cpu);
        break;
    case CHANNEL_PCI_READ:
    case CHANNEL_PCI_WRITE:
        fprintf(trace, "cpu %u PCI %02x:%02x.%x %#x/%u %s %#" PRIx64 "\n", cpu, s->number >> 8, s->number >> 3 & 31,
                s->number & 7, s->subleaf, s->bytes, s->op == CHANNEL_PCI_READ ? "->" : "<-", s->value);
        break;
    case CHANNEL_MMIO_READ:
    case CHANNEL_MMIO_WRITE:
        fprintf(trace, "cpu %u MMIO %#" PRIx64 "/%u %s %#" PRIx64 "\n", cpu, s->address, s->bytes,
                s->op == CHANNEL_MMIO_READ ? "->" : "<-", s->value);
        break;
    default:
        fprintf(trace, "cpu %u operation %u\n", cpu, s->op);
    }
}

static uint32_t answer_of(enum model_answer answer)
{
    return answer == MODEL_DONE ? CHANNEL_DONE : answer == MODEL_GP ? CHANNEL_GP : CHANNEL_NOT_MINE;
}

/* A machine starts. After a warm reset the silicon starts anew too; nobody else runs then. */
static void hello(void)
{
    static bool used;

    if (used) {
        atomic_store(&feeding, false);
        write_summary();
        start_model();
        atomic_store(&feeding, feed_always);
    }
    used = true;
}

static void check_place(uint32_t cpu, uint32_t apic_id)
{
    if (cpu >= model_cpus(model) || model_apic_id(model, cpu) != apic_id)
        die("QEMU's processor %u has APIC id %#x, the model's %#x: start QEMU with the model's sockets, cores, threads",
            cpu, apic_id, cpu < model_cpus(model) ? model_apic_id(model, cpu) : UINT32_MAX);
}

static enum model_answer read_register(uint32_t cpu, struct channel_slot *s)
{
    enum model_answer answer = probe_wanted ? probe_read(&probe, model, cpu, s->number, &s->value) : MODEL_NOT_MINE;

    if (probe_wanted && s->number == PROBE_FEED) {
        s->value = atomic_load(&feeding);
        answer = MODEL_DONE;
    }
    if (answer == MODEL_NOT_MINE && own_time && clock_rdmsr(cpu, s))
        answer = MODEL_DONE;
    return answer == MODEL_NOT_MINE ? model_rdmsr(model, cpu, s->number, s->tsc, &s->value) : answer;
}

static enum model_answer write_register(uint32_t cpu, struct channel_slot *s)
{
    enum model_answer answer = probe_wanted ? probe_write(&probe, model, s->number, s->value) : MODEL_NOT_MINE;

    if (probe_wanted && s->number == PROBE_FEED) {
        atomic_store(&feeding, s->value != 0);
        answer = MODEL_DONE;
    } else if (probe_wanted && s->number == PROBE_SUMMARY) {
        write_summary();
        answer = MODEL_DONE;
    }
    if (answer == MODEL_NOT_MINE && own_time && clock_wrmsr(cpu, s))
        answer = MODEL_DONE;
    if (answer != MODEL_NOT_MINE)
        return answer;
    answer = model_wrmsr(model, cpu, s->number, s->tsc, s->value);
    if (!own_time)
        atomic_store_explicit(&throttling, model_throttles(model), memory_order_relaxed);
    return answer;
}

static void answer_request(uint32_t cpu, struct channel_slot *s)
{
    uint32_t answer = CHANNEL_DONE;

    if (own_time && s->op != CHANNEL_LATE)
        s->tsc = clock_request(cpu, s->op);
    switch (s->op) {
    case CHANNEL_HELLO:
        hello();
        if (own_time)
            clock_begin(cpu);
        break;
    case CHANNEL_HERE:
        check_place(cpu, s->apic_id);
        break;
    case CHANNEL_FEED:
        if (physical_wanted && !physical_known)
            die("QEMU does not say where each piece of RAM is: address=physical cannot work");
        atomic_store(&feeding, feed_always || !feed_by_probe);
        break;
    case CHANNEL_CPUID:
        model_cpuid(model, cpu, s->number, s->subleaf, s->regs);
        break;
    case CHANNEL_RDMSR:
        answer = answer_of(read_register(cpu, s));
        break;
    case CHANNEL_WRMSR:
        answer = answer_of(write_register(cpu, s));
        break;
    case CHANNEL_WBINVD:
        model_wbinvd(model, cpu);
        break;
    case CHANNEL_PCI_READ:
        s->value = model_pci_read(model, s->number, s->subleaf, s->bytes, s->tsc);
        break;
    case CHANNEL_PCI_WRITE:
        model_pci_write(model, s->number, s->subleaf, s->bytes, s->tsc, (uint32_t)s->value);
        break;
    case CHANNEL_MMIO_READ:
        s->value = model_mmio_read(model, s->address, s->bytes, s->tsc);
        break;
    case CHANNEL_MMIO_WRITE:
        model_mmio_write(model, s->address, s->bytes, s->tsc, s->value);
        break;
    case CHANNEL_RDTSC:
        s->value = clock_rdtsc(cpu);
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
        s->tsc = is_firmware(s->address) ? turns_now(cpu) : 0;
        break;
    default:
        die("processor %u asks for operation %u: shim and plugin are of different versions", cpu, s->op);
    }
    s->answer = answer;
    __atomic_fetch_add(&channel->requests[s->op], 1, __ATOMIC_RELAXED);
    if (trace)
        trace_request(cpu, s);
}

/* Was that a doorbell? If so, answer. */
static void doorbell(uint32_t cpu, qemu_plugin_meminfo_t info, uint64_t address)
{
    uint64_t bar = channel->bar;
    uint64_t offset = address - bar - CHANNEL_FIRST_SLOT;

    if (bar == 0 || address < bar + CHANNEL_FIRST_SLOT || offset >= CHANNEL_SLOTS * sizeof(struct channel_slot) ||
        offset % sizeof(struct channel_slot) != offsetof(struct channel_slot, doorbell) ||
        !qemu_plugin_mem_is_store(info))
        return;
    answer_request(cpu, (struct channel_slot *)((uint8_t *)channel + CHANNEL_FIRST_SLOT +
                                                offset / sizeof(struct channel_slot) * sizeof(struct channel_slot)));
}

/* --- memory accesses: the hot path */

static inline bool in_ram(uint64_t address)
{
    if (__builtin_expect(address - ram[0].base < ram[0].bytes, 1)) /* nearly always: all RAM below 4 GiB */
        return true;
    for (uint32_t i = 1; i < n_ram; i++)
        if (address - ram[i].base < ram[i].bytes)
            return true;
    return false;
}

/* What an access is, QEMU tells by a call. Few different words for it exist, so the answers are kept: the word in
 * 63:32, KIND_KNOWN, the kind. Whoever writes an entry writes the same. */
#define KIND_KNOWN BIT(8)
static _Atomic uint64_t kinds[64];

/* One callback for loads and stores. QEMU 7.2 looks at the wrong bits of the rw argument when it translates: a callback
 * for loads is called for stores, one for stores for both. What an access is, it says truly. */
static inline enum model_kind kind_of(qemu_plugin_meminfo_t info)
{
    _Atomic uint64_t *at = &kinds[(info ^ info >> 4 ^ info >> 16) % 64];
    uint64_t known = atomic_load_explicit(at, memory_order_relaxed);

    if (__builtin_expect(known >> 8 != ((uint64_t)info << 24 | 1), 0)) {
        known = (uint64_t)info << 32 | KIND_KNOWN | (qemu_plugin_mem_is_store(info) ? MODEL_STORE : MODEL_LOAD);
        atomic_store_explicit(at, known, memory_order_relaxed);
    }
    return (enum model_kind)(known & 0xFF);
}

static uint64_t host_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/* The processor's thread sleeps for what its class has to do without. */
static __attribute__((noinline)) void stand_still(uint32_t cpu)
{
    uint64_t wait = model_throttle(model, cpu, host_ns), from, now;
    struct timespec t = { .tv_sec = (time_t)(wait / UINT64_C(1000000000)), .tv_nsec = (long)(wait % 1000000000) };

    if (wait == 0)
        return;
    from = host_ns();
    nanosleep(&t, NULL);
    now = host_ns();
    model_throttled(model, cpu, now - from, now);
}

/* How long it is matters only where it may reach into the next line: TCG's accesses have 16 bytes at most. */
static inline void feed(uint32_t cpu, qemu_plugin_meminfo_t info, uint64_t address, enum model_kind kind,
                        bool dependent)
{
    uint32_t bytes = 1;
    enum cache_level level;

    last[cpu].address = address;
    if (__builtin_expect((address & 63) > 48, 0))
        bytes = 1u << qemu_plugin_mem_size_shift(info);
    level = model_access_level(model, cpu, address, bytes, kind);
    if (own_time)
        clock_access(cpu, address, kind, level, dependent);
    else if (__builtin_expect(atomic_load_explicit(&throttling, memory_order_relaxed), 0))
        stand_still(cpu);
}

/* The same at a virtual address that means whatever the guest's tables say; one that crosses a page's end is two. */
static void feed_virtual(uint32_t cpu, qemu_plugin_meminfo_t info, uint64_t address, enum model_kind kind)
{
    uint32_t bytes = 1u << qemu_plugin_mem_size_shift(info), done = 0;

    while (done < bytes) {
        uint32_t room = PAGE - (uint32_t)((address + done) & (PAGE - 1));
        uint32_t n = bytes - done < room ? bytes - done : room;
        uint64_t physical;

        if (address_physical(info, address + done, &physical)) {
            last[cpu].address = physical;
            model_access(model, cpu, physical, n, kind);
        }
        done += n;
    }
    if (__builtin_expect(atomic_load_explicit(&throttling, memory_order_relaxed), 0))
        stand_still(cpu);
}

static void on_access(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *user)
{
    (void)user;
    if (!in_ram(address))
        doorbell(cpu, info, address);
    else if (atomic_load_explicit(&feeding, memory_order_relaxed))
        feed(cpu, info, address, kind_of(info), false);
}

static void on_chase(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *user)
{
    (void)user;
    if (in_ram(address) && atomic_load_explicit(&feeding, memory_order_relaxed))
        feed(cpu, info, address, MODEL_LOAD, true);
}

static void on_nt_store(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *user)
{
    (void)user;
    if (atomic_load_explicit(&feeding, memory_order_relaxed) && in_ram(address))
        feed(cpu, info, address, MODEL_NT_STORE, false);
}

static void on_virtual(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *user)
{
    (void)user;
    if (atomic_load_explicit(&feeding, memory_order_relaxed) && physical_known)
        feed_virtual(cpu, info, address, kind_of(info));
}

static void on_virtual_nt_store(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *user)
{
    (void)user;
    if (atomic_load_explicit(&feeding, memory_order_relaxed) && physical_known)
        feed_virtual(cpu, info, address, MODEL_NT_STORE);
}

static void on_shim(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *user)
{
    (void)user;
    doorbell(cpu, info, address);
    if (physical_wanted && !physical_known)
        address_learn(info, address);
}

static void on_flush(unsigned int cpu, void *user)
{
    (void)user;
    if (atomic_load_explicit(&feeding, memory_order_relaxed))
        model_clflush(model, cpu, last[cpu].address & ~UINT64_C(63));
    if (own_time)
        clock_spend(cpu, CLOCK_FLUSH);
}

/* A guest processor that waits in a PAUSE loop takes host time from those that work, and there are usually more guest
 * processors than host ones. In the host's time, after SPIN_PAUSES in a row, each not later than SPIN_TICKS after the one before, it gives
 * its host thread away at every further one. The guest sees a PAUSE that takes longer, as on a busy machine. */
#define SPIN_PAUSES   1000u
#define SPIN_TICKS    200000u
#define SPIN_SLEEP_NS 50000

static void on_pause(unsigned int cpu, void *user)
{
    static const struct timespec nap = { .tv_nsec = SPIN_SLEEP_NS };
    uint64_t now;

    (void)user;
    if (own_time) {
        clock_spend(cpu, wait_pause(cpu));
        return;
    }
    now = __rdtsc();
    last[cpu].pauses = now - last[cpu].paused_at < SPIN_TICKS ? last[cpu].pauses + 1 : 0;
    if (last[cpu].pauses >= SPIN_PAUSES) {
        nanosleep(&nap, NULL);
        now = __rdtsc();
    }
    last[cpu].paused_at = now;
}

/* --- translation */

static enum insn_class class_of(const struct qemu_plugin_insn *insn)
{
    uint8_t bytes[16] = { 0 };

    return insn_class(bytes, api_insn_data(insn, bytes, sizeof bytes));
}

/* Where QEMU keeps the first byte of the shim that says it is at shim_seen: learnt from the first instruction of it
 * that is translated, which runs while virtual is physical and one processor is awake. */
static _Atomic uint64_t shim_seen;
static _Atomic uintptr_t shim_in_qemu;

static bool is_shim(const struct qemu_plugin_insn *insn)
{
    uint64_t base = channel->shim_base, offset = qemu_plugin_insn_vaddr(insn) - base;
    uintptr_t there;

    if (!physical_wanted || offset >= channel->shim_bytes)
        return offset < channel->shim_bytes;
    there = (uintptr_t)qemu_plugin_insn_haddr(insn);
    if (atomic_load(&shim_seen) != base) {
        atomic_store(&shim_in_qemu, there - offset);
        atomic_store(&shim_seen, base);
    }
    return there - atomic_load(&shim_in_qemu) == offset;
}

static void watch(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_mem_cb_t callback)
{
    qemu_plugin_register_vcpu_mem_cb(insn, callback, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
}

static void on_execution(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_udata_cb_t callback)
{
    qemu_plugin_register_vcpu_insn_exec_cb(insn, callback, QEMU_PLUGIN_CB_NO_REGS, NULL);
}

static void watch_guest(struct qemu_plugin_insn *insn, enum insn_class class)
{
    switch (class) {
    case INSN_FLUSH:
        on_execution(insn, on_flush);
        break;
    case INSN_PAUSE:
        on_execution(insn, on_pause);
        break;
    case INSN_NT_STORE:
        watch(insn, physical_wanted ? on_virtual_nt_store : on_nt_store);
        break;
    case INSN_CHASE:
        watch(insn, own_time ? on_chase : physical_wanted ? on_virtual : on_access);
        break;
    case INSN_PLAIN:
        watch(insn, physical_wanted ? on_virtual : on_access);
        break;
    }
}

/* The shim's instructions take no time but for its waits. */
static void on_translation(struct qemu_plugin_tb *tb)
{
    size_t n = qemu_plugin_tb_n_insns(tb);
    uint64_t ticks = 0;

    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        enum insn_class class = class_of(insn);

        if (!is_shim(insn)) {
            watch_guest(insn, class);
            ticks += clock_instruction(insn);
        } else if (class == INSN_PAUSE) {
            on_execution(insn, on_pause);
        } else {
            watch(insn, on_shim);
        }
    }
    if (own_time && ticks > 0)
        qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS, (void *)(uintptr_t)ticks);
}

/* --- start-up */

static uint64_t number(const char *key, const char *text, char **end)
{
    char *stop;
    uint64_t value;

    errno = 0;
    value = strtoull(text, &stop, 0);
    if (stop == text || errno || (!end && *stop))
        die("%s=%s: not a number", key, text);
    if (end)
        *end = stop;
    return value;
}

static void add_range(const char *text)
{
    struct range *r = &ranges[n_ranges];
    char *p;

    if (n_ranges == MAX_RANGES)
        die("more than %d mem=", MAX_RANGES);
    r->node = (uint32_t)number("mem", text, &p);
    if (*p != ':')
        die("mem=%s: NODE:BASE:SIZE is wanted", text);
    r->base = number("mem", p + 1, &p);
    if (*p != ':')
        die("mem=%s: NODE:BASE:SIZE is wanted", text);
    r->bytes = number("mem", p + 1, NULL);
    n_ranges++;
}

static int by_base(const void *a, const void *b)
{
    const struct range *x = a, *y = b;

    return x->base < y->base ? -1 : x->base > y->base;
}

/* The pieces as well, which are as given. */
static void join_ranges(void)
{
    for (n_pieces = 0; n_pieces < n_ranges; n_pieces++)
        pieces[n_pieces] = (struct piece){ .base = ranges[n_pieces].base, .bytes = ranges[n_pieces].bytes };
    memcpy(ram, ranges, sizeof ram);
    qsort(ram, n_ranges, sizeof ram[0], by_base);
    for (uint32_t i = 0; i < n_ranges; i++) {
        if (n_ram > 0 && ram[n_ram - 1].base + ram[n_ram - 1].bytes == ram[i].base)
            ram[n_ram - 1].bytes += ram[i].bytes;
        else
            ram[n_ram++] = ram[i];
    }
}

/* The guest's TSC runs at the host's rate; 50 ms give it to about 1 in 10^5. */
static uint64_t measure_tsc_hz(void)
{
    struct timespec a, b;
    uint64_t from, to;
    double seconds;

    clock_gettime(CLOCK_MONOTONIC, &a);
    from = __rdtsc();
    do {
        clock_gettime(CLOCK_MONOTONIC, &b);
        to = __rdtsc();
        seconds = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9;
    } while (seconds < 0.05);
    return (uint64_t)((double)(to - from) / seconds);
}

static void map_page(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDWR | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &st) < 0)
        die("page=%s: %s", path, strerror(errno));
    if ((uint64_t)st.st_size != CHANNEL_BYTES)
        die("page=%s: %lld bytes, %u are wanted", path, (long long)st.st_size, CHANNEL_BYTES);
    channel = mmap(NULL, CHANNEL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (channel == MAP_FAILED)
        die("page=%s: %s", path, strerror(errno));
    memset(channel, 0, CHANNEL_BYTES);
}

static void take_argument(const char *arg, const char **page)
{
    size_t length = strcspn(arg, "=");
    const char *value = arg + length + 1;

    if (arg[length] != '=')
        die("argument %s: KEY=VALUE is wanted", arg);
#define KEY(name) (length == sizeof(name) - 1 && memcmp(arg, name, length) == 0)
    if (KEY("page")) {
        *page = value;
    } else if (KEY("profile")) {
        config.profile = value;
    } else if (KEY("packages")) {
        config.packages = (uint32_t)number("packages", value, NULL);
    } else if (KEY("cores")) {
        config.cores = (uint32_t)number("cores", value, NULL);
    } else if (KEY("threads")) {
        config.threads = (uint32_t)number("threads", value, NULL);
    } else if (KEY("clusters")) {
        config.clusters = (uint32_t)number("clusters", value, NULL);
    } else if (KEY("slices")) {
        config.slices = (uint32_t)number("slices", value, NULL);
    } else if (KEY("seed")) {
        config.seed = number("seed", value, NULL);
    } else if (KEY("tsc_hz")) {
        config.tsc_hz = number("tsc_hz", value, NULL);
    } else if (KEY("fault")) {
        if (config.n_faults == MODEL_MAX_FAULTS)
            die("more than %d fault=", MODEL_MAX_FAULTS);
        config.faults[config.n_faults++] = value;
    } else if (KEY("realism")) {
        config.realism = value;
    } else if (KEY("mem")) {
        add_range(value);
    } else if (KEY("summary")) {
        summary_path = value;
    } else if (KEY("trace")) {
        trace = fopen(value, "w");
        if (!trace)
            die("trace=%s: %s", value, strerror(errno));
    } else if (KEY("address") && (!strcmp(value, "virtual") || !strcmp(value, "physical"))) {
        physical_wanted = !strcmp(value, "physical");
    } else if (KEY("prefetch") && (!strcmp(value, "off") || !strcmp(value, "on"))) {
        config.prefetch = !strcmp(value, "on");
    } else if (KEY("clock") && (!strcmp(value, "model") || !strcmp(value, "host"))) {
        own_time = !strcmp(value, "model");
    } else if (KEY("probe") && (!strcmp(value, "off") || !strcmp(value, "on"))) {
        probe_wanted = !strcmp(value, "on");
    } else if (KEY("feed") && (!strcmp(value, "always") || !strcmp(value, "shim") || !strcmp(value, "probe"))) {
        feed_always = !strcmp(value, "always");
        feed_by_probe = !strcmp(value, "probe");
    } else {
        die("argument %s is unknown", arg);
    }
#undef KEY
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    const char *page = NULL;

    if (argc > MAX_ARGUMENTS)
        die("more than %d arguments", MAX_ARGUMENTS);
    for (int i = 0; i < argc; i++) {
        arguments[i] = strdup(argv[i]);
        if (arguments[i])
            take_argument(arguments[i], &page);
        else
            die("no memory");
    }
    if (!page || n_ranges == 0)
        die("page= and at least one mem= must be given");
    if (!info->system_emulation || strcmp(info->target_name, "x86_64") != 0)
        die("%s is not the system emulation of x86_64", info->target_name);
    config.qemu = true;
    if (config.tsc_hz == 0 && !own_time)
        config.tsc_hz = measure_tsc_hz();
    if (own_time && physical_wanted)
        die("an operating system measures the TSC by timers that QEMU has: address=physical wants clock=host");
    map_page(page);
    join_ranges();
    address_ask(channel->touch);
    start_model();
    if (model_cpus(model) != (uint32_t)info->system.smp_vcpus || model_cpus(model) > CHANNEL_SLOTS)
        die("QEMU has %d processors, the model %u", info->system.smp_vcpus, model_cpus(model));
    atomic_store(&feeding, feed_always);
    channel->version = CHANNEL_VERSION;
    channel->own_time = own_time;
    channel->cpus = model_cpus(model);
    for (uint32_t i = 0; i < model_cpus(model); i++)
        channel->apic_ids[i] = (uint16_t)model_apic_id(model, i);
    snprintf(channel->profile, sizeof channel->profile, "%s", model_profile(model));
    channel->magic = CHANNEL_MAGIC;
    api_register(id);
    return 0;
}
