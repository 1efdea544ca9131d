/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/rdt/pqr.h"

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"

void pqr_layout_of(const struct rdt_info *rdt, struct pqr_layout *layout)
{
    *layout = (struct pqr_layout){ 0 };
    if (rdt->monitoring) {
        layout->max_rmid = rdt->max_rmid_any;
        layout->rmid_mask = field_put(IA32_PQR_ASSOC_RMID, low_bits(bits_for(layout->max_rmid)));
    }
    if (rdt->allocation) {
        layout->max_clos = rdt->max_clos;
        layout->clos_limit = rdt->max_clos_any > rdt->max_clos ? rdt->max_clos_any : rdt->max_clos;
        layout->clos_mask = field_put(IA32_PQR_ASSOC_CLOS, low_bits(bits_for(layout->clos_limit)));
    }
}

uint64_t pqr_value(uint32_t rmid, uint32_t clos)
{
    return field_put(IA32_PQR_ASSOC_RMID, rmid) | field_put(IA32_PQR_ASSOC_CLOS, clos);
}

uint64_t pqr_with_rmid(uint64_t found, uint32_t rmid)
{
    return (found & ~IA32_PQR_ASSOC_RMID) | field_put(IA32_PQR_ASSOC_RMID, rmid);
}

uint64_t pqr_with_clos(uint64_t found, uint32_t clos)
{
    return (found & ~IA32_PQR_ASSOC_CLOS) | field_put(IA32_PQR_ASSOC_CLOS, clos);
}

struct pqr pqr_decode(uint64_t value)
{
    return (struct pqr){
        .rmid = (uint32_t)field_get(IA32_PQR_ASSOC_RMID, value),
        .clos = (uint32_t)field_get(IA32_PQR_ASSOC_CLOS, value),
    };
}
