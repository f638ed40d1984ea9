# gradsync. Every target is a command of the one binary, which says what each step runs; without make:
# `go run ./experiments/gradsync --help`. The steps themselves are in experiments/cli/dev.
.DEFAULT_GOAL := help

# No C compiler is needed for anything but the race detector.
export CGO_ENABLED ?= 0

PROFILE ?= quick
# The seeds of every experiment; empty: each one's own.
SEEDS ?=
OUT ?= out
RESULTS ?= experiments/results
ADDR ?= 127.0.0.1:8080
PLATFORMS ?= linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64
BIN := bin/gradsync$(shell go env GOEXE)
RUN := --profile $(PROFILE) $(if $(SEEDS),--seeds $(SEEDS))

.PHONY: help build check test test-long lint race soak verify reproduce-dasp reproduce-ring reproduce-ringsparse reproduce-codedsgd reproduce-compare reproduce-all reports reports-check playground serve calibrate bench benchmarks bench-check lab gpu-cu gpu-mutants cross gpu-bundle ci-check ci-results publish release clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-20s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

# go build decides what is stale; the line is for the first, silent minutes. Without the debugger's tables the binary is a
# quarter smaller; stack traces and profiles do not need them.
build: ## build bin/gradsync
	@test -e $(BIN) || echo "building (once, 1 to 2 min)"
	@go build -ldflags='-s -w' -o $(BIN) ./experiments/gradsync

verify: build ## check the implemented formulas against counts and exact rationals
	@$(BIN) verify

# These are commands of the same name, below gradsync dev.
check: build ## the loop, a minute: build, go vet, import rules, every quick test
test: build ## style, import rules, all tests, race tests where there is a C compiler
test-long: build ## the same tests with the slow ones: full models, profile quick, all looks of all pages; all of a GPU under the race detector
lint: build ## gofmt, go vet, import rules, staticcheck
race: build ## race tests of the cluster, the papers, the threads of engine asm and the GPU's drivers; needs gcc
soak: build ## maintainers: run the tests on machines unlike this one (an hour or two), into .ci/soak/ledger.csv
reports: build ## render the committed results to reports/html, the README's table and the published hashes
reports-check: build ## render the committed results anew and compare with the committed pages byte by byte
ci-check: build ## rerun profile ci on the embedded data; compare with the committed results byte by byte
ci-results: build ## maintainers: renew the committed results of profile ci
check test test-long lint race soak reports reports-check ci-check ci-results:
	@$(BIN) dev $@

reproduce-dasp: build ## run the DASP experiments and render the page (PROFILE, SEEDS, OUT)
reproduce-ring: build ## run the experiments of the blog on the ring and render the page (PROFILE, SEEDS, OUT)
reproduce-ringsparse: build ## run the experiments of the patent and render the page (PROFILE, SEEDS, OUT)
reproduce-codedsgd: build ## run the experiments of coded SGD and render the page (PROFILE, SEEDS, OUT)
reproduce-compare: build ## set all methods beside each other and render the page that says which to use (PROFILE, SEEDS, OUT)
reproduce-all: build ## run the experiments of all documents, then the comparison, and render the pages (PROFILE, SEEDS, OUT)
reproduce-dasp reproduce-ring reproduce-ringsparse reproduce-codedsgd reproduce-compare reproduce-all:
	@$(BIN) $@ $(RUN) --out $(OUT)

publish: build ## maintainers: renew the committed results of PROFILE and all pages (quick: embedded images; others: real data)
	@$(BIN) dev publish $(RUN)

cross: build ## build for Linux, macOS and Windows on amd64 and arm64 (PLATFORMS)
	@$(BIN) dev cross --platforms $(PLATFORMS)

release: build ## build the binaries of six systems with their checksums below OUT/release (PLATFORMS)
	@$(BIN) dev release --platforms $(PLATFORMS) --out $(OUT)/release

playground: ## maintainers: build the playground's module (WebAssembly)
	@go generate ./reports/playground

# Below OUT, so that serving leaves the committed pages alone.
serve: build ## serve the pages of RESULTS (the committed ones) and render them when a result changes (ADDR)
	@$(BIN) serve --results $(RESULTS) --dir $(OUT)/serve --addr $(ADDR)

calibrate: build ## measure what compressing costs on this machine; write OUT/calibrated.json, a platform for train --platform
	@mkdir -p $(OUT)
	@$(BIN) calibrate --out $(OUT)/calibrated.json

bench: build ## messages, training steps, products, codecs and pushes of this machine beside their peers
	@$(BIN) bench messages step product codec coded push

benchmarks: build ## measure everything (some 40 min, leave the machine alone), write BENCHMARKS.json and, of it, BENCHMARKS.md
	@$(BIN) bench report

bench-check: build ## measure again in short (some 10 min) and name the ratios that fell by more than a quarter
	@$(BIN) bench check

lab: build ## train between network namespaces, beside virtual time (root, iproute2; else it says why not)
	@$(BIN) lab

gpu-cu: ## build with gorgonia.org/cu and run the suites of drivers and engines on the fake driver; needs g++, fetches headers once
	@.ci/gpu-cu

gpu-mutants: ## plant mistakes into the GPU's kernels: who finds them, and why (two minutes); needs clang-19, for the fake driver g++
	@GRADSYNC_LONG=1 go test -v -count=1 -vet=off -timeout 30m ./shared/gpu/mutants

gpu-bundle: build ## build the folder to take to a machine with a GPU and no Go (OUT/gpu): program, run.sh
	@$(BIN) dev gpu-bundle --out $(OUT)/gpu

clean: ## remove what was built and run here (bin/, out/)
	rm -rf bin out
