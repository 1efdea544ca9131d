/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/tools/error_banks.h: errors that the machine logs while a run lasts.
 *
 * The machine-check banks of every processor (IA32_MCi_STATUS with its count of corrected errors; AMD: MCA_STATUS and the
 * error counter of MCA_MISC0), and Intel's counters of errors that a memory channel corrected (struct pmon_corrected), are
 * read when the run begins and after each check, and compared with the look before. A processor takes one task a look, at once with the others;
 * one that takes no work is left out. Nothing is written: what is logged stays for firmware and the operating system. A bank that held an
 * error before and has no count shows a further corrected one only by its overflow bit.
 *
 * Source: SDM vol. 3B, "Machine-Check Architecture": IA32_MCG_CAP, IA32_MCi_STATUS, "Corrected Machine Check Error
 * Interrupt"; APM vol. 2, 9.3 "Machine Check Architecture MSRs".
 */
#pragma once
#include "core/boxes/boxes.h"

#define ERROR_BANKS      64u /* of a processor */
#define ERRORS_KEPT      32u
#define CHANNEL_COUNTERS 8u

struct logged_error {
    /* "bank 7, corrected memory controller error, 12 more counted, status 0x..., address 0x..., shown by 8 processors" */
    char text[192];
    struct place place; /* the first processor of those that show it, or the memory channel */
    uint32_t cpu, n_cpus;
    uint32_t msr; /* the bank's status register; 0: a channel counted it */
    uint64_t status;
    bool of_memory; /* it is a memory or cache error of the part */
};

struct error_banks {
    struct platform *platform;
    const struct machine *machine;
    uint32_t n_banks; /* 0: none, or they cannot be read      */
    bool amd, scalable, counts;
    struct bank *banks; /* [n_cpus][n_banks] as last looked at  */
    struct step *steps;
    const struct pmon *pmon;
    uint32_t (*channels)[CHANNEL_COUNTERS]; /* [pmon->n_boxes] as last looked at */
    uint32_t n_channels;                    /* whose counters could be read at the first look */
    /* Of the run so far: what was logged after it began, of which the first ERRORS_KEPT are kept. n_before: banks and channels
     * that held an error before. */
    struct logged_error kept[ERRORS_KEPT];
    uint32_t n, n_before, n_judged; /* n_judged: of a check that runs, which may have to run again */
    uint32_t n_lost, lost;          /* processors that did not answer a look, and get no more work; the first of them */
    struct logged_error before;     /* the first of these */
};

/* The first look. No bank, and ST_OK, where CPUID.1:EDX.MCA is 0 or IA32_MCG_CAP cannot be read. ST_NO_MEMORY. pmon stays in use. */
MUST_CHECK enum status error_banks_open(struct error_banks *b, struct platform *p, const struct machine *m,
                                        const struct pmon *pmon);
/* What was logged since the look before: into kept[] from *first on. Returns how many, those beyond kept[] included. */
uint32_t error_banks_look(struct error_banks *b, uint32_t *first);
/* "cpu 0: bank 7, ...", "package 0 iMC 3: 2 more corrected errors of rank 1 counted, ..." */
void logged_error_text(const struct logged_error *e, char out[256]);
/* A check ended. stands: it is not run again, so what it judged is forgotten. */
void error_banks_settle(struct error_banks *b, bool stands);
void error_banks_free(struct error_banks *b);
