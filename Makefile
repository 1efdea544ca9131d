# make         build/assay.efi
# make run     install what is missing, build, boot it in QEMU on virtual silicon, show its report
# make test    every test; closes with "N passed, N failed"
# make help    the rest

EFI_INC := /usr/include/efi
WARN    := -Wall -Wextra -Werror -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wundef
