/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/rdt/pqr.h: IA32_PQR_ASSOC, which tags a logical processor with an RMID and a class of service.
 *
 * Source: SDM vol. 3B 17.16.6 "Monitoring Resource RMID Association", 17.17.5 "Resource to Class of Service
 * association"; APM vol. 2 19.3. Field widths are enumerated: ceil(log2(1 + highest RMID)) and the same for classes.
 */
#pragma once
#include "arch/x86/rdt/rdt.h"

struct pqr {
    uint32_t rmid, clos;
};

struct pqr_layout {
    uint64_t rmid_mask;  /* bits of the RMID field that this processor has              */
    uint64_t clos_mask;  /* bits of the CLOS field; 0: no allocation                    */
    uint32_t max_rmid;   /* over all resources, CPUID.(0FH,0):EBX; 0: no monitoring     */
    uint32_t max_clos;   /* of leaf 10H: the register stores these                      */
    uint32_t clos_limit; /* and those above this one raise #GP; between, for which AMD's limits alone are enumerated,
                            neither is documented                                       */
};

void pqr_layout_of(const struct rdt_info *rdt, struct pqr_layout *layout);

/* The register's value for a tag. */
uint64_t pqr_value(uint32_t rmid, uint32_t clos);
/* The same with one half taken from `found`. */
uint64_t pqr_with_rmid(uint64_t found, uint32_t rmid);
uint64_t pqr_with_clos(uint64_t found, uint32_t clos);
struct pqr pqr_decode(uint64_t value);
