# SPDX-License-Identifier: BSD-2-Clause-Patent
# make install DESTDIR= PREFIX=/usr/local   what a machine has that makes sticks and reads reports; install-silicon: the virtual silicon
# make release          build/release, of a tag vVERSION without changes; SNAPSHOT=yes: of any commit. release-check: twice, the same bytes;
# packaging/new-version: before the tag
# make deb              build/deb: assay and assay-silicon for Debian (debhelper)

PREFIX   ?= /usr/local
LIB      := $(DESTDIR)$(PREFIX)/lib/assay
SHARE    := $(DESTDIR)$(PREFIX)/share
BIN      := $(DESTDIR)$(PREFIX)/bin
PAGE     := $(wildcard core/page/*.html core/page/*.css core/page/*.js)
SILICON_BUILT := build/silicon/silicon.so build/silicon/shim.efi
SILICON_PROGRAMS := build/host/preflight build/silicon/twin-qemu
# Of the commit, so that what is built twice is the same.
SOURCE_DATE_EPOCH = $(or $(word 2,$(EXPORTED)),$(shell git log -1 --format=%ct 2>/dev/null || echo 1577836800))

# 0.2.0 of its tag, otherwise 0.2.0+git20261123.abc1234.
TAGGED    = $(or $(word 3,$(EXPORTED)),$(shell git describe --tags --exact-match --dirty --match 'v$(VERSION)' 2>/dev/null))
RELEASED  = $(if $(filter v$(VERSION),$(TAGGED)),$(VERSION),$(VERSION)+git$(shell date -u -d @$(SOURCE_DATE_EPOCH) +%Y%m%d).$(subst -,.,$(COMMIT)))

# 128 MiB of which all but 1.3 are zeros.
build/assay.img.xz: build/assay.img ; $(Q)xz -T1 -6 --keep --force --stdout $< > $@

define put_command # its folder in share or lib, name, and the file that bin/name is
$(Q)install -d $(BIN) $(SHARE)/man/man1 $(SHARE)/bash-completion/completions
$(Q)ln -sf ../$(3) $(BIN)/$(2)
$(Q)install -m 644 packaging/man/$(2).1 $(SHARE)/man/man1/
$(Q)install -m 644 packaging/completion/$(2) $(SHARE)/bash-completion/completions/
endef

# assay-report and its page lie beside each other as they do here.
install: build/assay.efi build/assay.img.xz build/assay.cfg $(TABLE_PAGES)
	$(Q)install -d $(LIB) $(SHARE)/assay/scripts/report $(SHARE)/assay/scripts/lab $(SHARE)/assay/core/page $(SHARE)/assay/docs $(SHARE)/doc/assay
	$(Q)install -m 644 build/assay.efi build/assay.img.xz build/assay.cfg $(LIB)/
	$(Q)install -m 755 scripts/assay-lab scripts/assay-record scripts/assay-report scripts/assay-stick $(SHARE)/assay/scripts/
	$(Q)install -m 644 $(wildcard scripts/report/*.py) $(SHARE)/assay/scripts/report/
	$(Q)install -m 644 $(wildcard scripts/lab/*.py) $(SHARE)/assay/scripts/lab/
	$(Q)install -m 644 $(PAGE) $(SHARE)/assay/core/page/
	$(Q)install -m 644 docs/checks.md docs/conformance.tsv $(SHARE)/assay/docs/
	$(Q)install -d $(SHARE)/doc/assay/samples
	$(Q)install -m 644 CHANGELOG.md LICENSE $(wildcard docs/*.md docs/*.tsv) $(SHARE)/doc/assay/
	$(Q)install -m 644 $(TABLE_PAGES) $(SHARE)/doc/assay/
	$(Q)install -m 644 $(wildcard docs/samples/*) $(SHARE)/doc/assay/samples/
	$(Q)sed -E 's#(\]\(|`)docs/#\1#g' README.md > $(SHARE)/doc/assay/README.md; chmod 644 $(SHARE)/doc/assay/README.md
	$(if $(DESTDIR),,$(Q)python3 -m compileall -q $(SHARE)/assay/scripts)
	$(call put_command,share,assay-lab,share/assay/scripts/assay-lab)
	$(call put_command,share,assay-record,share/assay/scripts/assay-record)
	$(call put_command,share,assay-report,share/assay/scripts/assay-report)
	$(call put_command,share,assay-stick,share/assay/scripts/assay-stick)
install-silicon: $(SILICON_BUILT) $(SILICON_PROGRAMS) build/docs/faults.md
	$(Q)install -d $(LIB)/silicon/bands $(SHARE)/doc/assay-silicon
	$(Q)install -m 644 $(SILICON_BUILT) $(LIB)/silicon/
	$(Q)install -m 644 $(wildcard tests/silicon/bands/*.bands) $(LIB)/silicon/bands/
	$(Q)install -m 755 tests/silicon/run-silicon $(LIB)/silicon/
	$(Q)install -s -m 755 $(SILICON_PROGRAMS) $(LIB)/silicon/
	$(Q)install -m 644 tests/silicon/README.md docs/virtual-silicon.md build/docs/faults.md $(SHARE)/doc/assay-silicon/
	$(call put_command,lib,run-silicon,lib/assay/silicon/run-silicon)

# Built in a folder of its own, of what is built already: the rules' only own step is `make install`.
deb: build/deb/done
build/deb/done: build/assay.efi build/assay.img.xz build/assay.cfg $(TABLE_PAGES) $(SILICON_BUILT) $(SILICON_PROGRAMS) $(wildcard packaging/*/* packaging/debian-changelog tests/silicon/bands/*.bands scripts/lab/*.py scripts/report/*.py docs/*.md docs/*.tsv) \
    scripts/assay-lab scripts/assay-record scripts/assay-report scripts/assay-stick README.md CHANGELOG.md Makefile packaging/release.mk $(wildcard docs/samples/*) | setup-release
	$(Q)rm -rf build/deb; mkdir -p build/deb/tree; cp -r packaging/debian build/deb/tree/debian
	$(Q)packaging/debian-changelog $(RELEASED) $(SOURCE_DATE_EPOCH) > build/deb/tree/debian/changelog
	$(Q)cd build/deb/tree && MAKEFLAGS= SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) ASSAY_ROOT='$(CURDIR)' QEMU_API='$(QEMU_API)' debian/rules binary > ../log 2>&1 || { cat ../log >&2; exit 1; }
	$(Q)touch $@; ls build/deb/*.deb

release: build/assay.efi build/assay.img build/assay.iso build/deb/done
	$(Q)[[ "$(RELEASED)" == "$(VERSION)" || "$(SNAPSHOT)" == yes ]] || \
	    { echo "release: this is not v$(VERSION) without changes (git tag v$(VERSION)); SNAPSHOT=yes releases it as $(RELEASED)" >&2; exit 1; }
	$(Q)packaging/release-files '$(VERSION)' '$(RELEASED)' '$(SOURCE_DATE_EPOCH)' build/release
release-check: | setup-build setup-run setup-release ; $(Q)packaging/release-check
release-name: ; @echo '$(RELEASED)'
