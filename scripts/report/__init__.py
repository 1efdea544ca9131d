# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Parts of scripts/assay-report: stream and figures_file (reading), formats (JUnit and others), page and html (pages), compare (two runs),
fleet and fleetpage (many), export and event (databases, monitoring and BMCs). Each is imported when it is first used."""
import importlib

VERSION = "1.0.0"  # of Assay: the Makefile and the payload take it from this line


def __getattr__(name):
    """A module of the package (PEP 562)."""
    if name.startswith("_"):
        raise AttributeError(name)
    try:
        return importlib.import_module(f".{name}", __name__)
    except ModuleNotFoundError as e:
        raise AttributeError(name) from e
