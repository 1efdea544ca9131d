# SPDX-License-Identifier: BSD-2-Clause-Patent
# startup.nsh: Assay from the UEFI shell, on whichever volume the stick is.
#
# The shell runs this by itself after a few seconds. Options go behind BOOTX64.EFI, or into \assay\assay.cfg.
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
# What Assay ended with. A script of your own may act on it: power off, or start what comes next.
set -v assay %lasterror%
if %assay% == 0x0 then
  echo startup.nsh: Assay ended with %assay%: PASS
  goto END
endif
if %assay% == 0x1 then
  echo startup.nsh: Assay ended with %assay%: FAIL, a check failed
  goto END
endif
if %assay% == 0x26 then
  echo startup.nsh: Assay ended with %assay%: nothing could be checked
  goto END
endif
echo startup.nsh: Assay ended with %assay%: it could not do its job
:END
