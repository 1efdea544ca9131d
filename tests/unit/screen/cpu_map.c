/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/screen/cpu_map.h"

#include <criterion/criterion.h>

#include "core/platform/script.h"

static struct cpu_map map;
static struct cpu_slot slots[CPU_MAP_MOST + 8];
static struct platform platform = { .cpus = slots };

static void begin(uint32_t n)
{
    platform.n_cpus = n;
    for (uint32_t i = 0; i < n; i++)
        slots[i] = (struct cpu_slot){ .apic_id = i, .flags = CPU_ENABLED | CPU_HEALTHY | CPU_STARTED };
}

static void hand_out(uint32_t cpu, struct step step)
{
    struct step steps[] = { step_rdmsr(1), step };
    struct task task = { .cpu = cpu, .n_steps = 2, .steps = steps };

    cpu_map_watch(&map, &task, 1);
}

Test(cpu_map, shows_the_most_that_a_processor_did_since_the_last_time)
{
    begin(3);
    hand_out(0, step_work(NULL));
    hand_out(0, step_rdmsr(1));
    hand_out(1, step_rdmsr(1));
    cr_expect_eq(cpu_map_take(&map, &platform), 3);
    cr_expect_eq(map.shown[0], SCREEN_CPU_WORK);
    cr_expect_eq(map.shown[1], SCREEN_CPU_ASKED);
    cr_expect_eq(map.shown[2], SCREEN_CPU_IDLE);
    cpu_map_take(&map, &platform);
    for (uint32_t i = 0; i < 3; i++)
        cr_expect_eq(map.shown[i], SCREEN_CPU_IDLE);
}

Test(cpu_map, forgets_at_the_beginning_of_a_check)
{
    begin(1);
    hand_out(0, step_work(NULL));
    cpu_map_restart(&map);
    cpu_map_take(&map, &platform);
    cr_expect_eq(map.shown[0], SCREEN_CPU_IDLE);
}

Test(cpu_map, marks_processors_that_take_no_part_or_are_lost)
{
    begin(3);
    hand_out(1, step_work(NULL));
    hand_out(2, step_work(NULL));
    slots[0].flags &= ~(uint32_t)CPU_STARTED;
    slots[1].flags |= CPU_LOST;
    cpu_map_take(&map, &platform);
    cr_expect_eq(map.shown[0], SCREEN_CPU_ALONE);
    cr_expect_eq(map.shown[1], SCREEN_CPU_LOST);
    cr_expect_eq(map.shown[2], SCREEN_CPU_WORK);
}

Test(cpu_map, leaves_out_processors_that_it_has_no_room_for)
{
    begin(CPU_MAP_MOST + 8);
    hand_out(CPU_MAP_MOST, step_work(NULL));
    hand_out(CPU_MAP_MOST - 1, step_work(NULL));
    cr_expect_eq(cpu_map_take(&map, &platform), CPU_MAP_MOST);
    cr_expect_eq(map.shown[CPU_MAP_MOST - 1], SCREEN_CPU_WORK);
}
