# SPDX-License-Identifier: BSD-2-Clause-Patent
# tests/linux/repeat.sh: the commands by which Assay's reports say that a defect shows under Linux, as they print them ("repeat").
# Sourced by init. /commands has a line of each cause: its id, a tab, the command.
#
# What a report leaves to its reader is put in: CPU is processor 0, and the load that a command counts is one of known size, in
# place of "sleep 1", or while pqos and what is "beside" it run. QEMU has no core PMU, so pqos goes without its IPC and misses.
# Each figure is per cent of what a healthy machine shows: the load by the silicon, or the median of the unit's other boxes.

big=$((l3_kib * 1536))
figure() { near "repeat.$cause-$1" 100 "$2" 10; } # name, per cent
per_cent() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.0f", b ? a * 100 / b : 0 }'; }

# The boxes of each event against their median. The first event is the clock, which all count; of others the load may make none.
run_perf() { # command
    local name percent
    sh -c "$(echo "$1" | sed "s/perf stat/& -x '|' -o \/tmp\/perf/; s/sleep 1\$/load read $big 1 - -/")" >/tmp/load 2>&1
    sed 's/^/# /' /tmp/load /tmp/perf
    awk -F'|' '
        !/^#/ && NF > 3 { sub(/^.*uncore_/, "", $3); event = $3; sub(/^[^\/]*\//, "", event); sub(/\/.*$/, "", event)
                          if (!(event in n)) order[++events] = event
                          at[event, ++n[event]] = $1; box[event, n[event]] = $3 }
        END { for (e = 1; e <= events; e++) {
            event = order[e]
            for (i = 1; i <= n[event]; i++) { # the median
                below = equal = 0
                for (j = 1; j <= n[event]; j++) { below += at[event, j] + 0 < at[event, i] + 0; equal += at[event, j] + 0 == at[event, i] + 0 }
                if (below <= n[event] / 2 && below + equal > n[event] / 2) median = at[event, i] + 0
            }
            if (e == 1 || median > 10000)
                for (i = 1; i <= n[event]; i++) printf "%s %.0f\n", box[event, i], median ? at[event, i] * 100 / median : 0
        } }' /tmp/perf >/tmp/boxes
    while read -r name percent; do figure "$name" "$percent"; done </tmp/boxes
    [ -s /tmp/boxes ] || bad "repeat.$cause-counts" "nothing: $(tail -n 1 /tmp/perf)"
}

column() { # header: that column of /tmp/csv, without the header
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } c { print $c }' /tmp/csv
}

# Bytes that pcm-memory saw read, by its rates and the time between its lines.
seen_by_pcm() {
    awk -F, '$2 ~ /^[0-9]+:/ { split($2, t, ":"); now = t[1] * 3600 + t[2] * 60 + t[3]; if (last) sum += $c * (now - last); last = now; next }
             { for (i = 1; i <= NF; i++) if ($i ~ /^ *Mem Read/ && !c) c = i }
             END { printf "%.0f", sum * 1000000 }' /tmp/pcm
}

# A load on processor 0: what pqos shows of it, and what pcm-memory does of its reads. share: bytes that a mask leaves it, or "".
run_pqos() { # command, what runs beside it
    local pid beside='' truth before read=half
    rm -f /tmp/csv /tmp/pcm /tmp/out
    : >/tmp/csv
    eval "$1 --disable-mon-ipc --disable-mon-llc_miss -i 10 -t inf -u csv -o /tmp/csv >/tmp/pqos 2>&1 3<&- 4<&- &"
    pid=$!
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ "$(wc -l </tmp/csv)" -ge 2 ] && break
        sleep 1
    done
    if [ -n "$2" ]; then
        # shellcheck disable=SC2086
        env PCM_NO_PERF=1 $2 -csv=/tmp/pcm >/tmp/out 2>&1 </dev/null 3<&- 4<&- &
        beside=$!
        until grep -qs '^Update every' /tmp/out || [ ! -d "/proc/$beside" ]; do sleep 1; done
        sleep 3
    fi
    before=$(load truths 0 "$num_rmids" | grep "^rmid $(value rmid "$(taskset 1 load read 65536 1 - -)") ")
    case $1 in *mbl*) read=$big ;; *) read=$((l3_kib * 512)) ;; esac
    taskset 1 load read $read 1 - - >/tmp/load
    truth=$(load truth 0 "$(value rmid "$(cat /tmp/load)")")
    sleep 3
    # shellcheck disable=SC2086
    kill -INT $pid $beside
    wait $pid || bad "repeat.$cause-pqos-ends" "$(grep -m 1 ERROR /tmp/pqos)"
    sed 's/^/# /' /tmp/load /tmp/csv /tmp/pqos
    case $1 in
    *mbl*) figure pqos "$(per_cent "$(column "MBL[MB/s]" | awk '{ sum += $1 } END { print sum }')" \
        $((($(value local "$truth") - $(value local "$before")) >> 20)))" ;;
    *) figure pqos "$(per_cent "$(column "LLC[KB]" | awk 'END { print $1 }')" $((${share:-$(value lines "$truth")} >> 10)))" ;;
    esac
    [ -z "$beside" ] || {
        wait "$beside"
        sed 's/^/# /' /tmp/pcm
        figure pcm-memory "$(per_cent "$(seen_by_pcm)" "$(value all "$(cat /tmp/load)")")"
    }
}

# "A; B, beside C": one after the other, and C with the last.
run() { # command
    local step beside='' share=''
    case $1 in *", beside "*) beside=${1#*, beside } ;; esac
    echo "${1%%, beside *}" | sed 's/; /\n/g; s/CPU/0/g' >/tmp/steps
    while read -r step <&4; do
        echo "# $step"
        case $step in
        "perf stat "*) uncore_driver "repeat.$cause" && run_perf "$step" ;;
        "pqos -m "*) run_pqos "$step" "$beside" ;;
        "rdmsr -p 0 0xc91") same "repeat.$cause-mask" 1 "$($step)" ;;
        *)
            [ "$step" != "pqos -e llc:1=1" ] || share=$((l3_kib * 1024 / ways))
            $step >/tmp/out 2>&1 || bad "repeat.$cause-runs" "$step: $(tail -n 1 /tmp/out)" ;;
        esac
    done 4</tmp/steps
    [ -z "$share" ] || pqos -R >/dev/null
}

load feed 0
while IFS=$(printf '\t') read -r cause command <&3; do run "$command"; done 3</commands
