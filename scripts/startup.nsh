# SPDX-License-Identifier: BSD-2-Clause-Patent
# startup.nsh: starts Assay from the UEFI shell, from the first volume that has it.
#
# The shell runs this by itself after a few seconds. Options go after BOOTX64.EFI, or into \assay\assay.cfg.
@echo -off
for %i in 0 1 2 3 4 5 6 7 8 9
  if exist fs%i:\assay\assay.cfg then
    fs%i:
    goto FOUND
  endif
endfor
echo startup.nsh: no volume with \assay\assay.cfg
goto END
:FOUND
\EFI\BOOT\BOOTX64.EFI
# The exit status. A script can act on it: power off, or start the next program.
set -v assay %lasterror%
if %assay% == 0x0 then
  echo startup.nsh: Assay ended with %assay%: PASS or DONE
  goto END
endif
if %assay% == 0x1 then
  echo startup.nsh: Assay ended with %assay%: FAIL, a check failed
  goto END
endif
if %assay% == 0x5 then
  echo startup.nsh: Assay ended with %assay%: WARN, a check is not as expected
  goto END
endif
if %assay% == 0x26 then
  echo startup.nsh: Assay ended with %assay%: NOTHING, no monitor was judged
  goto END
endif
echo startup.nsh: Assay ended with %assay%: ERROR, the run is incomplete
:END
