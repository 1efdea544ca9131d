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
 *   machine=FILE       a recorded machine (docs/recording.md), in place of packages, cores and threads; profile: the nearest
 *   grid=CORES:THREADS QEMU's processors are numbered by the place that their APIC ids have in packages of that many
 *                      cores and threads, of which some are not there
 *   clock=model|host   the guest's time: of the model, which accesses and instructions drive (turns.h, model_clock.h); or
 *                      the host's TSC, for an operating system, which measures it by timers that QEMU has
 *   fault=NAME[:VALUE] may be repeated
 *   realism=LIST       quirks of real parts: tests/silicon/quirks/realism.h
 *   mem=NODE:BASE:SIZE RAM of a node, may be repeated, numbers in any C notation; accesses elsewhere are no traffic
 *   flush=touched|named
 *                      CLFLUSH acts on the line that its processor touched last, or is the shim's on a processor without it
 *   summary=FILE       model_summary() is appended there when QEMU ends, also by isa-debug-exit
 *   trace=FILE         a line for each request
 *   prefetch=off|on    the L2's prefetchers act, unless the guest stops them by MSR 1A4H; off: bytes moved are exact
 *   feed=shim|always|probe
 *                      when accesses begin to count: when the shim says so (default), from the reset vector on, or when
 *                      software in the guest writes 1 to PROBE_FEED (probe.h)
 *
 * Until the first shim rings HELLO no instruction but the shim's is watched, unless feed=always: firmware comes up in two
 * thirds of the time. Then QEMU translates everything again (qemu_plugin_reset()).
 *
 * Instructions of the shim itself are no traffic of the silicon: they are known by their address when they are
 * translated, and get the doorbell callback alone. An operating system may use the same virtual addresses for programs
 * of its own, so with address=physical they are known by where QEMU keeps them in its own memory.
 *
 * Lines of code are fetched block by block, before the block runs, of firmware too while other processors run: a loop
 * that waits stays in the instruction cache, so how often the host has it go round fetches nothing. Where code is
 * rewritten QEMU translates it again, and what a block fetches is its addresses alone. With address=physical nothing is
 * fetched: a block's virtual address is all that is known when it runs.
 *
 * Not seen: page walks, prefetches (TCG drops them), and the operand of CLFLUSH, CLFLUSHOPT and CLWB, for which TCG makes
 * no access. The latter are paired with the line that their processor touched last, so software that reads a line and
 * then flushes it is served, and software that flushes lines it has not just touched is not (WBINVD is exact). With
 * flush=named the underlying processor has none of the three: CLFLUSH raises #UD, and the shim does it.
 */
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

#include "tests/silicon/cache/model_l1.h"
#include "tests/silicon/qemu/insn.h"
#include "tests/silicon/qemu/plugin_api.h"
#include "tests/silicon/qemu/plugin_block.h"
#include "tests/silicon/qemu/plugin_clock.h"
#include "tests/silicon/qemu/plugin_request.h"
#include "tests/silicon/qemu/plugin_start.h"
#include "tests/silicon/qemu/plugin_address.h"

#define PAGE         4096u
#define RESET_VECTOR UINT64_C(0xFFFFFFF0)

struct touched { /* one cache line a processor: written by its own thread at every access */
    _Alignas(64) uint64_t address;
    uint64_t paused_at; /* TSC at the last PAUSE            */
    uint64_t code;      /* the line that was fetched last   */
    uint32_t pauses;    /* PAUSEs close together            */
};
static struct touched last[CHANNEL_SLOTS];

static struct {
    qemu_plugin_id_t id;
    bool begun, on; /* on: the guest's instructions are watched; changes while no processor runs */
} watching;

static void on_idle(unsigned int vcpu)
{
    uint32_t cpu = plugin.number[vcpu];

    if (plugin.own_time)
        turns_idle(cpu);
}

static void on_resume(unsigned int vcpu)
{
    uint32_t cpu = plugin.number[vcpu];

    if (plugin.own_time)
        turns_resume(cpu);
}

/* Nobody runs: of those that ran since the shim's HELLO, none waited for its turn (turns.h). One that halts or resumes between
 * the end of the last callbacks and these would be taken for the opposite until it does so again; TURNS_STUCK_MS bounds that. */
static void watch_all(qemu_plugin_id_t id)
{
    watching.on = true;
    api_register(id);
}

/* Was that a doorbell? If so, answer. */
static void doorbell(uint32_t cpu, qemu_plugin_meminfo_t info, uint64_t address)
{
    uint64_t bar = plugin.channel->bar;
    uint64_t offset = address - bar - CHANNEL_FIRST_SLOT;
    struct channel_slot *slot;

    if (bar == 0 || !qemu_plugin_mem_is_store(info))
        return;
    if (address - bar - offsetof(struct channel, call) < sizeof(struct channel_call))
        request_call(cpu, address - bar - offsetof(struct channel, call));
    if (address < bar + CHANNEL_FIRST_SLOT || offset >= CHANNEL_SLOTS * sizeof(struct channel_slot) ||
        offset % sizeof(struct channel_slot) != offsetof(struct channel_slot, doorbell))
        return;
    slot = plugin_slot((uint32_t)(offset / sizeof *slot));
    request_answer(cpu, slot);
    if (slot->op == CHANNEL_HELLO && !watching.begun) {
        watching.begun = true;
        qemu_plugin_reset(watching.id, watch_all);
    }
}

/* --- memory accesses: the hot path */

static inline bool in_ram(uint64_t address)
{
    if (__builtin_expect(address - plugin.ram[0].base < plugin.ram[0].bytes,
                         1)) /* nearly always: all RAM below 4 GiB */
        return true;
    for (uint32_t i = 1; i < plugin.n_ram; i++)
        if (address - plugin.ram[i].base < plugin.ram[i].bytes)
            return true;
    return false;
}

/* What an access is, QEMU tells by a call. Few different words for it exist, none of them 0, so the answers are kept: the word
 * in 31:0. Whoever writes an entry writes the same. */
#define KIND_STORE BIT(32)
static _Atomic uint64_t kinds[64];

static inline _Atomic uint64_t *kind_at(qemu_plugin_meminfo_t info)
{
    return &kinds[info * 2654435761u >> 26]; /* Knuth's multiplier */
}

/* One callback for loads and stores. QEMU 7.2 looks at the wrong bits of the rw argument when it translates: a callback
 * for loads is called for stores, one for stores for both. What an access is, it says truly. */
static inline enum model_kind kind_of(qemu_plugin_meminfo_t info)
{
    uint64_t known = atomic_load_explicit(kind_at(info), memory_order_relaxed);

    if (__builtin_expect((uint32_t)known != info, 0)) {
        known = info | (qemu_plugin_mem_is_store(info) ? KIND_STORE : 0);
        atomic_store_explicit(kind_at(info), known, memory_order_relaxed);
    }
    return known & KIND_STORE ? MODEL_STORE : MODEL_LOAD;
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
    uint64_t wait = model_throttle(plugin.model, cpu, host_ns), from, now;
    struct timespec t = { .tv_sec = (time_t)(wait / UINT64_C(1000000000)), .tv_nsec = (long)(wait % 1000000000) };

    if (wait == 0)
        return;
    from = host_ns();
    nanosleep(&t, NULL);
    now = host_ns();
    model_throttled(plugin.model, cpu, now - from, now);
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
    level = model_access_level(plugin.model, cpu, address, bytes, kind);
    if (plugin.own_time)
        clock_access(cpu, address, kind, level, dependent);
    else if (__builtin_expect(atomic_load_explicit(&plugin.throttling, memory_order_relaxed), 0))
        stand_still(cpu);
}

static __attribute__((noinline)) void fetch(uint32_t cpu, uint64_t line)
{
    uint64_t address = line << MODEL_LINE_SHIFT;
    enum cache_level level = model_access_level(plugin.model, cpu, address, 1, MODEL_FETCH);

    last[cpu].code = line;
    if (plugin.own_time)
        turns_set(cpu, model_clock_fetch(plugin.model, cpu, turns_now(cpu), address, level));
    else if (__builtin_expect(atomic_load_explicit(&plugin.throttling, memory_order_relaxed), 0))
        stand_still(cpu);
}

/* All lines of a block, before it runs. A loop within one line is no fetch a round. */
static void on_block(unsigned int vcpu, void *word)
{
    uint32_t cpu = plugin.number[vcpu];
    uint64_t block = (uintptr_t)word, line = field_get(BLOCK_FIRST, block), n = field_get(BLOCK_LINES, block);

    if (atomic_load_explicit(&turns_on, memory_order_relaxed))
        turns_run(cpu, field_get(BLOCK_TICKS, block));
    if (!atomic_load_explicit(&plugin.feeding, memory_order_relaxed))
        return;
    for (; n > 0; line++, n--)
        if (line != last[cpu].code)
            fetch(cpu, line);
}

/* Firmware's instructions depend on how firmware came up, which was in the host's time: while no other processor runs, they
 * take none and fetch nothing. */
static void on_firmware_block(unsigned int vcpu, void *word)
{
    if (turns_alone())
        turns_run(plugin.number[vcpu], 0);
    else
        on_block(vcpu, word);
}

/* Firmware begins as it did before the first shim: its processors in no order, nothing fed. An instruction that QEMU executes
 * with all other processors stopped would wait for those that wait for a turn, TURNS_STUCK_MS each. */
static void on_reset(unsigned int, void *)
{
    atomic_store(&plugin.feeding, plugin.feed_always);
    clock_end();
}

/* The same at a virtual address that means whatever the guest's tables say; one that crosses a page's end is two. */
static void feed_virtual(uint32_t cpu, qemu_plugin_meminfo_t info, uint64_t address, enum model_kind kind, bool user)
{
    uint32_t bytes = 1u << qemu_plugin_mem_size_shift(info), done = 0;

    model_ring(plugin.model, cpu, user);
    while (done < bytes) {
        uint32_t room = PAGE - (uint32_t)((address + done) & (PAGE - 1));
        uint32_t n = bytes - done < room ? bytes - done : room;
        uint64_t physical;

        if (address_physical(info, address + done, &physical)) {
            last[cpu].address = physical;
            model_access(plugin.model, cpu, physical, n, kind);
        }
        done += n;
    }
    if (__builtin_expect(atomic_load_explicit(&plugin.throttling, memory_order_relaxed), 0))
        stand_still(cpu);
}

/* firmware: the instruction is firmware's. While no other processor runs, what it touches is no traffic. */
static inline bool is_fed(const void *firmware)
{
    return atomic_load_explicit(&plugin.feeding, memory_order_relaxed) && !(firmware && turns_alone());
}

static __attribute__((noinline)) void access_any(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
                                                 void *firmware)
{
    uint32_t cpu = plugin.number[vcpu];

    if (!in_ram(address))
        doorbell(cpu, info, address);
    else if (is_fed(firmware))
        feed(cpu, info, address, kind_of(info), false);
}

/* Most accesses are in one line of the RAM below 4 GiB, answered by the L1, and nobody waits for them: these take no time,
 * and QEMU is back after some 60 instructions. What access_any() does with them is the same. */
static void on_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *firmware)
{
    uint32_t cpu = plugin.number[vcpu];
    uint64_t known = atomic_load_explicit(kind_at(info), memory_order_relaxed), line = address >> MODEL_LINE_SHIFT;
    bool store = known & KIND_STORE;
    struct cpu *c = plugin.model->cpu + cpu;

    if (__builtin_expect(address - plugin.ram[0].base < plugin.ram[0].bytes && (address & 63) <= 48 &&
                             (uint32_t)known == info && plugin.own_time && is_fed(firmware) &&
                             wait_is_none(cpu, line, store) && l1_has(c, line, store),
                         1)) {
        last[cpu].address = address;
        c->counts.accesses++;
        return;
    }
    access_any(vcpu, info, address, firmware);
}

static void on_chase(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *firmware)
{
    uint32_t cpu = plugin.number[vcpu];

    if (in_ram(address) && is_fed(firmware))
        feed(cpu, info, address, MODEL_LOAD, true);
}

static void on_nt_store(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *firmware)
{
    uint32_t cpu = plugin.number[vcpu];

    if (is_fed(firmware) && in_ram(address))
        feed(cpu, info, address, MODEL_NT_STORE, false);
}

static void on_virtual(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *program)
{
    uint32_t cpu = plugin.number[vcpu];

    if (atomic_load_explicit(&plugin.feeding, memory_order_relaxed) && plugin.physical_known)
        feed_virtual(cpu, info, address, kind_of(info), program != NULL);
}

static void on_virtual_nt_store(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *program)
{
    uint32_t cpu = plugin.number[vcpu];

    if (atomic_load_explicit(&plugin.feeding, memory_order_relaxed) && plugin.physical_known)
        feed_virtual(cpu, info, address, MODEL_NT_STORE, program != NULL);
}

static void on_shim(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *)
{
    uint32_t cpu = plugin.number[vcpu];

    doorbell(cpu, info, address);
    if (plugin.physical_wanted && !plugin.physical_known)
        address_learn(info, address);
}

static void on_clock(unsigned int vcpu, void *)
{
    plugin.channel->clock = request_clock(plugin.number[vcpu]);
}

static void on_flush(unsigned int vcpu, void *)
{
    uint32_t cpu = plugin.number[vcpu];

    if (atomic_load_explicit(&plugin.feeding, memory_order_relaxed))
        model_clflush(plugin.model, cpu, last[cpu].address & ~UINT64_C(63));
    if (plugin.own_time) {
        wait_work(cpu);
        clock_spend(cpu, CLOCK_FLUSH);
    }
}

/* A guest processor that waits in a PAUSE loop takes host time from those that work, and there are usually more guest
 * processors than host ones. In the host's time, after SPIN_PAUSES in a row, each not later than SPIN_TICKS after the one before, it gives
 * its host thread away at every further one. The guest sees a PAUSE that takes longer, as on a busy machine. */
#define SPIN_PAUSES   1000u
#define SPIN_TICKS    200000u
#define SPIN_SLEEP_NS 50000

static void on_pause(unsigned int vcpu, void *)
{
    uint32_t cpu = plugin.number[vcpu];
    static const struct timespec nap = { .tv_nsec = SPIN_SLEEP_NS };
    uint64_t now;

    if (plugin.own_time) {
        clock_pause(cpu);
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
    uint64_t base = plugin.channel->shim_base, offset = qemu_plugin_insn_vaddr(insn) - base;
    uintptr_t there;

    if (!plugin.physical_wanted || offset >= plugin.channel->shim_bytes)
        return offset < plugin.channel->shim_bytes;
    there = (uintptr_t)qemu_plugin_insn_haddr(insn);
    if (atomic_load(&shim_seen) != base) {
        atomic_store(&shim_in_qemu, there - offset);
        atomic_store(&shim_seen, base);
    }
    return there - atomic_load(&shim_in_qemu) == offset;
}

static bool is_firmware(const struct qemu_plugin_insn *insn)
{
    return plugin.own_time && clock_is_firmware(qemu_plugin_insn_vaddr(insn));
}

/* What the callback gets: the instruction is firmware's, or, of an operating system, which has the upper half of all
 * addresses for itself, a program's. */
static void watch(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_mem_cb_t callback)
{
    static char mark;
    uint64_t at = qemu_plugin_insn_vaddr(insn);
    bool is = plugin.physical_wanted ? !(at >> 63) : plugin.own_time && clock_is_firmware(at);

    qemu_plugin_register_vcpu_mem_cb(insn, callback, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, is ? &mark : NULL);
}

static void on_execution(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_udata_cb_t callback)
{
    qemu_plugin_register_vcpu_insn_exec_cb(insn, callback, QEMU_PLUGIN_CB_NO_REGS, NULL);
}

/* MOV RAX, moffs64, the load of the code that the shim has in place of the guest's RDTSC (shim/functions.h). */
static bool loads_clock(const struct qemu_plugin_insn *insn)
{
    uint8_t bytes[16] = { 0 };
    size_t n = api_insn_data(insn, bytes, sizeof bytes);
    uint64_t address;

    memcpy(&address, bytes + 2, sizeof address);
    return plugin.own_time && n == 10 && bytes[0] == 0x48 && bytes[1] == 0xA1 &&
           address == plugin.channel->bar + offsetof(struct channel, clock);
}

static void watch_guest(struct qemu_plugin_insn *insn, enum insn_class class)
{
    switch (class) {
    case INSN_FLUSH:
        if (!plugin.flush_named)
            on_execution(insn, on_flush);
        break;
    case INSN_PAUSE:
        on_execution(insn, on_pause);
        break;
    case INSN_NT_STORE:
        watch(insn, plugin.physical_wanted ? on_virtual_nt_store : on_nt_store);
        break;
    case INSN_CHASE:
        watch(insn, plugin.own_time ? on_chase : plugin.physical_wanted ? on_virtual : on_access);
        break;
    case INSN_PLAIN:
        if (loads_clock(insn))
            on_execution(insn, on_clock);
        else
            watch(insn, plugin.physical_wanted ? on_virtual : on_access);
        break;
    }
}

/* The lines of a guest's block from this instruction to that one. */
static uint64_t lines_of(const struct qemu_plugin_insn *first, const struct qemu_plugin_insn *final)
{
    uint64_t begin = qemu_plugin_insn_vaddr(first);

    if (plugin.physical_wanted || !in_ram(begin))
        return 0;
    return block_lines(begin, qemu_plugin_insn_vaddr(final) + qemu_plugin_insn_size(final));
}

/* What is called before a block runs. SDM vol. 3A 10.1.4, "First Instruction Executed": FFFFFFF0H. */
static qemu_plugin_vcpu_udata_cb_t begins(const struct qemu_plugin_insn *first)
{
    if (qemu_plugin_insn_vaddr(first) == RESET_VECTOR)
        return on_reset;
    return is_firmware(first) ? on_firmware_block : on_block;
}

/* The shim's instructions take no time but for its waits. */
static void on_translation(struct qemu_plugin_tb *tb)
{
    size_t n = qemu_plugin_tb_n_insns(tb);
    struct qemu_plugin_insn *first = NULL, *final = NULL;
    qemu_plugin_vcpu_udata_cb_t callback = begins(qemu_plugin_tb_get_insn(tb, 0));
    uint64_t ticks = 0, block;

    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        enum insn_class class = class_of(insn);

        if (!is_shim(insn)) {
            if (!watching.on)
                continue;
            watch_guest(insn, class);
            first = first ? first : insn;
            final = insn;
            ticks += clock_instruction(qemu_plugin_insn_vaddr(insn));
        } else if (class == INSN_PAUSE) {
            on_execution(insn, on_pause);
        } else {
            watch(insn, on_shim);
        }
    }
    block = first ? lines_of(first, final) : 0;
    if (plugin.own_time && watching.on)
        block |= field_put(BLOCK_TICKS, ticks);
    if (block > 0 || callback == on_reset)
        qemu_plugin_register_vcpu_tb_exec_cb(tb, callback, QEMU_PLUGIN_CB_NO_REGS, (void *)(uintptr_t)block);
}

static void on_exit_of_qemu(void)
{
    request_summary();
    if (plugin.trace)
        fflush(plugin.trace);
}

/* --- start-up */

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    start_read(argc, argv);
    if (!info->system_emulation || strcmp(info->target_name, "x86_64") != 0)
        plugin_die("%s is not the system emulation of x86_64", info->target_name);
    plugin.config.qemu = true;
    plugin.config.parallel = !plugin.own_time || plugin.feed_always;
    plugin.config.counters = plugin.physical_wanted;
    if (plugin.own_time && plugin.physical_wanted)
        plugin_die("an operating system measures the TSC by timers that QEMU has: address=physical wants clock=host");
    address_ask(plugin.channel->touch);
    request_model();
    start_number((uint32_t)(plugin.grid_cores ? info->system.max_vcpus : info->system.smp_vcpus));
    atomic_store(&plugin.feeding, plugin.feed_always);
    watching.id = id;
    watching.on = watching.begun = plugin.feed_always;
    plugin.channel->version = CHANNEL_VERSION;
    plugin.channel->own_time = plugin.own_time;
    plugin.channel->call.leave = 1; /* until its stores are watched */
    plugin.channel->cpus = model_cpus(plugin.model);
    for (uint32_t i = 0; i < model_cpus(plugin.model); i++)
        plugin.channel->apic_ids[i] = (uint16_t)model_apic_id(plugin.model, i);
    snprintf(plugin.channel->profile, sizeof plugin.channel->profile, "%s", model_profile(plugin.model));
    plugin.channel->magic = CHANNEL_MAGIC;
    api_register(id);
    return 0;
}
