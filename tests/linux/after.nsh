# SPDX-License-Identifier: BSD-2-Clause-Patent
# after.nsh: the shell's script of a boot that runs Assay and then, without a reset, the kernel. Firmware starts it by the name
# startup.nsh. @OPTIONS@ and @CODE@ are of how Assay's run ends (tests/linux/ends).
@echo -off
for %i in 0 1 2 3 4 5 6 7 8 9
  if exist fs%i:\assay.efi then
    fs%i:
    goto FOUND
  endif
endfor
echo FAIL after.assay: no volume with assay.efi
goto END
:FOUND
assay.efi -config none -exit return -ui lines @OPTIONS@ -t pqr.* -t qm.evtsel* -t qm.error* -t cat.mask-length -t cat.class-limit -t cdp.reserved -t mba.limit
set -v ended %lasterror%
echo .
if %ended% == @CODE@ then
  echo PASS after.assay
else
  echo FAIL after.assay: ended with %ended%
endif
\kernel.nsh
:END
