/* tests/silicon/shim/mp.h: every processor that MP services start gets into the guest before the caller's procedure.
 *
 * The two start calls of EFI_MP_SERVICES_PROTOCOL are replaced in the protocol's own structure; procedures then run
 * inside the guest, and leave it when they return. Source: PI specification vol. 2, 13.4 "MP Services Protocol".
 */
#pragma once
#include <efi.h>

#include "tests/silicon/shim/vcpu.h"

/* Called for each APIC id that there is. */
typedef struct vcpu *(*mp_make_vcpu)(uint32_t apic_id);

/* Have a vcpu made for each processor, the caller's included, and return the caller's. Without MP services there is
 * only that one. apic_ids must be below CHANNEL_SLOTS. NULL: make() returned NULL. */
struct vcpu *mp_prepare(EFI_BOOT_SERVICES *bs, mp_make_vcpu make);

/* Replace the two calls / put firmware's back. Nothing where there are no MP services. */
void mp_wrap(void);
void mp_unwrap(void);
