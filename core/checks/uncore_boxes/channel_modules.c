/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/checks/uncore_boxes/channel_modules.h"

#define NOT_KNOWN  UINT32_MAX
#define SLOTS_MOST 3u /* on one channel; parts whose channels may be off have two */

static uint64_t group_of(const struct smbios_slot *slot, bool bank)
{
    return bank ? slot->bank : slot->locator;
}

static bool stood_before(const struct smbios_info *s, uint32_t end, uint64_t group, bool bank)
{
    return ANY_OF(i, end, group_of(&s->slots[i], bank) == group);
}

/* Channels of the whole board: sockets without a processor have slots too. */
static uint32_t channels_of_board(const struct smbios_info *s, uint32_t listed)
{
    return s->n_sockets_populated ? listed * s->n_sockets / s->n_sockets_populated : listed;
}

/* Whether so many groups of slots may be channels. Two processors with two slots each give two groups of "CPU1_DIMM1", and an
 * empty text one; a board without slots for half of its channels has half as many groups. */
static bool may_be_channels(const struct smbios_info *s, uint32_t listed, uint32_t groups)
{
    uint32_t channels = channels_of_board(s, listed);

    return groups > 1 && groups < s->n_dimm_slots && groups <= channels && 2 * groups >= channels;
}

/* Channels with a module where each run of slots with one locator, but for its number, is a channel; NOT_KNOWN: some run is too
 * long or comes again, or there are too many or too few of them. */
static uint32_t by_locators(const struct smbios_info *s, uint32_t listed, bool bank)
{
    uint32_t groups = 0, with = 0, end;

    for (uint32_t i = 0; i < s->n_dimm_slots; i = end) {
        uint64_t group = group_of(&s->slots[i], bank);
        bool module = false;

        for (end = i; end < s->n_dimm_slots && group_of(&s->slots[end], bank) == group; end++)
            module |= s->slots[end].module;
        if (end - i > SLOTS_MOST || stood_before(s, i, group, bank))
            return NOT_KNOWN;
        groups++;
        with += module;
    }
    return may_be_channels(s, listed, groups) ? with : NOT_KNOWN;
}

/* Of as many slots as there are channels each has one. */
static uint32_t channels_with_modules(const struct smbios_info *s, uint32_t listed)
{
    uint32_t locator, bank, modules;

    if (s->n_dimm_slots > SMBIOS_DIMMS)
        return NOT_KNOWN;
    modules = SUM_OF(uint32_t, i, s->n_dimm_slots, s->slots[i].module);
    locator = by_locators(s, listed, false);
    bank = by_locators(s, listed, true);
    if (locator == NOT_KNOWN && bank == NOT_KNOWN)
        return s->n_dimm_slots == channels_of_board(s, listed) ? modules : NOT_KNOWN;
    if (locator == NOT_KNOWN || bank == NOT_KNOWN)
        return locator == NOT_KNOWN ? bank : locator;
    return locator == bank ? locator : NOT_KNOWN;
}

/* Where locators do not name channels: fewer modules than channels leave some without one, and two on each channel that answers
 * leave the others without. */
static bool may_fit(const struct smbios_info *s, uint32_t listed, uint32_t answering)
{
    return s->n_ddr_dimms <= SLOTS_MOST * answering &&
           (s->n_ddr_dimms < listed ||
            (s->n_ddr_dimms == 2 * answering && s->n_dimm_slots >= 2 * channels_of_board(s, listed)));
}

enum modules_fit channel_modules_fit(const struct smbios_info *smbios, uint32_t listed, uint32_t answering)
{
    uint32_t with = channels_with_modules(smbios, listed);

    if (smbios->n_ddr_dimms == 0)
        return MODULES_UNKNOWN;
    if (with == NOT_KNOWN)
        return may_fit(smbios, listed, answering) ? MODULES_FIT : MODULES_LEFT_OVER;
    return with <= answering ? MODULES_FIT : MODULES_LEFT_OVER;
}
