/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/processors/pmi.h: performance monitoring interrupts by a handler of our own: the steps STEP_PMI_* of core/platform/platform.h
 * on the processor that asks, which has its own vectors loaded.
 *
 * The handler's gate lies in Assay's own table alone: firmware's is never changed. Its vector has the highest priority
 * class, so that while interrupts are on the task priority holds back all others, and the gate of the APIC's spurious vector
 * is taken too: an interrupt that is masked just as it is accepted comes by that one.
 * Source: SDM vol. 3A 10.5.1 "Local Vector Table", 10.8.3 "Interrupt, Task, and Processor Priority", 10.9 "Spurious
 * Interrupt". */
#pragma once
#include "efi/processors/vectors.h"

/* As the steps of that name; *count is written in any case. */
MUST_CHECK enum status pmi_open(struct vectors *v, struct pmi_count *count);
MUST_CHECK enum status pmi_listen(struct vectors *v, uint64_t ticks, struct pmi_count *count);
MUST_CHECK enum status pmi_close(struct vectors *v, struct pmi_count *count);

/* STEP_IPI_SEND, once it is known that the receiver is open; *count is written in any case. */
MUST_CHECK enum status pmi_send(struct vectors *v, uint32_t apic_id, uint64_t n, uint32_t ticks,
                                struct ipi_count *count);

/* Before vectors_remove(): as pmi_close() where a task was interrupted after its PMI_OPEN. */
void pmi_abandon(struct vectors *v);
