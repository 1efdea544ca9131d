# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What scripts/assay-lab is made of: place (the folder of a lab and its configuration), setup (that configuration is written), runs and
judge (what arrives), watch (a folder of arrivals, again and again), told (status, page, what others read), power (Redfish, ipmitool),
control (machines are run)."""
