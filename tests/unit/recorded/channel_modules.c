/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which slots are of one memory channel, by SMBIOS of servers that exist. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/checks/uncore_boxes/channel_modules.h"
#include "tests/support/data/recordings.h"

static const struct {
    const char *machine;
    uint32_t channels; /* of all its processors                                                                     */
    uint32_t with;     /* as many channels have to answer: those with a module, or the fewest that its number allows */
    uint32_t fewer;    /* and so many do not suffice                                                                */
} boards[] = {
    { "intel-archercity-3561", 16, 2, 1 },            /* "CPU0_DIMM_A1", A2: two slots each            */
    { "intel-birchstream-1f03", 24, 24, 23 },         /* "CPU0_DIMM_A": one each                       */
    { "inferit-r1g3d32-ec54", 16, 12, 11 },           /* "ChannelA-DIMM0"                              */
    { "supermicro-super-server-1bbc", 16, 16, 15 },   /* "P1-DIMMA1", one each                         */
    { "supermicro-x11dpi-n-d25d", 12, 12, 11 },       /* four of twelve channels have two slots        */
    { "huawei-1288h-v5-96aa", 12, 12, 11 },           /* "_Node0_Channel0_Dimm0" of the bank alone     */
    { "dell-poweredge-c6525-b11f", 8, 8, 7 },         /* "A1" to "A8", and "B1" to "B8" of an empty socket */
    { "lenovo-thinksystem-sr650-v2-d65f", 16, 8, 7 }, /* "DIMM 1" to "DIMM 32": two on eight at least  */
    { "dell-precision-7920-tower-5e36", 12, 3, 2 },   /* "DIMM5_CPU0": says nothing of channels        */
};

static void check_board(struct replay *r, const struct tsv *x, uint32_t row)
{
    static struct smbios_info info;

    smbios_read(replay_platform(r), &info);
    for (size_t i = 0; i < sizeof boards / sizeof boards[0]; i++) {
        if (strcmp(tsv_get(x, row, "machine"), boards[i].machine) != 0)
            continue;
        cr_expect_eq(channel_modules_fit(&info, boards[i].channels, boards[i].with), MODULES_FIT, "%s",
                     boards[i].machine);
        cr_expect_eq(channel_modules_fit(&info, boards[i].channels, boards[i].fewer), MODULES_LEFT_OVER, "%s",
                     boards[i].machine);
    }
    if (info.n_ddr_dimms == info.n_dimm_slots) /* every slot is taken, whatever its channel */
        cr_expect_eq(channel_modules_fit(&info, info.n_dimm_slots, info.n_dimm_slots), MODULES_FIT, "%s",
                     tsv_get(x, row, "machine"));
}

Test(channel_modules, slots_of_one_channel_are_those_whose_locators_differ_by_a_number)
{
    recordings_of_machines(RECORDINGS_SMBIOS, sizeof boards / sizeof boards[0], check_board);
}
