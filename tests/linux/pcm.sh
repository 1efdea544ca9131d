# SPDX-License-Identifier: BSD-2-Clause-Patent
# tests/linux/pcm.sh: Intel's PCM (pcm-memory, pcm, pcm-pcie) by itself on MSRs, PCI functions and /dev/mem, against a known load
# and the silicon's own figures. Sourced by init. The part's file says
#   no_pcm         why PCM cannot run on it, if so
#   pcm_channels   memory channels of a package
#   pcm_links      "GROUP COLUMN SHARE": the columns, but for their digit, of what the links bring from package 1 to 0, and
#                  which share of that is data
#   no_pcm_clock   why PCM cannot read the uncore's clock on it, if so
#   pcm_core       columns of pcm-pcie that count the cores' reads too
#
# PCM shows rates or two decimals of a GB, so the load is read until it is half a GB, and 20 s pass after
# it: the window in which PCM counts is longer by what it takes to read counters, seconds on a busy host.

# The step's load as a program: when it began and ended, by the clock that a rate's window is compared with.
cat >/tmp/timed <<'END'
#!/bin/sh
read -r began rest </proc/uptime
taskset 1 load "$@"
usleep 20000000
read -r ended rest </proc/uptime
echo "window $began $ended"
END
chmod +x /tmp/timed

run_pcm() { # program, arguments: its output is in /tmp/out, its figures in /tmp/csv
    local name="$1"
    shift
    rm -f /tmp/csv
    PCM_NO_PERF=1 timeout 240 "$name" -csv=/tmp/csv "$@" </dev/null >/tmp/out 2>&1
    sed 's/^/# /' /tmp/out /tmp/csv
    if ! [ -s /tmp/csv ]; then
        bad "pcm.$name-runs" "$(grep -iE 'error|denied|abort|not supported' /tmp/out | head -n 1)"
        return 1
    fi
    ok "pcm.$name-runs"
}

shown() { # group, column: the last line's figure in the column of the group
    awk -F, -v group="$1" -v name="$2" '
        !/,/ { next } # notes of its own
        ++line == 1 { for (i = 1; i <= NF; i++) of[i] = $i }
        line == 2 { for (i = 1; i <= NF && !c; i++) { gsub(/^ +| +$/, "", $i); if (of[i] == group && $i == name) c = i } }
        END { if (c) printf "%s", $c + 0 }' /tmp/csv
}

moved() { # what the load moved by the silicon's figures, or by its own on a part without RDT: bytes
    local all
    all=$(value all "$(grep '^rmid' /tmp/out)")
    if [ "${all:-0}" -gt 0 ]; then echo "$all"; else echo $(($1 * (passes + 1))); fi
}

rate() { # group, column: bytes of the load's window
    awk -v rate="$(shown "$1" "$2")" "$(sed -n 's/^window \(.*\) \(.*\)$/BEGIN { printf "%.0f", rate * 1e6 * (\2 - \1) }/p' /tmp/out)"
}

gigabytes() { awk -v n="$(shown "$1" "$2")" 'BEGIN { printf "%.0f", n * 1e9 }'; }

compare() { # name, bytes by the silicon, bytes by PCM, per cent
    echo "SAY $1: $(awk -v a="$2" -v b="$3" 'BEGIN { printf "%d bytes, off by %.2f %%", b, (b - a) * 100 / a }')"
    near "$1" "$2" "$3" "$4"
}

big=$((l3_kib * 1536))
passes=$((500000000 / big))
if [ -n "$no_pcm" ]; then
    echo "SKIP pcm: $no_pcm"
else
    load feed 0
    if run_pcm pcm-memory -- /tmp/timed read $big $passes - -; then
        all=$(moved $big)
        compare pcm.memory-reads "$all" "$(rate SKT0 'Mem Read (MB/s)')" 4
        for channel in $pcm_channels; do
            near "pcm.memory-channel-$channel" $((all / $(echo "$pcm_channels" | wc -w))) "$(rate SKT0 "Ch${channel}Read")" 5
        done
        between pcm.memory-other-package 0 $((all / 50)) "$(rate SKT1 'Mem Read (MB/s)')"
    fi
    # Of the other node: its package reads memory, and this one's links bring it.
    if run_pcm pcm -nc -- /tmp/timed read $big $passes 1 -; then
        all=$(moved $big)
        compare pcm.remote-reads "$all" "$(gigabytes 'Socket 1' READ)" 4
        between pcm.remote-is-not-local 0 $((all / 25)) "$(gigabytes 'Socket 0' READ)"
        # shellcheck disable=SC2086
        set -- $pcm_links
        compare pcm.links-bring-it "$all" "$(for link in 0 1 2; do
            shown "$1" "$2$link"
            echo
        done | awk -v lines="$3" '{ sum += $1 } END { printf "%.0f", sum * 1e6 * lines }')" 4
        if [ -n "$num_rmids" ]; then
            near pcm.l3-occupancy "$(($(value lines "$(grep '^rmid' /tmp/out)") >> 10))" "$(shown 'Socket 0' L3OCC)" 5
        fi
        if [ -n "$no_pcm_clock" ]; then
            echo "SKIP pcm.uncore-clock: $no_pcm_clock"
        else
            between pcm.uncore-clock $((uncore_mhz * 96 / 100)) $((uncore_mhz * 104 / 100)) \
                "$(awk -v f="$(shown System 'UncFREQ (Ghz)')" 'BEGIN { printf "%.0f", f * 1000 }')"
        fi
    fi
    # Nobody does I/O here, so that nothing is counted as such while a processor reads memory, from when PCM looks.
    rm -f /tmp/out
    (
        until grep -qs '^Update every' /tmp/out; do usleep 100000; done
        exec taskset 1 load read $big 1000 - -
    ) >/dev/null &
    reader=$!
    if run_pcm pcm-pcie 3 -i=1; then
        awk -F, -v core="$pcm_core" '
            $1 == "Skt" { for (i = 1; i <= NF; i++) of[i] = $i }
            $1 == "0" { for (i = 2; i <= NF; i++) if (index(" " core " ", " " of[i] " ")) {
                print ($i > 0 ? "PASS" : "FAIL") " pcm.pcie-sees-" of[i] (($i > 0) ? "" : ": none of the reads that a core did")
            } else {
                print ($i == 0 ? "PASS" : "FAIL") " pcm.pcie-" of[i] ($i == 0 ? "" : ": " $i ", and nobody did I/O")
            } }' /tmp/csv
    fi
    kill $reader
    wait $reader 2>/dev/null
fi
