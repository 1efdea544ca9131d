# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What scripts/assay-report is made of: stream (reading), forms (JUnit and others), page and html (pages), compare (two runs),
fleet and fleetpage (many), export and event (for databases, monitoring and BMCs)."""

VERSION = "0.1.0"  # of Assay: the Makefile and the payload have it from here
