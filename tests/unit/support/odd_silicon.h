/* tests/unit/support/odd_silicon.h: a healthy machine of a shape that no profile of the silicon model has.
 *
 * For one question only: do the checks leave good hardware in peace, whatever its sizes? Its L3 is one first-in
 * first-out list of lines, its registers are tables. It has but one fault and no timing but a clock that moves with
 * each access; the model in tests/silicon is the one that checks are proven on.
 */
#pragma once
#include "core/machine.h"

struct odd_part {
    const char *name;
    enum cpu_vendor vendor;
    uint32_t family, model, stepping;
    uint32_t packages, cores, threads, domains_per_package;
    uint64_t l3_bytes;
    uint32_t l3_ways;
    bool inclusive;
    uint64_t l2_bytes;
    bool monitoring, allocation;
    uint32_t max_rmid, upscaling_factor, width_field, width, events; /* events: 0FH.1:EDX */
    uint32_t max_clos, cbm_len;
    bool ubox, smi_count;
    uint64_t node_bytes;
    bool saturates;     /* the only defect here: bandwidth counters stop at their greatest value */
    uint64_t found_pqr; /* firmware left this in every IA32_PQR_ASSOC */
};

struct odd_silicon;

/* The machine description is filled without enumeration. Aborts where the host has no memory. */
struct odd_silicon *odd_silicon_new(const struct odd_part *part, struct machine *m);
struct platform *odd_silicon_platform(struct odd_silicon *o);
void odd_silicon_free(struct odd_silicon *o, struct machine *m);
