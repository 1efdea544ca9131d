# SPDX-License-Identifier: BSD-2-Clause-Patent
# tests/linux/counters.awk: judges the lines of counters.c. Variables:
#   items  words "BOX|EVENT[+EVENT...]|FIGURE[+FIGURE...]" of parts/NAME; lines of other boxes are left out
#   empty  boxes uncore_NAME that the driver makes and the part lacks: whatever they count is 0
#   mode   clocks: FIGURE is what each counter of each box counts a microsecond
#          loads: FIGURE is bytes that one count stands for; sum: of bytes that all boxes together should count
#   within per cent by which a figure may be off
#   source whose figure sum is
#   likely bytes that the load itself should make, for the line of figures
#
# A counter that counts the same as another of its box and differs from it is a FAIL always: the box was frozen while
# they were read.
function fail(what) { print "FAIL counters." what; failed[box]++ }
function off(seen, wanted) { return wanted ? (seen - wanted) * 100 / wanted : seen ? 100 : 0 }
function abs(x) { return x < 0 ? -x : x }
function add(list, word) { return index(" " list " ", " " word " ") ? list : list == "" ? word : list " " word }

BEGIN {
    n = split(items, item, " ")
    for (i = 1; i <= n; i++) {
        split(item[i], field, "|")
        events = split(field[2], event, "+")
        split(field[3], figure, "+")
        for (e = 1; e <= events; e++)
            figures[field[1], event[e]] = figure[e] != "" ? figure[e] : figure[1]
        order = add(order, field[1])
    }
}

$1 == "refused" && ($2, $7) in figures {
    box = $3
    fail(substr(box, 8) ": " $0)
}

# box BOX uncore_BOX_N cpu C event EVENT ns LOW HIGH counters K values V1 ... VK
$1 == "box" && ($2, $7) in figures {
    kind = $2
    box = $3 "@" $5
    name = substr($3, 8) "-" mode
    wanted = figures[kind, $7]
    if (index(" " empty " ", " " substr($3, 8) " "))
        wanted = 0
    boxes[kind] = add(boxes[kind], box)
    names[box] = name
    counters[kind] += $12
    all += $12
    for (v = 15; v <= NF; v++) {
        if ($v != $14)
            fail(name ": frozen counters of " $7 " differ: " $14 " and " $v)
    }
    if (mode == "clocks") {
        # Off by what no duration between the shortest and the longest explains.
        if ($10 - $9 > spread[kind])
            spread[kind] = $10 - $9
        low = off($14 * 1000, wanted * $9)
        high = off($14 * 1000, wanted * $10)
        deviation = low < 0 ? abs(low) : high > 0 ? high : 0
        if (deviation > worst[kind])
            worst[kind] = deviation
        if (deviation > within)
            fail(name ": " $7 " counts " $14 " in " $9 " to " $10 " ns, not " wanted " a microsecond")
    } else {
        for (v = 14; v <= NF; v++)
            sums[kind, $7, v - 14] += $v * wanted
    }
}

END {
    kinds = split(order, kind_of, " ")
    for (k = 1; k <= kinds; k++) {
        kind = kind_of[k]
        total = split(boxes[kind], box_of, " ")
        for (b = 1; b <= total; b++) {
            if (!failed[box_of[b]])
                print "PASS counters." names[box_of[b]]
        }
        if (mode == "clocks")
            printf "SAY counters %s: %d boxes, %d counters, off by %.2f %% at most, timed within %.0f us\n",
                kind, total, counters[kind], worst[kind], spread[kind] / 1000
    }
    for (key in sums) {
        split(key, at, SUBSEP)
        deviation = off(sums[key], sum)
        if (abs(deviation) > within)
            printf "FAIL counters.%s-%s-%s: counter %d counts %d bytes, not %d\n", at[1], mode, at[2], at[3], sums[key], sum
        if (!(at[1] in worst) || abs(deviation) > abs(worst[at[1]])) {
            worst[at[1]] = deviation
            seen[at[1]] = sums[key]
        }
    }
    if (mode != "clocks") {
        for (k = 1; k <= kinds; k++) {
            kind = kind_of[k]
            printf "SAY counters %s %s: %d boxes, %d counters, %d bytes, off from the %s by %.3f %%", kind, mode,
                split(boxes[kind], box_of, " "), counters[kind], seen[kind], source, worst[kind]
            printf source == "load" ? "\n" : ", from the load by %.3f %%\n", off(seen[kind], likely)
        }
    }
    print "SAY counters " mode ": " all + 0 " counters in all"
}
