# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Parts of scripts/assay-report: stream and figures_file (reading), formats (JUnit and others), page and html (pages), compare (two runs),
fleet and fleetpage (many), export and event (databases, monitoring and BMCs)."""

VERSION = "1.0.0"  # of Assay: the Makefile and the payload take it from this line
