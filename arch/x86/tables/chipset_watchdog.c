/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/tables/chipset_watchdog.h"

#include "core/base/bits.h"

#define FCH_SMBUS       0x790B1022u
#define FCH_IN_MEMORY   0x51u /* the least revision */
#define FCH_PM          UINT64_C(0xFED80300)
#define FCH_WDT_OF_MMIO UINT64_C(0xFED80B00)
#define FCH_WDT         UINT64_C(0xFEB00000)
#define FCH_TMREN       BIT(7) /* of PM 00H: the timer is there, and decodes FCH_WDT */
#define FCH_MMIO_EN     BIT(1) /* of PM 04H: FCH_WDT_OF_MMIO too */

static bool find_tco(const struct platform *p, struct wdat *w)
{
    static const uint16_t bridges[] = { 0x2918, 0x3A14, 0x3A16, 0x3A18, 0x3A1A, 0x1D40, 0x1D41, 0x8D40, 0x8D44 };
    const struct pci_address lpc = { .bus = 0, .device = 31, .function = 0 };
    uint32_t id = 0, pm_base = 0, rcba = 0, tco;
    bool known = false;

    if (p->ops->pci_read(p->machine, lpc, 0, 4, &id) != ST_OK ||
        p->ops->pci_read(p->machine, lpc, 0x40, 4, &pm_base) != ST_OK ||
        p->ops->pci_read(p->machine, lpc, 0xF0, 4, &rcba) != ST_OK)
        return false;
    for (size_t i = 0; i < sizeof bridges / sizeof *bridges; i++)
        known = known || id == ((uint32_t)bridges[i] << 16 | 0x8086);
    tco = (pm_base & 0xFF80) + 0x60;
    if (!known || tco == 0x60 || !(rcba & 1))
        return false;
    *w = (struct wdat){
        .enabled = true,
        .period_ms = 600,
        .least = 4,
        .most = 0x3FF,
        .n = 7,
        .entries = { { WDAT_RESET, 2, true, 2, 0, tco, 1, 0xFFFF },                  /* TCO_RLD                  */
                     { WDAT_SET_COUNTDOWN, 0x83, true, 2, 0, tco + 0x12, 0, 0x3FF }, /* TCO_TMR              */
                     { WDAT_SET_RUNNING_STATE, 0x82, true, 2, 11, tco + 8, 0, 1 },   /* TCO1_CNT: TCO_TMR_HLT */
                     { WDAT_SET_STOPPED_STATE, 0x82, true, 2, 11, tco + 8, 1, 1 },
                     { WDAT_SET_REBOOT, 0x82, false, 4, 5, (rcba & 0xFFFFC000) + 0x3410, 0, 1 }, /* GCS: NO_REBOOT */
                     { WDAT_GET_STATUS, 0, true, 2, 1, tco + 6, 1, 1 }, /* TCO2_STS: SECOND_TO_STS */
                     { WDAT_SET_STATUS, 2, true, 2, 1, tco + 6, 1, 1 } }
    };
    return true;
}

/* What firmware left off is turned on by WDAT_SET_REBOOT, and with it put back. Before that the timer's own registers may
 * not be decoded: then it cannot say that it struck. Writes of the control keep what else is in it, and a 1 in "fired" clears
 * that. */
static bool find_fch(const struct platform *p, struct wdat *w)
{
    const struct pci_address smbus = { .bus = 0, .device = 20, .function = 0 };
    uint32_t id = 0, revision = 0;
    uint64_t decode = 0, isa = 0, wdt;

    if (p->ops->pci_read(p->machine, smbus, 0, 4, &id) != ST_OK || id != FCH_SMBUS ||
        p->ops->pci_read(p->machine, smbus, 8, 1, &revision) != ST_OK || revision < FCH_IN_MEMORY ||
        p->ops->mmio_read(p->machine, FCH_PM, 1, &decode) != ST_OK ||
        p->ops->mmio_read(p->machine, FCH_PM + 4, 1, &isa) != ST_OK || (decode == 0xFF && isa == 0xFF))
        return false;
    wdt = isa & FCH_MMIO_EN ? FCH_WDT_OF_MMIO : FCH_WDT;
    *w = (struct wdat){
        .enabled = true,
        .period_ms = 1000,
        .least = 1,
        .most = 0xFFFF,
        .n = decode & FCH_TMREN ? 9 : 7,
        .entries = { { WDAT_SET_REBOOT, 0x82, false, 1, 7, FCH_PM, 1, 1 },       /* the timer, and its registers */
                     { WDAT_SET_REBOOT, 0x82, false, 1, 0, FCH_PM + 3, 3, 0xF }, /* not disabled, periods of 1 s */
                     { WDAT_SET_COUNTDOWN, 3, false, 4, 0, wdt + 4, 0, 0xFFFF },
                     { WDAT_SET_RUNNING_STATE, 0x82, false, 4, 0, wdt, 1, 5 }, /* start; action 0: reset       */
                     { WDAT_SET_STOPPED_STATE, 0x82, false, 4, 0, wdt, 0, 1 },
                     { WDAT_RESET, 0x82, false, 4, 7, wdt, 1, 1 },          /* trigger                      */
                     { WDAT_GET_RUNNING_STATE, 0, false, 4, 0, wdt, 1, 9 }, /* started, not disabled        */
                     { WDAT_GET_STATUS, 0, false, 4, 1, wdt, 1, 1 },        /* fired                        */
                     { WDAT_SET_STATUS, 0x82, false, 4, 1, wdt, 1, 1 } }
    };
    return true;
}

const char *chipset_watchdog(const struct platform *p, struct wdat *w)
{
    return find_tco(p, w) ? "Intel TCO" : find_fch(p, w) ? "AMD FCH" : NULL;
}
