# Thin aliases; everything real is in CMakeLists.txt.
PRESET ?= release
BUILD  := build/$(PRESET)
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
SUDO   := $(if $(filter 0,$(shell id -u)),,sudo)

.PHONY: help deps configure build demo check test-one bench fmt docs install package wheel clean

help:
	@echo "make demo      install what is needed, build, run the examples and print a table"
	@echo "make check     the same, then run every test; ends with 'N passed, N failed'"
	@echo "make test-one T=test/Dialect/Tile/copy.mlir   run one lit test"
	@echo "make install PREFIX=/usr/local   programs, libraries, headers; make package: Debian packages and an archive"
	@echo "make bench     CPU benchmarks; make docs: reference from td and a site with a search; make fmt: clang-format"
	@echo "make wheel     the Python package with all that it needs, in $(BUILD)/wheel"

deps:
	@cmake/install-deps.sh

$(BUILD)/build.ninja: CMakeLists.txt CMakePresets.json | deps
	cmake --preset $(PRESET)

configure: $(BUILD)/build.ninja

build: deps configure
	cmake --build $(BUILD) -j $(JOBS)

demo: build
	@cmake --build $(BUILD) --target demo -- --quiet

check: build
	@cmake --build $(BUILD) --target check-tile-build -- --quiet
	@cmake/install-tvm-ffi.sh $(BUILD)/tvm-ffi
	@sh $(BUILD)/check-tile.sh

test-one: build
	/usr/lib/llvm-22/bin/lit -v $(BUILD)/test --filter '$(patsubst test/%,%,$(T))'

bench: build
	@cmake --build $(BUILD) --target bench -- --quiet

docs: build
	@cmake --build $(BUILD) --target tile-docs
	@cmake/install-mkdocs.sh $(BUILD)/mkdocs
	@python3 docs/site/make-site.py $(BUILD)/mkdocs/bin/mkdocs $(BUILD)
	@echo "the site is $(BUILD)/site/index.html"

install: build
	cmake --install $(BUILD) --prefix $(PREFIX)

package: build
	@cmake --build $(BUILD) --target tile-man tile-changelogs -- --quiet
	cd $(BUILD) && cpack -G DEB && cpack -G TXZ

wheel: build
	@cmake/build-wheel.sh $(BUILD)

fmt:
	git ls-files '*.cpp' '*.h' '*.c' | xargs clang-format -i

clean:
	rm -rf build
