/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/screen/cpu_map.h: what each processor did since the screen was last drawn, from the tasks that were handed out. */
#pragma once
#include "core/platform/platform.h"
#include "core/screen/screen.h"

#define CPU_MAP_MOST 4096u

struct cpu_map {
    uint8_t shown[CPU_MAP_MOST]; /* enum screen_cpu: on the screen */
    uint8_t since[CPU_MAP_MOST]; /* and since it was drawn         */
};

/* These tasks are handed out. A few instructions a task: it happens before each run. */
void cpu_map_watch(struct cpu_map *map, const struct task *tasks, uint32_t n_tasks);
/* Forget what was done so far: another check begins. */
void cpu_map_restart(struct cpu_map *map);
/* What was done since the last time goes to map->shown. Returns how many processors are shown. */
uint32_t cpu_map_take(struct cpu_map *map, const struct platform *p);
