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
# Without the next line the shell stays. 0x1 is a check that failed, 0x2 a run that Assay could not finish, 0x26 nothing
# that could be checked; a script of your own may act on them.
echo Assay ended with %lasterror%
:END
