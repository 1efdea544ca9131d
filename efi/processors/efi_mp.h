/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/processors/efi_mp.h: EFI_MP_SERVICES_PROTOCOL, which GNU-EFI 3.0.15 does not declare.
 * Source: PI specification 1.7, volume 2, 13.4 "MP Services Protocol Overview". */
#pragma once
#include <efi.h>
#include <stddef.h>

#include "core/base/braced.h"

#define EFI_MP_SERVICES_PROTOCOL_GUID                                                                                  \
    BRACED(0x3fdda605, 0xa76e, 0x4f46, { 0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08 })

#define PROCESSOR_AS_BSP_BIT        0x1u
#define PROCESSOR_ENABLED_BIT       0x2u
#define PROCESSOR_HEALTH_STATUS_BIT 0x4u

typedef struct {
    UINT32 Package, Core, Thread;
} EFI_CPU_PHYSICAL_LOCATION;

typedef struct {
    UINT32 Package, Module, Tile, Die, Core, Thread;
} EFI_CPU_PHYSICAL_LOCATION2;

typedef struct {
    UINT64 ProcessorId; /* (x2)APIC id */
    UINT32 StatusFlag;
    EFI_CPU_PHYSICAL_LOCATION Location;
    EFI_CPU_PHYSICAL_LOCATION2 Location2; /* since PI 1.7; written only where asked for, but always have room */
} EFI_PROCESSOR_INFORMATION;
_Static_assert(offsetof(EFI_PROCESSOR_INFORMATION, Location2) == 24, "Location2 follows Location");

typedef VOID(EFIAPI *EFI_AP_PROCEDURE)(VOID *Buffer);

typedef struct EFI_MP_SERVICES_PROTOCOL EFI_MP_SERVICES_PROTOCOL;
struct EFI_MP_SERVICES_PROTOCOL {
    EFI_STATUS(EFIAPI *GetNumberOfProcessors)
    (EFI_MP_SERVICES_PROTOCOL *This, UINTN *NumberOfProcessors, UINTN *NumberOfEnabledProcessors);
    EFI_STATUS(EFIAPI *GetProcessorInfo)
    (EFI_MP_SERVICES_PROTOCOL *This, UINTN ProcessorNumber, EFI_PROCESSOR_INFORMATION *ProcessorInfoBuffer);
    EFI_STATUS(EFIAPI *StartupAllAPs)
    (EFI_MP_SERVICES_PROTOCOL *This, EFI_AP_PROCEDURE Procedure, BOOLEAN SingleThread, EFI_EVENT WaitEvent,
     UINTN TimeoutInMicroSeconds, VOID *ProcedureArgument, UINTN **FailedCpuList);
    EFI_STATUS(EFIAPI *StartupThisAP)
    (EFI_MP_SERVICES_PROTOCOL *This, EFI_AP_PROCEDURE Procedure, UINTN ProcessorNumber, EFI_EVENT WaitEvent,
     UINTN TimeoutInMicroseconds, VOID *ProcedureArgument, BOOLEAN *Finished);
    EFI_STATUS(EFIAPI *SwitchBSP)
    (EFI_MP_SERVICES_PROTOCOL *This, UINTN ProcessorNumber, BOOLEAN EnableOldBSP);
    EFI_STATUS(EFIAPI *EnableDisableAP)
    (EFI_MP_SERVICES_PROTOCOL *This, UINTN ProcessorNumber, BOOLEAN EnableAP, UINT32 *HealthFlag);
    EFI_STATUS(EFIAPI *WhoAmI)(EFI_MP_SERVICES_PROTOCOL *This, UINTN *ProcessorNumber);
};
