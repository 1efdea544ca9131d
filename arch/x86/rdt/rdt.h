/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/rdt/rdt.h: what a processor enumerates about resource monitoring and allocation, every field.
 *
 * Source: SDM vol. 2A CPUID leaves 07H, 0FH, 10H; Intel RDT Architecture Specification 356688; APM vol. 2 chapter 19
 * and CPUID Fn8000_0020. A sub-leaf that a source does not have is `known = false`, never zero.
 */
#pragma once
#include "arch/x86/cpu/cpuid.h"

#define QOSX_SUBLEAVES 9u /* of AMD Fn8000_0020 that are read */

struct rdt_leaf {
    bool known;
    struct cpuid_regs regs;
};

struct rdt_cat {        /* one of L3 CAT (10H.1) and L2 CAT (10H.2)                      */
    bool present;       /* its bit in 10H.0:EBX                                          */
    bool known;         /* the sub-leaf was read                                         */
    uint32_t cbm_len;   /* EAX[4:0] + 1                                                  */
    uint32_t shareable; /* EBX                                                           */
    bool non_cpu;       /* ECX[1]                                                        */
    bool cdp;           /* ECX[2]                                                        */
    bool noncontiguous; /* ECX[3]                                                        */
    uint32_t clos;      /* EDX[15:0] + 1: classes                                        */
};

struct rdt_mba { /* 10H.3                                                          */
    bool present, known;
    uint32_t max_delay; /* EAX[11:0] + 1                                                  */
    bool per_thread;    /* ECX[0]                                                         */
    bool linear;        /* ECX[2]                                                         */
    uint32_t clos;
};

/* AMD: L3 external bandwidth enforcement (Fn8000_0020_x1), and the same for slow memory (_x2). */
struct rdt_bandwidth {
    bool present;    /* its bit in Fn8000_0020_EBX_x0                                                       */
    bool known;      /* the sub-leaf was read, and a register holds its fields: BW_LEN is 1 to BW_LEN_MOST */
    uint32_t bw_len; /* EAX: bits of a limit; the U bit is the next one                                    */
    uint32_t clos;   /* EDX + 1, at most as many as there are addresses: BW_CLOS_MOST                      */
};
#define RMID_MOST     0xFFFFu /* that are asked; no recorded part enumerates more than 4096 RMIDs */
#define QM_WIDTH_MOST 62u     /* bits of IA32_QM_CTR.Data                                         */

#define BW_LEN_MOST  32u
#define BW_CLOS_MOST 128u

struct rdt_info {
    bool monitoring;                 /* 07H.0:EBX[12]                                                  */
    bool allocation;                 /* 07H.0:EBX[15]                                                  */
    bool leaf0f_known, leaf10_known; /* the leaf is within the maximum and was read       */
    uint32_t max_rmid_any;           /* 0FH.0:EBX                                                      */
    bool l3_monitoring;              /* 0FH.0:EDX[1]                                                   */
    bool l3_known;                   /* 0FH.1 was read                                                 */
    uint32_t upscaling_factor;       /* 0FH.1:EBX                                                   */
    uint32_t max_rmid;               /* 0FH.1:ECX                                                      */
    bool occupancy, total, local;    /* 0FH.1:EDX[2:0]                                       */
    uint32_t width_field;            /* 0FH.1:EAX[7:0]                                                 */
    uint32_t counter_width;          /* bits: 24 + field; AMD with field 0: see rdt.c                   */
    bool overflow_bit;               /* 0FH.1:EAX[8]                                                   */
    bool non_cpu_cmt, non_cpu_mbm;   /* 0FH.1:EAX[9], [10]                                  */
    struct rdt_cat l3, l2;
    struct rdt_mba mba;
    bool cba, resource_priority; /* 10H.0:EBX[5], [6]                                     */
    uint32_t max_clos;           /* highest CLOS over all resources of leaf 10H; 0 without allocation */
    uint32_t max_clos_any;       /* the same with the bandwidth limits of Fn8000_0020: equal on every known part */
    bool qosx_known;             /* AMD Fn8000_0020                                                */
    uint32_t qosx_ebx;           /* its sub-leaf 0                                                  */
    struct rdt_bandwidth l3be, l3smbe, glbe, glsbe;
    uint32_t abmc_counters; /* Fn8000_0020_EBX_x5 + 1, at most as many as CtrID holds; 0: no ABMC      */
    uint32_t bw_types;      /* Fn8000_0020_ECX_x3: transaction types that an event can count; 0: none  */
    /* as read, for evidence and for the reserved-field rules */
    struct rdt_leaf leaf7, leaf0f[2], leaf10[4], leaf8000_0020[QOSX_SUBLEAVES];
    struct rdt_leaf leaf10_5; /* cache bandwidth allocation; asked only where 10H.0:EBX[5] is set */
    uint32_t rmid_width;      /* bits of the RMID field: ceil(log2(1 + max_rmid_any))            */
};

/* Decode what one processor enumerates.
 *
 * info is zeroed first. A field is filled only if its feature bit is set and its sub-leaf was read: "0 classes" and "no
 * such sub-leaf in the recording" are distinguished by `known`. Leaf 0FH and 10H are read, and kept raw, wherever they lie
 * within the maximum, even if the feature bit is clear.
 * ST_OK also on a part without either feature; ST_ABSENT: no leaf 7. */
MUST_CHECK enum status rdt_enumerate(const struct cpuid_source *s, const struct cpu_identity *id,
                                     struct rdt_info *info);

/* The n-th sub-leaf of 0FH, 10H and Fn8000_0020 that was asked, with its number; NULL: there are no more. */
const struct rdt_leaf *rdt_nth_leaf(const struct rdt_info *info, uint32_t n, uint32_t *leaf, uint32_t *subleaf);
/* Both have it with the same contents, or neither has it. */
bool rdt_leaf_equal(const struct rdt_leaf *a, const struct rdt_leaf *b);

/* The reset value of QOS_EVT_CFG_n on a part: the bits of types that it does not have are zero (APM vol. 2 19.3.3.2).
 * types: QOS_EVT_CFG_TOTAL_RESET or QOS_EVT_CFG_LOCAL_RESET. */
uint64_t rdt_event_reset(const struct rdt_info *info, uint64_t types);
