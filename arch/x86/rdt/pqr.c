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
        layout->clos_mask = field_put(IA32_PQR_ASSOC_CLOS, low_bits(bits_for(layout->max_clos)));
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

enum status pqr_read(struct platform *p, uint32_t cpu, struct pqr *pqr, uint64_t *raw)
{
    enum status st = msr_read(p, cpu, IA32_PQR_ASSOC, raw);

    if (st == ST_OK)
        *pqr = pqr_decode(*raw);
    return st;
}

enum status pqr_set_rmid(struct platform *p, uint32_t cpu, const struct pqr_layout *layout, uint32_t rmid,
                         uint64_t *before)
{
    uint64_t found = 0;
    enum status st;

    if (rmid > layout->max_rmid)
        return ST_RANGE;
    st = msr_read(p, cpu, IA32_PQR_ASSOC, &found);
    if (st != ST_OK)
        return st;
    if (before)
        *before = found;
    return msr_write(p, cpu, IA32_PQR_ASSOC, pqr_with_rmid(found, rmid));
}

enum status pqr_set_clos(struct platform *p, uint32_t cpu, const struct pqr_layout *layout, uint32_t clos,
                         uint64_t *before)
{
    uint64_t found = 0;
    enum status st;

    if (clos > layout->max_clos)
        return ST_RANGE;
    st = msr_read(p, cpu, IA32_PQR_ASSOC, &found);
    if (st != ST_OK)
        return st;
    if (before)
        *before = found;
    return msr_write(p, cpu, IA32_PQR_ASSOC, pqr_with_clos(found, clos));
}
