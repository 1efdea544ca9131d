# SPDX-License-Identifier: BSD-2-Clause-Patent
"""tests/support/drivers/turns.py: which cases of a driver a run of the tests has (docs/contributing.md, "What a run of the tests leaves to
the next")."""
import os


def cases_of_turn(driver, cases, always):
    """Names of `cases` in their order: with ASSAY_TURN=N those of `always`, and every second one of the others, of which a line
    "SKIP" names the rest; without it all."""
    assert set(always) <= set(cases), set(always) - set(cases)
    turn = os.environ.get("ASSAY_TURN")
    later = [name for name in cases if name not in always][int(turn) % 2::2] if turn else []
    if later:
        print("SKIP %s: of every second turn: %s" % (driver, ", ".join(later)), flush=True)
    return [name for name in cases if name not in later]
