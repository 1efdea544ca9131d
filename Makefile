# SPDX-License-Identifier: BSD-2-Clause-Patent
# make          build/assay.efi
# make run      build, boot it in QEMU on virtual silicon, show the report; ARGS=-quick: without the long checks
# make image    build/assay.img, for a stick or a BMC's virtual media; make iso: build/assay.iso
# make unit     every unit test; one: make build/host/unit/ROOM/FILE, and run it. tests/README.md has more
# make test     every test; the last line is "N passed, N failed"
# make test-all the same, unit tests without sanitizers too, all checks under each fault, and every profile: an hour
# make lint     every static check; scripts/lint STEP: one of them
# make clean    remove build/                       make help     this list
#
# make install DESTDIR= PREFIX=/usr/local   assay-report, assay-lab, assay-stick, assay.efi, image, docs; install-silicon
# make release  the files of a release, in build/release; release-check, deb: packaging/release.mk
# make release-image KEY=db.key CERT=db.pem    build/assay-signed.img, for Secure Boot with that key (sbsign)
# make docs     docs/checks.md, and in build/docs the pages of checks, faults and uncore boxes
# make samples  docs/samples: reports and pictures that README.md shows; minutes (chromium)
# make silicon  the virtual silicon alone
# make test-linux   Debian's kernel, pqos, PCM, perf and likwid on the virtual silicon; 40 minutes
#
# make profiles every profile in QEMU, all checks: each has to pass
# make fuzz     each fuzz target for SECONDS=60, its corpus kept; fuzz-coverage: the lines that the corpora reach
# make machines N=200 [SEED=1]        every check on faultless machines that are drawn
# make machine-faults N=40 [SEED=1]   every fault on machines that are drawn
# make drawn-faults N=44 [SEED=1]     defects that are composed, on machines that are drawn
# make bands    tests/silicon/bands: figures of faultless machines of each profile
# make bench    costs, as counts and ratios; make costs: what each check asks, into tests/fixtures/costs/checks.tsv
# make docs-measured    into build/docs: fault-matrix (5 minutes), uncore-faults, diagnosis (2 hours), detection (hours)
#
# SILICON=bdx|...|none  FAULT=NAME[,NAME]  REALISM=NAME=VALUE[,...]|typical  CPUS=N  PACKAGES=N  CLUSTERS=N  SLICES=N|all  ARGS="-t cmt.*"   for make run
# VERBOSE=1 shows command lines and the console of make run, ASSAY_SETUP=no installs nothing, CC=clang builds with clang

# A variable of the command line that nothing reads is a mistake: FALT=mbm-half would run without a fault, and pass. The
# makes below this one are given the same.
GIVEN := $(if $(filter 0,$(MAKELEVEL)),$(strip $(foreach v,$(.VARIABLES),$(if $(filter command,$(origin $v)),$v))))
ifneq ($(GIVEN),)
ifneq ($(shell scripts/known-variables $(GIVEN) >&2; echo $$?),0)
$(error nothing was made)
endif
endif

VERSION := $(shell sed -n 's/^VERSION = "\([0-9.]*\)".*/\1/p' scripts/report/__init__.py)
CC      := $(if $(filter default,$(origin CC)),gcc,$(CC))
HOSTCC  ?= gcc
LD      := ld
OBJCOPY := objcopy
SHELL   := /bin/bash
MAKEFLAGS += --no-print-directory
# As many jobs as processors, but where the user, the environment or a make above this one says how many. GNU make before
# 4.4 shows no -j in MAKEFLAGS while it reads a makefile; the command line's wins over this one.
JOBS := $(shell [[ " $${MAKEFLAGS%%-- *}" =~ \ -?[A-Za-z]*j|\ --jobs ]] || echo -j$$(nproc))
MAKEFLAGS += $(JOBS)
Q       := $(if $(VERBOSE),,@)

# The commit is part of the payload; the file changes only when the commit does, so nothing is rebuilt for nothing. Of twelve
# digits: how many git takes by itself depends on what else is in a clone, and a release is to be the same of any.
# Sources of a release's archive have it in packaging/commit, with its time and tag, and no git.
EXPORTED := $(shell sed -n 's/^\([0-9a-f]\{12\}\)[0-9a-f]* \([0-9][0-9]* *\)/\1 \2/p' packaging/commit)
COMMIT := $(or $(word 1,$(EXPORTED)),$(shell git describe --always --abbrev=12 --dirty --exclude '*' 2>/dev/null || echo unknown))

.DEFAULT_GOAL := build/assay.efi
.DELETE_ON_ERROR:
.SUFFIXES:
# The folder of a target is a prerequisite, $$(@D)/. of it, so a compilation is one process: make runs a command without
# anything of a shell in it by itself, where SHELL is its default.
.SECONDEXPANSION:
.PRECIOUS: build/%/.
build/%/.: ; @mkdir -p $@
build/efi/%.o build/silicon/%.o build/host/%.o build/asan/%.o build/tsan/%.o: private SHELL := /bin/sh

WARN  := -Wall -Wextra -Werror -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wundef
CLANGWARN := $(if $(findstring clang,$(CC)),-Wno-unused-command-line-argument -Wno-c2x-extensions)
# Clang has no such option, and does not align large data to a cache line.
ABI_DATA  := $(if $(findstring clang,$(CC)),,-malign-data=abi)
# -mno-red-zone: firmware's timer interrupt runs on our stack. -fno-math-errno: __builtin_sqrt is the instruction, there
# is no libm. No SSE beyond the baseline and no vectorizing: kernels must make exactly the accesses they promise. -Oz: the image
# goes over networks and BMCs' virtual media; the kernels alone are built for speed. UNUSED_PASSES take a quarter of a
# compilation's instructions, and the image is as large without them.
UNUSED_PASSES := $(if $(findstring clang,$(CC)),,$(addprefix -fno-,schedule-insns2 code-hoisting tree-pre tree-vrp gcse tree-pta \
         expensive-optimizations rerun-cse-after-loop))
EFI   := -std=gnu11 -Oz -ffunction-sections -fdata-sections -ffreestanding -fpic -fshort-wchar -mno-red-zone -fno-stack-protector \
         -fno-stack-clash-protection -fcf-protection=none -fvisibility=hidden -fno-strict-aliasing \
         -fno-asynchronous-unwind-tables -fno-math-errno $(ABI_DATA) -DGNU_EFI_USE_MS_ABI \
         -isystem /usr/include/efi -isystem /usr/include/efi/x86_64 -I. $(WARN) $(CLANGWARN)
# -g1: all that a sanitizer's finding prints of a place. -O1, -Og: nearly all time of a test is the model's, which is built with -O3, and
# they compile in 0.6 of the time of -O2. -Og has GCC find too much that may be uninitialized; the payload's build looks for that.
HOST  := -std=gnu11 -g1 -O1 -fPIC -fno-semantic-interposition -fno-math-errno $(WARN) -I.
ASAN  := $(HOST) -Og -Wno-maybe-uninitialized -fsanitize=address,undefined -fno-sanitize-recover=all
TSAN  := $(HOST) -fsanitize=thread -isystem tests/support/tsan

# Objects of other flags or of another compiler are built again, and a file that is gone is not linked.
build/flags: STATE = $(CC) $(HOSTCC) $(EFI) $(UNUSED_PASSES) $(HOST) $(ASAN) $(TSAN) $(SILICON_CC) $(INLINE_LIMITS)
build/sources: STATE = $(PAYLOAD) $(MODEL) $(HOST_PLATFORM) $(HOST_SRC) $(MATRIX)
build/flags build/sources: FORCE ; @mkdir -p build; echo '$(STATE)' | cmp -s - $@ || echo '$(STATE)' > $@

# --- the payload ------------------------------------------------------------------------------------------------------

CHECKS   := $(wildcard core/checks/*/*.c)
PORTABLE := $(wildcard core/*/*.c arch/x86/*/*.c) $(CHECKS) build/check_families.c build/cause_families.c
PAYLOAD  := $(PORTABLE) $(wildcard core/page/*.S efi/*/*.c efi/*/*.S arch/x86/*/*.S)
PAYLOAD_OBJS := $(patsubst %,build/efi/%.o,$(PAYLOAD))
SECTIONS := .text .strings .reloc .sbat .rodata .data .bss .dynamic .map .packed .rela

build/commit.h: build/commit.stamp ; @printf '#define ASSAY_COMMIT "%s"\n#define ASSAY_VERSION "%s"\n' '$(COMMIT)' '$(VERSION)' > $@
build/commit.stamp: FORCE ; @mkdir -p build; echo '$(COMMIT) $(VERSION)' | cmp -s - $@ || echo '$(COMMIT) $(VERSION)' > $@
build/efi/efi/boot/main.c.o: build/commit.h

# Every family of checks, found by its CHECK_FAMILY() (core/check/row.h).
build/check_families.c: $(CHECKS) scripts/gather
	$(Q)mkdir -p build; scripts/gather CHECK_FAMILY 'struct check_family' check_family check_families core/check/row.h $(CHECKS) > $@

# What a diagnosis chooses from: tables that end with CAUSE_FAMILY() (core/diagnosis/cause.h).
CAUSES := $(wildcard core/diagnosis/causes_*.c)
build/cause_families.c: $(CAUSES) scripts/gather
	$(Q)mkdir -p build; scripts/gather CAUSE_FAMILY 'struct cause_family' cause_family cause_families core/diagnosis/cause.h $(CAUSES) > $@

# report.html's page: a line "@name@" is the file of that name, and @STREAM@ is where it is cut for the stream. The script after
# <script data-page> is packed, without its comments.
UNPACK := try { document.body.append(Object.assign(document.createElement("script"), { textContent: new \
    TextDecoder().decode(unpacked(document.querySelector("[data-page]").textContent)) })); } catch (e) { unreadable(e); }
PAGE := $(addprefix build/page/,head middle script.gz tail)
$(PAGE) &: $(wildcard core/page/*.html core/page/*.css core/page/*.js)
	$(Q)mkdir -p build/page; sed -E 's|^@([a-z]+\.[a-z]+)@$$|cat core/page/\1|e' core/page/page.html > build/page/whole
	$(Q)sed '/@STREAM@/,$$d' build/page/whole > build/page/head
	$(Q){ echo; sed '1,/@STREAM@/d; /^<script data-page>/,$$d' build/page/whole; echo '<script type="text/plain" data-page>'; } > build/page/middle
	$(Q)sed -E '1,/^<script data-page>/d; /^<\/script>/,$$d; /^ *\/\*.*\*\/$$/d; /^ *\/\*/,/\*\/$$/d' build/page/whole | gzip -9n > build/page/script.gz
	$(Q)printf '\n</script>\n<script>\n%s\n</script>\n</body>\n</html>\n' '$(UNPACK)' > build/page/tail
build/efi/core/page/page.S.o: $(PAGE)

build/efi/%.c.o: %.c build/flags | setup-build $$(@D)/.
	$(Q)$(CC) $(EFI) $(UNUSED_PASSES) -Ibuild -MMD -MP -c $< -o $@
build/efi/arch/x86/cpu/kernels.c.o: private EFI += -O2
build/efi/arch/x86/cpu/kernels.c.o: private UNUSED_PASSES :=
build/host/arch/x86/cpu/kernels.c.o: private HOST += -O2
build/efi/%.S.o: %.S build/flags | setup-build $$(@D)/.
	$(Q)$(CC) $(EFI) -MMD -MP -c $< -o $@

build/assay.so: $(PAYLOAD_OBJS) linker.ld build/sources
	$(Q)$(LD) -nostdlib -shared -Bsymbolic -znocombreloc -znoexecstack --no-undefined --build-id=sha1 -T linker.ld -e image_entry \
	    --gc-sections -O2 $(PAYLOAD_OBJS) -o $@
# Firmware relocates it: .rela becomes .reloc, and nothing of .dynamic is needed. .data and .strings are packed
# (efi/image/packed.h).
build/assay.efi: build/assay.so build/host/pe-fix
	$(Q)$(OBJCOPY) -S $(foreach s,$(filter-out .reloc .dynamic,$(SECTIONS)),-j $(s)) --target=efi-app-x86_64 $< $@.new
	$(Q)$(OBJCOPY) -O binary -j .strings $< build/assay.strings && gzip -9nf build/assay.strings
	$(Q)build/host/pe-fix $@.new build/assay.strings.gz && mv $@.new $@
	@echo "$@: $$(stat -c %s $@) bytes, version $(VERSION), commit $(COMMIT)"

build/host/pe-fix: scripts/pe_fix.c | setup-build ; $(Q)mkdir -p $(@D); $(HOSTCC) -O2 $(WARN) $< -o $@
build/host/options: scripts/options.c $(wildcard core/options/*.[ch]) core/base/text.c | setup-build
	$(Q)mkdir -p $(@D); $(HOSTCC) -std=gnu11 -O1 $(WARN) -I. $(filter %.c,$^) -o $@
build/assay.cfg: build/host/options ; $(Q)$< sample > $@
build/BOOTX64.man: build/host/options ; $(Q)$< man BOOTX64 > $@
build/assay.img: build/assay.efi build/assay.cfg build/BOOTX64.man scripts/image scripts/startup.nsh | setup-run
	$(Q)scripts/image build/assay.efi $@ build/assay.cfg build/BOOTX64.man
image: build/assay.img
build/assay.iso: build/assay.efi build/assay.cfg build/BOOTX64.man scripts/image scripts/startup.nsh | setup-run setup-test
	$(Q)scripts/image build/assay.efi $@ build/assay.cfg build/BOOTX64.man
iso: build/assay.iso
# Secure Boot with a key of one's own: KEY, an RSA key in PEM, and CERT, its certificate, which is enrolled in db.
release-image: build/assay.img
	$(Q)[[ -r "$(KEY)" && -r "$(CERT)" ]] || { echo "release-image: KEY=db.key and CERT=db.pem are the key and its certificate" >&2; exit 1; }
	$(Q)sbsign --key "$(KEY)" --cert "$(CERT)" --output build/assay-signed.efi build/assay.efi
	$(Q)scripts/image build/assay-signed.efi build/assay-signed.img build/assay.cfg build/BOOTX64.man

# --- virtual silicon ----------------------------------------------------------------------------------------------------

# The model, and what makes it a struct platform on the host.
PROFILES := $(wildcard tests/silicon/profiles/*.c)
MODEL := $(wildcard $(addprefix tests/silicon/,cache/*.c model/*.c registers/*.c rdt/*.c quirks/*.c twin/*.c uncore/*.c uncore_parts/*.c faults/*.c recorded/*.c)) $(PROFILES) \
    build/profiles.c build/recordings.c
HOST_PLATFORM := $(wildcard tests/silicon/host/*.c)
PLUGIN_PARTS := $(addprefix tests/silicon/qemu/,insn.c turns.c)
PLUGIN_OWN := $(filter-out $(PLUGIN_PARTS),$(wildcard tests/silicon/qemu/*.c))
EMULATE := $(wildcard tests/silicon/emulate/*.c)
SHIM  := $(wildcard tests/silicon/shim/*.c tests/silicon/shim/*.S tests/silicon/shim_files/*.c) $(EMULATE)
SHIM_OBJS := $(patsubst %,build/efi/%.o,$(SHIM))
# The guest's vector registers stay in the processor (shim/vector.h): an object from before this flag would spoil them.
$(SHIM_OBJS): private EFI += -mgeneral-regs-only
$(SHIM_OBJS): Makefile

# QEMU_PLUGIN_HEADER=path: the qemu-plugin.h of the QEMU to be used. Without one the plugin speaks what an installed QEMU
# does: interface 1 up to 8.2, 2 in 9.0, 3 and what came after it from 9.1 on.
QEMU_API = $(shell qemu-system-x86_64 --version 2>/dev/null | \
    sed -nE 's/.*version ([0-9]+)\.([0-9]+).*/\1 \2/p' | { read -r a b; echo $$((a < 9 ? 1 : a == 9 && b == 0 ? 2 : 3)); })
build/silicon/qemu/plugin.o: private PLUGIN = -DQEMU_PLUGIN_API=$(QEMU_API) $(shell pkg-config --cflags glib-2.0 2>/dev/null) \
    $(QEMU_PLUGIN_HEADER:%=-include %)
# -flto: an access goes from the plugin's callback to the L1's words without a call, and by the limits of INLINE what each miss
# goes through are hardly any calls either. They are a compilation's, from which the link has them; in all files they would
# take it twice as long.
INLINE_LIMITS := $(addprefix --param ,max-inline-insns-auto=300 inline-unit-growth=300 large-function-growth=2000 large-stack-frame-growth=5000)
LTO_LINK = $(HOSTCC) -O3 -flto=auto
SPEED = -O3 -flto=auto
# What a register operation or a start goes through, not an access: a link that optimizes it too takes a third longer.
$(addprefix build/silicon/,profiles.o recordings.o) \
$(patsubst tests/%.c,build/%.o,$(wildcard $(addprefix tests/silicon/,uncore/*.c uncore_parts/*.c twin/*.c recorded/*.c faults/*.c registers/*.c profiles/*.c))): private SPEED = -O1
SILICON_CC = $(HOSTCC) -std=gnu11 $(SPEED) $(INLINE) -fPIC -fno-semantic-interposition -pthread $(WARN) $(PLUGIN) -I. -MMD -MP
$(patsubst tests/%.c,build/%.o,$(wildcard tests/silicon/cache/*.c) tests/silicon/model/model_clock.c tests/silicon/host/host_work.c): private \
    INLINE = $(INLINE_LIMITS)
MODEL_OBJS := $(patsubst tests/silicon/%.c,build/silicon/%.o,$(MODEL:build/%.c=tests/silicon/%.c))
build/profiles.c: $(PROFILES) scripts/gather
	$(Q)mkdir -p build; scripts/gather PROFILE 'struct profile' profile profiles tests/silicon/profiles/profile.h $(PROFILES) > $@
# CPUID of the recordings that the profiles take, from the files that the decoders of arch/x86 are tested with.
build/recordings.c: $(PROFILES) scripts/recordings $(wildcard tests/fixtures/cpuid/*.cpuid)
	$(Q)mkdir -p build; scripts/recordings tests/fixtures/cpuid tests/silicon/profiles/profile.h $(PROFILES) > $@
build/silicon/profiles.o build/silicon/recordings.o: build/silicon/%.o: build/%.c build/flags | setup-build $$(@D)/.
	$(Q)$(SILICON_CC) -c $< -o $@
build/silicon/%.o: tests/silicon/%.c build/flags | setup-build $$(@D)/.
	$(Q)$(SILICON_CC) -c $< -o $@
# QEMU asks for two names; nothing else is seen from without, so that all else may be inlined.
build/silicon/silicon.so: $(MODEL_OBJS) $(PLUGIN_OWN:tests/silicon/%.c=build/silicon/%.o) $(PLUGIN_PARTS:tests/silicon/%.c=build/silicon/%.o) build/sources
	$(Q)$(LTO_LINK) -shared -pthread $(filter %.o,$^) -Wl,--version-script=<(echo '{ global: qemu_plugin_*; local: *; };') -o $@
build/silicon/shim.so: $(SHIM_OBJS) linker.ld
	$(Q)mkdir -p $(@D); $(LD) -nostdlib -shared -Bsymbolic -znocombreloc -znoexecstack --no-undefined --build-id=sha1 -T linker.ld \
	    /usr/lib/crt0-efi-x86_64.o $(SHIM_OBJS) -L/usr/lib -lgnuefi -o $@
build/silicon/shim.efi: build/silicon/shim.so build/host/pe-fix
	$(Q)$(OBJCOPY) -S $(foreach s,$(SECTIONS),-j $(s)) --target=efi-app-x86_64 $< $@.new
	$(Q)build/host/pe-fix $@.new && mv $@.new $@

# Firmware with a fault (tests/silicon/firmware): one source, five drivers. And firmware that is strict, or scarce.
QUIRKS := $(foreach q,REFUSE HOLD HIDE DEAF UNREADY TWICE EARLY BLANK,build/qemu/quirk-$(q).efi)
build/qemu/quirk-%.o: tests/silicon/firmware/quirk.c | setup-build
	$(Q)mkdir -p $(@D); $(CC) $(EFI) -DQUIRK=$* -MMD -MP -c $< -o $@
build/qemu/strict.o build/qemu/scarce.o build/qemu/netboot.o: build/qemu/%.o: tests/silicon/firmware/%.c | setup-build
	$(Q)mkdir -p $(@D); $(CC) $(EFI) -MMD -MP -c $< -o $@
build/qemu/%.so: build/qemu/%.o linker.ld
	$(Q)$(LD) -nostdlib -shared -Bsymbolic -znocombreloc -znoexecstack --no-undefined --build-id=sha1 -T linker.ld \
	    /usr/lib/crt0-efi-x86_64.o $< -L/usr/lib -lgnuefi -o $@
$(QUIRKS) build/qemu/strict.efi build/qemu/scarce.efi: build/qemu/%.efi: build/qemu/%.so
	$(Q)$(OBJCOPY) -S $(foreach s,$(SECTIONS),-j $(s)) --target=efi-bsdrv-x86_64 $< $@
# Boots from the network, for machines that the shim is below (tests/lab).
build/qemu/netboot.efi: build/qemu/netboot.so build/host/pe-fix
	$(Q)$(OBJCOPY) -S $(foreach s,$(SECTIONS),-j $(s)) --target=efi-app-x86_64 $< $@.new
	$(Q)build/host/pe-fix $@.new && mv $@.new $@
test-drivers: $(QUIRKS) build/qemu/strict.efi build/qemu/scarce.efi build/qemu/netboot.efi

# How QEMU is started for a twin of a recorded machine.
build/silicon/twin-qemu: build/silicon/twin_qemu.o $(MODEL_OBJS)
	$(Q)$(LTO_LINK) $^ -lm -pthread -o $@
build/silicon/twin_qemu.o: scripts/twin_qemu.c build/flags | setup-build $$(@D)/.
	$(Q)$(SILICON_CC) -c $< -o $@
silicon: build/silicon/silicon.so build/silicon/shim.efi build/silicon/twin-qemu

# --- run -----------------------------------------------------------------------------------------------------------------

SILICON  ?= bdx
ifneq ($(filter run,$(MAKECMDGOALS)),)
-load build/host/make_exit.so
build/host/make_exit.so: scripts/make_exit.c ; $(Q)mkdir -p $(@D); $(HOSTCC) -O2 -shared -fPIC $(WARN) $< -o $@
ifneq ($(wildcard build/host/make_exit.so),)
$(shell scripts/setup build run >&2; echo $$? > build/setup.status)$(exit-with build/setup.status)
endif
endif
# The silicon first: its last link takes one processor, and the payload's files the other one.
booted: build/silicon/silicon.so build/silicon/shim.efi build/assay.img | setup-run
	$(Q)rm -f build/run.status; SILICON='$(SILICON)' FAULT='$(FAULT)' REALISM='$(REALISM)' CPUS='$(CPUS)' PACKAGES='$(PACKAGES)' CLUSTERS='$(CLUSTERS)' \
	    ARGS='$(ARGS)' VERBOSE='$(VERBOSE)' scripts/run build/assay.img build/run; echo $$? > build/run.status
# A function of its own ends make with that status: 1, 2 and 3 mean different things, and make only knows 2.
run: booted ; @$(exit-with build/run.status)exit $$(cat build/run.status)

# --- host tests: one program a file in tests/unit and tests/whole -------------------------------------------------------
# tests/unit is built under ASan + UBSan, and plain for make test-all and where one is asked for; tests/whole, whose programs
# make millions of accesses or whole runs by the dozen and would take minutes under the sanitizers, plain only.
# tests/unit/processors, whose processors are threads, is built under ThreadSanitizer too, with the little that it needs.
# What they test is in libassay.so, and a program links its names alone: an edit of a check is one compilation and one link,
# whatever the number of programs. A test may have a table of its own in place of the library's (check_families); functions
# are bound in the library. Nearly all of their time is the model's, which is libmodel.so, built as for the plugin (a fourth of
# the time under ASan); under ASan, those of tests/unit/silicon* sanitize it too.

HOST_SRC := $(PORTABLE) core/page/page.S $(wildcard tests/support/*/*.c)
MATRIX   := $(wildcard tests/matrix/*/*.c)
UNIT     := $(patsubst tests/%.c,%,$(wildcard tests/unit/*/*.c))
WHOLE    := $(patsubst tests/%.c,%,$(wildcard tests/whole/*.c))
THREADED := $(filter unit/processors/%,$(UNIT))
UNIT_PROGRAMS := $(WHOLE:%=build/host/%) $(UNIT:%=build/asan/%) $(THREADED:%=build/tsan/%)
THREADED_SRC := $(wildcard core/base/*.c core/platform/*.c core/processors/*.c) $(addprefix tests/support/machine/,heap_host.c processor_threads.c)

build/host/%.c.o: %.c build/flags | setup-build $$(@D)/. ; $(Q)$(HOSTCC) $(HOST) -MMD -MP -c $< -o $@
$(patsubst %.c,build/host/%.c.o,$(filter-out $(addprefix tests/support/,data/conformance.c data/tsv.c machine/heap_host.c),$(wildcard tests/support/*/*.c)) $(wildcard tests/unit/*/*.c tests/whole/*.c)): | setup-test
build/asan/%.c.o: %.c build/flags | setup-test $$(@D)/. ; $(Q)$(HOSTCC) $(ASAN) -MMD -MP -c $< -o $@
build/tsan/%.c.o: %.c build/flags | setup-test $$(@D)/. ; $(Q)$(HOSTCC) $(TSAN) -MMD -MP -c $< -o $@
build/host/tests/%.o build/host/scripts/%.o: private HOST += -DASSAY_ROOT='"$(CURDIR)"'
build/asan/tests/%.o: private ASAN += -DASSAY_ROOT='"$(CURDIR)"'
build/tsan/tests/%.o: private TSAN += -DASSAY_ROOT='"$(CURDIR)"'
# What is tested takes the time of a test, and its own file half of the time to compile.
build/asan/tests/unit/%.o: private ASAN += -O0
# A test's own table in place of the library's is no mistake, for which ASan takes two that it knows.
build/asan/build/check_families.c.o: private ASAN += -fno-sanitize=address
# A name with its folder is found without a path to search.
LIBRARY = -shared -Wl,-Bsymbolic-functions -Wl,-soname,$(CURDIR)/$@
build/host/libassay.so: $(HOST_SRC:%=build/host/%.o) build/sources ; $(Q)$(HOSTCC) $(LIBRARY) $(filter %.o,$^) -lcriterion -o $@
build/asan/libassay.so: $(HOST_SRC:%=build/asan/%.o) build/sources ; $(Q)$(HOSTCC) $(LIBRARY) -fsanitize=address,undefined $(filter %.o,$^) -lcriterion -o $@
build/silicon/libmodel.so: $(HOST_PLATFORM:tests/silicon/%.c=build/silicon/%.o) $(MODEL_OBJS) build/sources
	$(Q)$(LTO_LINK) $(LIBRARY) -pthread $(filter %.o,$^) -o $@
build/asan/libmodel.so: $(patsubst %,build/asan/%.o,$(HOST_PLATFORM) $(MODEL)) build/sources
	$(Q)$(HOSTCC) $(LIBRARY) -fsanitize=address,undefined $(filter %.o,$^) -o $@
PROGRAM = $(HOSTCC) $(filter %.o %.a,$^) -Wl,--no-as-needed $(filter %.so,$|) -lm -pthread
$(UNIT:%=build/host/%) $(WHOLE:%=build/host/%): build/host/%: build/host/tests/%.c.o | build/host/libassay.so build/silicon/libmodel.so
	$(Q)mkdir -p $(@D); $(PROGRAM) -lcriterion -o $@
$(UNIT:%=build/asan/%): build/asan/%: build/asan/tests/%.c.o | build/asan/libassay.so
	$(Q)mkdir -p $(@D); $(PROGRAM) -fuse-ld=lld -fsanitize=address,undefined -lcriterion -o $@
# Of the plugin, the shim and the matrix, a test has the files that it calls, and is what they call.
build/host/libparts.a build/asan/libparts.a: build/%/libparts.a: $(foreach f,$(PLUGIN_PARTS) $(EMULATE) $(MATRIX),build/%/$(f).o) build/sources
	$(Q)rm -f $@; ar rcs $@ $(filter %.o,$^)
PARTS_TESTS := $(filter unit/emulate/% unit/qemu/% unit/silicon/% unit/matrix/% whole/uncalibrated,$(UNIT) $(WHOLE))
$(PARTS_TESTS:%=build/host/%): build/host/libparts.a
$(patsubst %,build/asan/%,$(filter unit/%,$(PARTS_TESTS))): build/asan/libparts.a
$(filter build/asan/unit/silicon%,$(UNIT:%=build/asan/%)): | build/asan/libmodel.so
$(filter-out build/asan/unit/silicon%,$(UNIT:%=build/asan/%)): | build/silicon/libmodel.so
build/host/core/page/page.S.o build/asan/core/page/page.S.o build/tsan/core/page/page.S.o: core/page/page.S $(PAGE)
	$(Q)mkdir -p $(@D); $(HOSTCC) -c $< -o $@
build/host/whole/full_medium: $(patsubst %,build/host/%.o,core/page/page.S $(wildcard tests/volume/*.c))
# Of efi/, what can be tried on the host with firmware's tables in memory.
TCG2 := $(patsubst %,build/host/%.c.o,tests/whole/tcg2 efi/tpm/tcg2 efi/firmware/status)
$(TCG2): private HOST += -fshort-wchar -DGNU_EFI_USE_MS_ABI -isystem /usr/include/efi -isystem /usr/include/efi/x86_64
build/host/whole/tcg2: $(TCG2)
$(THREADED:%=build/tsan/%): build/tsan/%: build/tsan/tests/%.c.o $(THREADED_SRC:%=build/tsan/%.o)
	$(Q)mkdir -p $(@D); $(HOSTCC) -fsanitize=thread $^ -pthread -o $@
.SECONDARY: $(QUIRKS:.efi=.o) $(QUIRKS:.efi=.so) build/qemu/strict.o build/qemu/strict.so build/qemu/scarce.o build/qemu/scarce.so

# Every fault against every check, and every check on machines that are drawn: tests/drivers/matrix and machines run them.
# Nearly all of their time is the model's, which is built as for the plugin.
build/host/matrix: $(patsubst %,build/host/%.o,tests/matrix/matrix.c $(MATRIX)) | build/host/libassay.so build/silicon/libmodel.so ; $(Q)$(PROGRAM) -o $@
# Whole runs under ASan and UBSan, and under TSan: build/asan/matrix, build/tsan/matrix machines 1 --only bdx.
SANITIZED := $(MATRIX) $(HOST_PLATFORM) $(MODEL) $(PORTABLE) core/page/page.S $(addprefix tests/support/,data/conformance.c data/tsv.c data/whole_file.c machine/heap_host.c run/profile_bands.c run/whole_run.c)
build/asan/whole.a build/tsan/whole.a: build/%/whole.a: $(foreach f,$(SANITIZED),build/%/$(f).o) ; $(Q)rm -f $@; ar rcs $@ $^
build/asan/matrix: private SANITIZERS := address,undefined
build/tsan/matrix: private SANITIZERS := thread
build/asan/matrix build/tsan/matrix: build/%/matrix: build/%/tests/matrix/matrix.c.o build/%/whole.a ; $(Q)$(PROGRAM) -fsanitize=$(SANITIZERS) -o $@
test-drivers: build/host/matrix

# N=200 SEED=1: more machines, others
machines machine-faults: build/host/matrix ; $(Q)$< $@ $(N) $(SEED:%=--seed %)
drawn-faults: build/host/matrix ; $(Q)$< drawn $(N) $(SEED:%=--seed %)
run-time: build/host/matrix ; $(Q)$< $@ $(ARGS)
costs: build/host/matrix ; $(Q)tests/drivers/costs --write
fault-matrix: build/host/matrix ; $(Q)mkdir -p build/docs; $< faults --doc build/docs/fault-matrix.md $(ARGS)
detection: build/host/matrix ; $(Q)mkdir -p build/docs; $< $@ --doc build/docs/$@.md $(ARGS)
uncore-faults: build/host/matrix ; $(Q)mkdir -p build/docs; $< faults --uncore --doc build/docs/$@.md $(ARGS)
diagnosis: build/host/matrix
	$(Q)mkdir -p build/docs build/diagnosis; $< $@ --runs both --pairs 100 --keep build/diagnosis --doc build/docs/$@.md $(ARGS)

unit: $(UNIT_PROGRAMS)
	$(Q)scripts/run-tests unit

# --- all tests, lint, bench ------------------------------------------------------------------------------------------------

test: $(UNIT_PROGRAMS) build/assay.img build/assay.iso silicon test-drivers | setup-run setup-test
	$(Q)scripts/run-tests all

test-all: $(UNIT:%=build/host/%) $(UNIT_PROGRAMS) build/assay.img build/assay.iso silicon test-drivers | setup-run setup-test
	$(Q)ASSAY_TESTS=all scripts/run-tests all
	$(Q)scripts/run-profiles all

profiles: build/assay.img silicon | setup-run
	$(Q)scripts/run-profiles

test-linux: silicon build/assay.efi | setup-run setup-linux
	$(Q)tests/linux/run

# Pages from the tables. A release has them, so they need no package of the tests.
DOC_OBJS := $(patsubst %,build/host/%.o,$(PORTABLE) core/page/page.S) $(addprefix build/host/tests/support/,data/conformance.c.o data/tsv.c.o machine/heap_host.c.o)
TABLE_PAGES := build/docs/checks.md build/docs/faults.md build/docs/uncore-parts.md
build/host/checks-doc build/host/pmon-doc: build/host/%-doc: build/host/scripts/%_doc.c.o $(DOC_OBJS)
	$(Q)$(HOSTCC) $^ -lm -o $@
# What Assay will do on a recorded machine, for assay-report.
build/host/preflight: build/host/scripts/preflight.c.o $(DOC_OBJS) $(patsubst %,build/host/tests/%.c.o,support/data/replay support/machine/memory silicon/recorded/recording silicon/recorded/recording_parse silicon/model/model_writer silicon/model/pool)
	$(Q)$(HOSTCC) -Wl,--build-id=none $^ -lm -o $@
build/host/scripts/preflight.c.o: tests/fixtures/costs/seconds.tsv
test-drivers: build/host/preflight
build/host/faults-doc: build/host/scripts/faults_doc.c.o $(MODEL_OBJS)
	$(Q)$(HOSTCC) -flto=auto $^ -lm -pthread -o $@
build/docs/checks.md: build/host/checks-doc docs/conformance.tsv ; $(Q)mkdir -p $(@D); $< > $@
build/docs/faults.md: build/host/faults-doc ; $(Q)mkdir -p $(@D); $< > $@
build/docs/uncore-parts.md: build/host/pmon-doc ; $(Q)mkdir -p $(@D); $< > $@
test-drivers: $(TABLE_PAGES)
build/host/next-boot: build/host/tests/schema/next_boot.c.o | build/host/libassay.so build/silicon/libmodel.so ; $(Q)$(PROGRAM) -o $@
test-drivers: build/host/next-boot

# docs/checks.md is in the tree: commit what changed.
docs: $(TABLE_PAGES) build/host/checks-doc build/docs/map.md ; $(Q)build/host/checks-doc --table > docs/checks.md
build/docs/map.md: build/host/matrix tests/fixtures/defects/defects.tsv ; $(Q)mkdir -p $(@D); $< map --doc $@
# What is measured, into build/docs; its summary in the tree is docs/measured.md. The matrix takes minutes, the others hours.
docs-measured: fault-matrix diagnosis detection uncore-faults

BENCH := build/host/model_bench build/bench/guest.efi build/silicon/silicon.so build/silicon/shim.efi
build/host/model_bench: tests/bench/model.c $(MODEL_OBJS) | setup-test
	$(Q)mkdir -p $(@D); $(SILICON_CC) $(filter %.c %.o,$^) -o $@
BENCH_GUEST := build/efi/tests/bench/guest.c.o build/efi/arch/x86/cpu/kernels.c.o build/efi/efi/firmware/libc.c.o
build/bench/guest.so: $(BENCH_GUEST) linker.ld
	$(Q)mkdir -p $(@D); $(LD) -nostdlib -shared -Bsymbolic -znocombreloc -znoexecstack --no-undefined --build-id=sha1 -T linker.ld \
	    /usr/lib/crt0-efi-x86_64.o $(BENCH_GUEST) -L/usr/lib -lgnuefi -o $@
build/bench/guest.efi: build/bench/guest.so build/host/pe-fix
	$(Q)$(OBJCOPY) -S $(foreach s,$(SECTIONS),-j $(s)) --target=efi-app-x86_64 $< $@.new
	$(Q)build/host/pe-fix $@.new && mv $@.new $@
# QEMU_SOURCE: a source tree of QEMU 7.2 or later, for its contrib/plugins/cache.c; without, `apt-get source qemu` is tried.
build/host/kernel-rate: build/host/tests/bench/kernel_rate.c.o | build/host/libassay.so build/silicon/libmodel.so ; $(Q)$(PROGRAM) -o $@
bench: $(BENCH) build/host/kernel-rate | setup-bench
	$(Q)build/host/model_bench
	$(Q)tests/bench/kernels
	$(Q)tests/bench/guests
	$(Q)tests/bench/reports

include packaging/release.mk

samples: build/assay.img silicon build/host/options ; $(Q)scripts/samples $<
bands: build/host/matrix ; $(Q)scripts/make-bands

fuzz: | setup-test ; $(Q)scripts/fuzz $(SECONDS)
fuzz-coverage: | setup-test ; $(Q)scripts/fuzz-coverage

lint: build/commit.h | setup-lint setup-build
	$(Q)scripts/lint

clean: ; rm -rf build
version: ; @echo $(VERSION)
help: ; @sed -n '/^# SPDX/d;s/^# \{0,1\}//p;/^$$/q' Makefile

SETUPS := setup-build setup-run setup-test setup-linux setup-lint setup-report setup-release setup-bench
$(SETUPS): setup-%: ; @scripts/setup $*
FORCE:
.PHONY: FORCE version samples install install-silicon deb release release-check release-name fuzz fuzz-coverage release-image run booted bands test test-all unit lint image iso silicon bench docs docs-measured fault-matrix machines run-time machine-faults drawn-faults detection diagnosis uncore-faults clean help profiles costs test-drivers test-linux $(SETUPS)

-include $(shell find build -name '*.d' 2>/dev/null)
