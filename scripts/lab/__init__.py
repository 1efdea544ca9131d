# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Parts of scripts/assay-lab: folder (the folder of a lab and its configuration), setup (writes the configuration), runs and judge (uploaded
runs), watch (the inbox), notify (status, page, files for other programs), power (Redfish, ipmitool), control (runs machines)."""
