/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/platform/mp_selftest.h: what firmware's processor services did when they were tried.
 *
 * They can be tried only while none of Assay's own workers runs on the processors, and a board may hang in it. So
 * the platform's implementation does that when the rest of the run is over and keeps what happened;
 * platform_ops.mp_selftest hands it out, and core/checks/firmware/mp.c judges it. Nothing is judged where it is taken.
 *
 * Source: PI specification 1.7, vol. 2, 13.4 EFI_MP_SERVICES_PROTOCOL: GetNumberOfProcessors(), GetProcessorInfo(),
 * StartupAllAPs(), StartupThisAP(), WhoAmI().
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum mp_call_kind {
    MP_CALL_ALL,   /* StartupAllAPs, blocking, procedures that return at once                          */
    MP_CALL_EVENT, /* StartupAllAPs, with an event, procedures of MP_EVENT_MS                          */
    MP_CALL_LONG,  /* StartupAllAPs, blocking, without a time-out, procedures of MP_LONG_MS            */
    MP_CALL_LATE,  /* StartupThisAP, blocking, time-out MP_TIMEOUT_MS, a procedure of MP_LATE_MS       */
    MP_CALL_AGAIN, /* StartupThisAP after that, the same processor, a procedure that returns at once   */
    MP_CALLS
};
#define MP_EVENT_MS   50u
#define MP_LONG_MS    600u /* firmware has been seen that resets a processor after 500 ms */
#define MP_TIMEOUT_MS 100u
#define MP_LATE_MS    2000u
#define MP_WAIT_MS    5000u /* a call that does not come back, or an event that is not signalled, is given up */

#define EFI_CODE_SUCCESS     UINT64_C(0)
#define EFI_CODE_UNSUPPORTED UINT64_C(0x8000000000000003)
#define EFI_CODE_TIMEOUT     UINT64_C(0x8000000000000012)

struct mp_call {
    bool made;
    bool abandoned;     /* it did not come back, or its event was not signalled, within MP_WAIT_MS  */
    uint64_t code;      /* EFI_STATUS as it came back                                               */
    uint32_t asked;     /* processors that should run the procedure                                 */
    uint32_t ran;       /* processors that began it                                                 */
    uint32_t ended;     /* of them, those that had ended it when firmware said that all had         */
    uint32_t repeated;  /* processors that began it more than once                                  */
    uint64_t returned;  /* TSC ticks from the call until it came back                               */
    uint64_t signalled; /* until the event was signalled; MP_CALL_EVENT                             */
};

struct mp_processor { /* as firmware lists it, in order of firmware's numbers */
    uint32_t apic_id;
    bool unknown; /* GetProcessorInfo has no answer for it: nothing else here is known */
    bool boot, enabled, healthy;
    uint32_t package, core, thread; /* Location                                                       */
    uint64_t woken; /* TSC ticks from MP_CALL_ALL to the procedure's first instructions, 0: it did not */
};

struct mp_selftest {
    uint64_t count_code, info_code; /* EFI_STATUS of GetNumberOfProcessors, and the last bad one of GetProcessorInfo */
    uint32_t n, n_enabled;          /* as GetNumberOfProcessors says                                  */
    struct mp_processor *cpus;      /* [n]                                                            */
    uint32_t who_am_i;              /* WhoAmI of the boot processor, UINT32_MAX: refused              */
    uint32_t unlisted_aps;          /* a processor ran a procedure whose APIC id is in no place of cpus */
    uint64_t tsc_hz;
    struct mp_call calls[MP_CALLS];
};
