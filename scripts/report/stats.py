# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Robust statistics of a fleet, with probabilities that are corrected for the number of figures.

They assume that a figure of a healthy machine is normally distributed within its group, and that machines are independent.
docs/fleet.md has the formulas, and measurements with random fleets.
"""
from __future__ import annotations

import math
from bisect import bisect_left
from functools import lru_cache

FALSE = 0.001  # false outliers for each machine, over all figures
EFFICIENCY = 0.37  # of the median absolute deviation against the standard deviation, normally distributed values


def _fraction(a, b, x):
    """The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz' method."""
    tiny = 1e-300
    c, d = 1.0, 1.0 / max(1.0 - (a + b) * x / (a + 1.0), tiny)
    h = d
    for m in range(1, 300):
        for top in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                    -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1.0 / ((1.0 + top * d) or tiny)
            c = (1.0 + top / c) or tiny
            h *= d * c
        if abs(d * c - 1.0) < 1e-12:
            break
    return h


def beta(a, b, x):
    """The regularised incomplete beta function I_x(a, b)."""
    if x <= 0.0 or x >= 1.0:
        return float(x >= 1.0)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _fraction(a, b, x) / a
    return 1.0 - front * _fraction(b, a, 1.0 - x) / b


def student(t, freedom):
    """The probability that Student's t is further from 0 than t."""
    return beta(freedom / 2, 0.5, freedom / (freedom + t * t))


def chi_square(x, freedom):
    """The probability that a chi-squared value is above x: 1 - P(freedom / 2, x / 2), by its series or its continued fraction."""
    a, x = freedom / 2, x / 2
    if x <= 0.0:
        return 1.0
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1.0:
        term = total = 1.0 / a
        n = a
        while abs(term) > abs(total) * 1e-14:
            n += 1.0
            term *= x / n
            total += term
        return max(0.0, 1.0 - front * total)
    b = x + 1.0 - a
    c, d = 1e300, 1.0 / b
    h = d
    for i in range(1, 500):
        top, b = -i * (i - a), b + 2.0
        d = 1.0 / (top * d + b)
        c = b + top / c
        h *= d * c
        if abs(d * c - 1.0) < 1e-12:
            break
    return front * h


@lru_cache(maxsize=None)
def limit(machines, figures):
    """The distance from the median, in deviations (deviation()), that a figure of a healthy machine exceeds with a probability of FALSE /
    figures: Student's t with EFFICIENCY (machines - 1) degrees of freedom."""
    freedom, share = max(1.0, EFFICIENCY * (machines - 1)), FALSE / max(1, figures)
    low, high = 1.0, 2.0
    while student(high, freedom) > share:
        low, high = high, 2 * high
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if student(middle, freedom) > share else (low, middle)
    return high


def narrow(machines, figures):
    """How wide each of two groups may be, as a share of their distance, so that a healthy sample of normally distributed values looks
    like two groups with a probability of FALSE / figures at most, and never more than a half: beside the first of its group each of the other
    machines - 2 values lies by chance within a share e of the distance with less than 0.8 e, for each of 2^machines divisions."""
    return min(0.5, (FALSE / max(1, figures) / 4) ** (1 / max(1, machines - 2)) / 1.6)


def gap(ordered):
    """(how many values are below the largest gap, the width of the wider side, the distance of the two sides' medians)"""
    below = max(range(1, len(ordered)), key=lambda i: ordered[i] - ordered[i - 1])
    low, high = ordered[:below], ordered[below:]
    return below, max(low[-1] - low[0], high[-1] - high[0]), middle(high) - middle(low)


def middle(ordered):
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _nearest(k, centre, ordered):
    """The k-th least (from 0) of the distances from centre, by bisection: on either side of it the values are in order."""
    split = bisect_left(ordered, centre)
    low, high = max(0, k + 1 - (len(ordered) - split)), min(k + 1, split)  # how many of the k + 1 nearest lie below
    while low < high:
        below = (low + high) // 2
        if ordered[split + k - below] - centre > centre - ordered[split - below - 1]:
            low = below + 1
        else:
            high = below
    return max(centre - ordered[split - low] if low else 0.0, ordered[split + k - low] - centre if low <= k else 0.0)


def deviation(centre, ordered):
    """The median absolute deviation, as a standard deviation."""
    half = len(ordered) // 2
    if len(ordered) % 2:
        return 1.4826 * _nearest(half, centre, ordered)
    return 1.4826 * ((_nearest(half - 1, centre, ordered) + _nearest(half, centre, ordered)) / 2)


def ranks(values):
    """(ranks from 1 on, ties share their mean; the correction for ties: 1 without, 0 if all are equal)"""
    order = sorted(range(len(values)), key=values.__getitem__)
    out, ties, at, n = [0.0] * len(values), 0, 0, len(values)
    while at < n:
        end = at + 1
        while end < n and values[order[end]] == values[order[at]]:
            end += 1
        for i in order[at:end]:
            out[i] = (at + 1 + end) / 2
        ties += (end - at) ** 3 - (end - at)
        at = end
    return out, 1 - ties / (n**3 - n) if n > 1 else 0.0


def kruskal_wallis(ranked, correction, parts):
    """The p-value that groups have one distribution. parts: the indices of each group in ranked."""
    n = len(ranked)
    if len(parts) < 2 or correction <= 0:
        return 1.0
    h = 12 / (n * (n + 1)) * sum(sum(ranked[i] for i in some) ** 2 / len(some) for some in parts) - 3 * (n + 1)
    return chi_square(h / correction, len(parts) - 1)


def pettitt(values):
    """(index, p-value) of a change of level over time; the value at the index is the first of the new level. Pettitt, A Non-Parametric Approach to the Change-Point Problem, 1979."""
    n, sum_, best, place = len(values), 0.0, 0.0, 0
    for i, r in enumerate(ranks(values)[0]):
        sum_ += 2 * r - (n + 1)
        if i + 1 < n and abs(sum_) > best:
            best, place = abs(sum_), i + 1
    return place, min(1.0, 2 * math.exp(-6 * best * best / (n**3 + n**2))) if n else 1.0
