/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/allocation/cat_contest.h: what the lines of one class that are left after another one filled say. Shares
 * are of the occupancy before. */
#pragma once
#include <stdbool.h>

/* Whether a control with full masks shows anything: at least twice what T_occ forgives is gone. */
bool contest_shows(double kept);
/* The least share that is kept of `before` bytes where `common` bytes may be lost, and T_occ's 15 %. */
double contest_least(double before, double common);
/* Of a share below the least: what is missing is more than T_occ's absolute tolerance, or half of what is missing with
 * full masks, control being what is kept there: masks do not hold. Else it may be other traffic. */
bool contest_lost(double before, double kept, double least, double control);
