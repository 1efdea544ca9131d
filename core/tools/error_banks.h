/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/tools/error_banks.h: errors that the machine logs while a run lasts.
 *
 * The machine-check banks of every processor (IA32_MCi_STATUS with its count of corrected errors; AMD: MCA_STATUS and the
 * error counter of MCA_MISC0) are read when the run begins and after each check, and compared with
 * the look before. Nothing is written: what is logged stays for firmware and the operating system. A bank that held an
 * error before and has no count shows a further corrected one only by its overflow bit.
 *
 * Source: SDM vol. 3B, "Machine-Check Architecture": IA32_MCG_CAP, IA32_MCi_STATUS, "Corrected Machine Check Error
 * Interrupt"; APM vol. 2, 9.3 "Machine Check Architecture MSRs".
 */
#pragma once
#include "core/machine/machine.h"

#define ERROR_BANKS 64u /* of a processor */
#define ERRORS_KEPT 32u

struct logged_error {
    /* "bank 7, corrected memory controller error, 12 more counted, status 0x..., address 0x..., shown by 8 processors" */
    char text[192];
    uint32_t cpu; /* the first of those that show it                                                  */
    uint32_t n_cpus;
    uint32_t msr; /* its status register */
    uint64_t status;
    bool of_memory; /* the bank names a memory or cache error of the part */
};

struct error_banks {
    struct platform *platform;
    const struct machine *machine;
    uint32_t n_banks; /* 0: none, or they cannot be read      */
    bool amd, scalable, counts;
    struct bank *banks; /* [n_cpus][n_banks] as last looked at  */
    struct step *steps;
    /* Of the run so far: what was logged after it began, of which the first ERRORS_KEPT are kept. n_before: banks that
     * held an error before. */
    struct logged_error kept[ERRORS_KEPT];
    uint32_t n, n_before, n_judged; /* n_judged: of a check that runs, which may have to run again */
    struct logged_error before;     /* the first of these */
};

/* The first look. No bank, and ST_OK, where CPUID.1:EDX.MCA is 0 or IA32_MCG_CAP cannot be read. ST_NO_MEMORY. */
MUST_CHECK enum status error_banks_open(struct error_banks *b, struct platform *p, const struct machine *m);
/* What was logged since the look before: into kept[] from *first on. Returns how many, those beyond kept[] included. */
uint32_t error_banks_look(struct error_banks *b, uint32_t *first);
/* A check ended. stands: it is not run again, so what it judged is forgotten. */
void error_banks_settle(struct error_banks *b, bool stands);
void error_banks_free(struct error_banks *b);
