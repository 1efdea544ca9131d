/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/screen/cpu_map.h"

#include <string.h>

static uint8_t task_shows(const struct task *task)
{
    if (ANY_OF(s, task->n_steps, task->steps[s].op == STEP_WORK))
        return SCREEN_CPU_WORK;
    return SCREEN_CPU_ASKED;
}

void cpu_map_watch(struct cpu_map *map, const struct task *tasks, uint32_t n_tasks)
{
    for (uint32_t t = 0; t < n_tasks; t++) {
        uint8_t does = task_shows(&tasks[t]);

        if (tasks[t].cpu < CPU_MAP_MOST && map->since[tasks[t].cpu] < does)
            map->since[tasks[t].cpu] = does;
    }
}

void cpu_map_restart(struct cpu_map *map)
{
    memset(map->since, SCREEN_CPU_IDLE, sizeof map->since);
}

uint32_t cpu_map_take(struct cpu_map *map, const struct platform *p)
{
    uint32_t n = p->n_cpus < CPU_MAP_MOST ? p->n_cpus : CPU_MAP_MOST;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t flags = p->cpus[i].flags;

        map->shown[i] = flags & CPU_LOST ? SCREEN_CPU_LOST : !(flags & CPU_STARTED) ? SCREEN_CPU_ALONE : map->since[i];
    }
    memset(map->since, SCREEN_CPU_IDLE, n);
    return n;
}
