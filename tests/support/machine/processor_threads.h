/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/machine/processor_threads.h: processors made of threads, for core/processors/.
 *
 * The thread that calls is the boot processor, index 0; the others are threads that do what efi/processors/worker.c does on a
 * processor. Time is what the test says: each PAUSE of the boot processor calls the test, which may move the boot
 * processor's time stamp counter; each PAUSE of another one adds worker_pause_ticks to that one's. So a deadline passes
 * in tests that want it to, when they say, and in no other.
 */
#pragma once
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>

#include "core/processors/dispatch.h"

#define THREADS_MOST     16u
#define THREADS_AWAIT_MS 15000u

struct thread_machine;

struct thread_cpu {
    struct worker worker;
    struct thread_machine *machine;
    pthread_t thread;
    bool started;
    pthread_mutex_t lock; /* of what ends HLT */
    pthread_cond_t changed;
    atomic_bool in_hlt, end_hlt;
    atomic_uint nmis, nmis_held; /* came in; sent, and held by the test */
    atomic_uint sleeps, forced;
    atomic_bool nmi_in_step;   /* one was under way while a step was done */
    atomic_bool gate, at_gate; /* closed: thread_gate_wait() waits here; it does */
    atomic_ulong tsc;
    jmp_buf exception;
    uint64_t reg; /* what RDMSR reads and WRMSR writes */
};

struct thread_machine {
    struct platform platform;
    struct cpu_slot slots[THREADS_MOST];
    struct workers workers;
    struct worker *table[THREADS_MOST];
    struct thread_cpu cpus[THREADS_MOST];
    uint32_t n;
    uint64_t worker_pause_ticks;

    /* What a test changes. step: NULL is threads_step(). */
    enum status (*step)(struct thread_cpu *c, struct step *s);
    void (*boot_pause)(struct thread_machine *m); /* at each PAUSE of the boot processor; may be NULL */
    bool hold_nmis;                               /* until threads_release_nmis() */
    bool refuse_nmis;                             /* wake() fails */
    bool wake_early;                              /* sleep() ends when an NMI is sent, before it is in */
    enum status returned;                         /* answer of all_returned() */
    bool cannot_force;

    /* What was reported. */
    uint32_t n_lost, n_exceptions;
    char text[600];
};

/* n processors with the boot processor, which has begun the work, APIC ids 0, 2, 4...; none has started. */
void threads_init(struct thread_machine *m, uint32_t n);
/* Start processor `cpu`: it arrives by itself. */
void threads_start(struct thread_machine *m, uint32_t cpu);
/* All others, and wait for them. */
void threads_start_all(struct thread_machine *m);
/* The three of them: all have arrived, and do steps by that function. */
void threads_begin(struct thread_machine *m, uint32_t n, enum status (*step)(struct thread_cpu *c, struct step *s));
/* Wait until a worker sleeps. */
void threads_until_asleep(struct thread_machine *m, uint32_t cpu);
/* Open every gate, let in every NMI, send all home, and wait for the threads' ends. Frees what runs took. */
void threads_end(struct thread_machine *m);

/* RDMSR and WRMSR: the processor's reg. Everything else succeeds. */
enum status threads_step(struct thread_cpu *c, struct step *s);
/* On a processor: wait while its gate is closed. */
void thread_gate_wait(struct thread_cpu *c);
/* On any thread: whether it does. */
bool thread_is_at_gate(const struct thread_cpu *c);
/* On a processor: an exception that nothing expects. */
_Noreturn void thread_crash(struct thread_cpu *c);
void threads_release_nmis(struct thread_machine *m);

/* A test on the threads of `m`, which end with it. */
#define THREADS_TEST(suite, name)                                                                                      \
    static void suite##_##name##_on_threads(void);                                                                     \
    Test(suite, name)                                                                                                  \
    {                                                                                                                  \
        suite##_##name##_on_threads();                                                                                 \
        threads_end(&m);                                                                                               \
    }                                                                                                                  \
    static void suite##_##name##_on_threads(void)
