# SPDX-License-Identifier: Apache-2.0
# The front door. What is behind it: CMake presets (dev, release, aarch64, asan, tsan, fuzz), ctest, scripts/.
.PHONY: kubernetes-cluster quickstart devices wheel image test check lint sanitize fuzz fuzz-results chaos bench docs clean setup setup-dev setup-tests dev-programs dev \
        release tested-toolchains tested-devices

# From a fresh clone to a table of results.
quickstart:
	@scripts/quickstart

# What aarch64 devices run, cross-built, for build/release/bin/ngb to deliver to them.
devices: release
	@scripts/setup devices
	scripts/devices release

# A wheel, a Debian package and a tarball for x86-64 and for aarch64, built by zig for glibc 2.28, each with what devices of both kinds
# need, and a wheel without programs for all other systems: build/package.
wheel:
	@scripts/setup wheel
	scripts/wheel-builds
	scripts/package build/wheel-x86_64
	scripts/package build/wheel-aarch64

# An image with the programs, the plugins and Python, for clusters: build/package/*.oci.tar. The plainest package will do.
image: release
	@scripts/setup image
	scripts/package build/release build/package 1
	scripts/image build/package/ngraphbench_*_$$(dpkg --print-architecture).deb

# Everything that ctest knows, with both tested versions of each compiler. Side by side, because installing and downloading
# mostly wait and the rest compiles. With PREPARED=1 they are there already.
test:
	@test -n "$(PREPARED)" || $(MAKE) -j3 dev setup-tests tested-toolchains tested-devices
	cmake --preset dev >/dev/null  # which sees what setup-tests has installed
	scripts/run-tests --preset dev $(CTEST_FLAGS)

# After a change: what tests the changed files' rooms, and the files' format and lint.
check:
	@scripts/check

# As soon as there is an ngb that can fetch them.
tested-toolchains: dev-programs
	scripts/toolchains build/dev/bin/ngb tested

tested-devices: setup-tests dev-programs
	scripts/devices dev

# clang-format, clang-tidy, shellcheck.
lint: setup-tests dev
	scripts/lint

# The unit tests under the address, undefined-behaviour and thread sanitizers.
sanitize: setup-tests
	cmake --preset asan && cmake --build --preset asan --target unit_tests
	ctest --test-dir build/asan/tests/unit --no-tests=error --output-on-failure
	cmake --preset tsan && cmake --build --preset tsan --target unit_tests
	ctest --test-dir build/tsan/tests/unit --no-tests=error --output-on-failure

# What comes from other machines, read wrong in every way: RUNS executions in all.
fuzz:
	@scripts/setup fuzz
	cmake --preset fuzz && cmake --build --preset fuzz
	scripts/fuzz $(or $(RUNS),10000000)

# Results files with hostile values in every column, by all that reads one: RUNS files, drawn by SEED.
# With LOG=FILE, what that file says was tried is not tried again.
fuzz-results: release setup-tests
	tests/fuzz/hostile_results.py --programs build/release/bin --databases $(or $(RUNS),10000) --seed $(or $(SEED),1) \
	  --python build/dependencies/python/bin/python --keep build/hostile $(if $(LOG),--log $(LOG))

# Small studies over two devices, each with one fault drawn at random: RUNS of them, drawn by SEED.
chaos: release
	tests/chaos/chaos.py --build build/release --runs $(or $(RUNS),200) $(if $(SEED),--seed $(SEED))

# Our own speed and size: docs/performance.md.
bench: release
	cmake --build --preset release
	scripts/toolchains build/release/bin/ngb tested
	scripts/bench

# A Kubernetes cluster that the tests of cluster.kubernetes then start: built once, outside of the checkout. Needs Go and root.
kubernetes-cluster:
	python3 examples/cluster/kubernetes_programs.py

# The documentation as a site: build/docs.
docs:
	@scripts/docs

clean:
	rm -rf build

setup:
	@scripts/setup

setup-dev:
	@scripts/setup dev

setup-tests: setup-dev
	@scripts/setup-more tests

dev-programs: setup-dev
	cmake --preset dev
	cmake --build --preset dev --target programs

dev: dev-programs
	cmake --build --preset dev

release: setup
	cmake --preset release
	cmake --build --preset release --target programs

