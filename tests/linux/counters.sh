# SPDX-License-Identifier: BSD-2-Clause-Patent
# tests/linux/counters.sh: every counter of every box that the kernel's uncore driver has, by counters.c, on clocks and on
# loads. Sourced by init. The part's file says, in words of "BOX|EVENT[+EVENT...]|FIGURE[+FIGURE...]":
#   clocks              what each event counts a microsecond; 0: what does not happen on this machine
#   slices reads        bytes that a count of each event stands for while memory of the own node is read: of look-ups, of
#                       what comes from memory
#   remote writes       the same while memory of the other node is read, and of the own node is written
#   wrap                boxes with a number where there are several, "BOX|EVENT|FIGURE|BITS|COUNTER+COUNTER...", of MSRs or
#                       BUS/DEVICE.FUNCTION@OFFSET (a pattern for the bus): preset below their top, they count across it
#   empty               boxes that the driver makes without the part having them
#   unseen              what the driver cannot show of this part, and why

words() { # list: box and events of each item
    echo "$1" | tr ' ' '\n' | grep '|' | cut -d'|' -f1,2 | tr '|\n' '  '
}

# Counts on what the items say, while a command runs: counters' lines are in /tmp/counted.
count() { # items, command...
    local items="$1"
    shift
    # shellcheck disable=SC2046
    if ! counters $(words "$items") -- "$@" >/tmp/counted 2>/tmp/errors; then
        bad "counters.counts" "$(tail -n 1 /tmp/errors)"
        return 1
    fi
    grep '^rmid' /tmp/counted >/tmp/load
    sed 's/^/# /' /tmp/counted
}

judge() { # mode, items, further variables of awk
    local mode="$1" items="$2"
    shift 2
    awk -v mode="$mode" -v items="$items" -v empty="$empty" "$@" -f /steps/counters.awk /tmp/counted
}

# The load's counts against the silicon's own figure of it, or the load's where it has none.
judge_load() { # mode, items, bytes by the silicon, by the load, further variables of awk
    local mode="$1" items="$2" sum="$3" likely="$4" source=model
    shift 4
    if [ "$sum" -eq 0 ]; then
        sum=$likely source=load
    fi
    judge "$mode" "$items" -v likely="$likely" -v sum="$sum" -v source=$source "$@"
}

moved() { # what the load moved by the silicon's figures; 0 on a part without RDT
    value all "$(cat /tmp/load)"
}

written() { # what of it came back to memory: what is in the L3 stays there until something else takes its place
    local all
    all=$(moved)
    if [ "$all" -ne 0 ]; then all=$((all - $(value lines "$(cat /tmp/load)"))); fi
    echo "$all"
}

function_of() { # BUS/DEVICE.FUNCTION, where a pattern stands for the bus
    # shellcheck disable=SC2086 # the pattern
    (cd /proc/bus/pci && echo $1)
}

holds() { # counter
    local seen
    case $1 in
    *@*) seen=$(load rdpci "$(function_of "${1%@*}")" "${1#*@}") ;;
    *) seen=$(load rdmsr "$1") ;;
    esac
    echo "${seen:+$((0x${seen:-0}))}"
}

# The driver takes what the counters hold when it starts a group, and lets them continue from there.
preset() { # counter, its bits
    local value=$(((1 << $2) - 1000000))
    case $1 in
    *@*) load wrpci "$(function_of "${1%@*}")" "${1#*@}" $value ;;
    *) load wrmsr "$1" $value ;;
    esac
    [ "$(holds "$1")" = $value ] || bad "counters.$1-preset" "it holds '$(holds "$1")', not $value"
}

has_wrapped() { # counter, its bits
    between "counters.$1-wrapped" 0 $(((1 << $2) - 1000001)) "$(holds "$1")"
}

each_wrap() { # what to do with each counter
    local item bits counter
    for item in $wrap; do
        bits=$(echo "$item" | cut -d'|' -f4)
        for counter in $(echo "$item" | cut -d'|' -f5 | tr + ' '); do "$1" "$counter" "$bits"; done
    done
}

# An L3 and a half does not fit, so what is read twice moves twice, but for what the first time finds of an earlier load.
big=$((l3_kib * 1536))
if uncore_driver counters; then
    if count "$clocks" usleep 1000000; then
        judge clocks "$clocks" -v within=2
    fi
    if [ -n "$wrap" ]; then
        each_wrap preset
        wraps=$(for item in $wrap; do echo "${item%|*|*}"; done)
        if count "$wraps" usleep 1000000; then
            judge clocks "$wraps" -v within=2 | sed 's/-clocks$/-wraps/; s/ counters clocks/ counters wrap/'
            each_wrap has_wrapped
        fi
    fi
    if [ -n "$reads" ] && count "$slices $reads" load read $big 1 - -; then
        judge_load slices "$slices" 0 $((big * 2)) -v within=5
        judge_load reads "$reads" "$(moved)" $((big * 2)) -v within=2
    fi
    if [ -n "$remote" ] && count "$remote" load read $big 1 1 -; then
        judge_load remote "$remote" "$(moved)" $((big * 2)) -v within=2
    fi
    if [ -n "$writes" ] && count "$writes" load write $big 1 - -; then
        written=0 # where nothing came between, the first time wrote to lines that the reads had left in the L3
        [ -z "$remote" ] || written=$(written)
        judge_load writes "$writes" "$written" $((big * 2 - l3_kib * 1024)) -v within=5
    fi
    [ -z "$unseen" ] || echo "SKIP counters.$unseen"
fi
