# gradsync. Every target for users is also a command of the one binary, for
# machines without make: `go run ./experiments/gradsync --help`.
.DEFAULT_GOAL := help

# No C compiler is needed for anything but the race detector.
export CGO_ENABLED ?= 0

PROFILE ?= quick
SEEDS ?= 0,1,2
OUT ?= out
RESULTS ?= experiments/results
ADDR ?= 127.0.0.1:8080
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
# What has experiments, in the order in which it runs: the documents, then all methods beside each other.
PAPERS := dasp ring ringsparse codedsgd compare
# Committed results of ci and quick are those of the embedded images, all are of engine asm, whatever this machine has.
EMBEDDED := env -u GRADSYNC_DATA XDG_CACHE_HOME=$(CURDIR)/out/no-cache
BIN := bin/gradsync$(shell go env GOEXE)

.PHONY: help build test test-long lint race verify reproduce-dasp reproduce-ring reproduce-ringsparse reproduce-codedsgd reproduce-compare reproduce-all reports reports-check playground serve calibrate bench benchmarks lab-ring cross ci-check ci-results publish clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-20s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

# go build decides what is stale; the line is for the first, silent minutes.
build: ## build bin/gradsync
	@test -e $(BIN) || echo "building (once, 1 to 2 min)"
	@go build -o $(BIN) ./experiments/gradsync

# lint has run go vet, so go test need not.
test: lint ## style, import rules, all tests, race tests where there is a C compiler
	@{ command -v chromium || command -v chromium-browser || command -v google-chrome || command -v google-chrome-stable; } >/dev/null || \
	  echo "tests of the pages in a browser skipped: there is no Chromium on PATH"
	go test -vet=off -timeout 18m ./...
	@$(MAKE) --no-print-directory race

test-long: ## the same tests with the slow ones: full models, profile quick
	GRADSYNC_LONG=1 go test -timeout 60m ./...

lint: ## gofmt, go vet, import rules, staticcheck
	@bad=$$(gofmt -l .ci datasets experiments internal papers reports shared); \
	  if [ -n "$$bad" ]; then echo "not formatted by gofmt:"; echo "$$bad"; exit 1; fi
	go vet ./...
	go run -modfile=.ci/tools.mod .ci/depguard/main.go ./...
	go run -modfile=.ci/tools.mod honnef.co/go/tools/cmd/staticcheck -checks 'inherit,-ST*' ./...

race: ## race tests of the cluster, the papers and the threads of engine asm; needs gcc
	@if command -v $${CC:-gcc} >/dev/null 2>&1; then \
	  echo "CGO_ENABLED=1 go test -race -vet=off ./shared/cluster/... ./papers/... ./shared/tensor/engine/asm"; \
	  CGO_ENABLED=1 go test -race -vet=off ./shared/cluster/... ./papers/... ./shared/tensor/engine/asm; \
	else echo "race tests skipped: the race detector needs a C compiler and there is no $${CC:-gcc}"; fi

verify: build ## check the implemented formulas against counts and exact rationals
	@$(BIN) verify

# $(1): what to run. The pages are of all results below OUT.
define reproduce
	@$(BIN) run $(1) --profile $(PROFILE) --seeds $(SEEDS) --out $(OUT)/results
	@$(BIN) report --results $(OUT)/results --out $(OUT)/html
endef

reproduce-dasp: build ## run the DASP experiments and render the page (PROFILE, SEEDS, OUT)
	$(call reproduce,dasp)

reproduce-ring: build ## run the experiments of the blog on the ring and render the page (PROFILE, SEEDS, OUT)
	$(call reproduce,ring)

reproduce-ringsparse: build ## run the experiments of the patent and render the page (PROFILE, SEEDS, OUT)
	$(call reproduce,ringsparse)

reproduce-codedsgd: build ## run the experiments of coded SGD and render the page (PROFILE, SEEDS, OUT)
	$(call reproduce,codedsgd)

reproduce-compare: build ## set all methods beside each other and render the page that says which to use (PROFILE, SEEDS, OUT)
	$(call reproduce,compare)

reproduce-all: build ## run the experiments of all documents, then the comparison, and render the pages (PROFILE, SEEDS, OUT)
	$(call reproduce,$(PAPERS))

reports: build ## render the committed results to reports/html, the README's table and the published hashes
	@$(BIN) report --results experiments/results --out reports/html
	@go run ./internal/readme/update

playground: ## maintainers: build the playground's module (WebAssembly)
	@go generate ./reports/playground

reports-check: build ## render the committed results anew and compare with the committed pages byte by byte
	@$(BIN) reports-check

# Below OUT, so that serving leaves the committed pages alone.
serve: build ## serve the pages of RESULTS (the committed ones) and render them when a result changes (ADDR)
	@$(BIN) serve --results $(RESULTS) --dir $(OUT)/serve --addr $(ADDR)

calibrate: build ## measure what compressing costs on this machine; write OUT/calibrated.json, a platform for train --platform
	@mkdir -p $(OUT)
	@$(BIN) calibrate --out $(OUT)/calibrated.json

bench: build ## messages, training steps, products and codecs of this machine beside their peers
	@$(BIN) bench cluster
	@$(BIN) bench step
	@$(BIN) bench gemm
	@$(BIN) bench vec
	@$(BIN) bench coded

benchmarks: build ## measure all cases (some 10 to 20 min) and write BENCHMARKS.md
	@$(BIN) bench report --out BENCHMARKS.md

lab-ring: build ## real rings between network namespaces beside virtual time (root, iproute2; else it says why not)
	@$(BIN) lab ring

cross: ## build for Linux, macOS and Windows on amd64 and arm64
	@set -e; for p in $(PLATFORMS); do \
	  echo "GOOS=$${p%/*} GOARCH=$${p#*/} go build ./..."; \
	  GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0 go build ./...; done

ci-check: build ## rerun profile ci on the embedded data; compare with the committed results byte by byte
	@.ci/compare $(BIN)

ci-results: build ## maintainers: renew the committed results of profile ci
	@$(EMBEDDED) $(BIN) run $(PAPERS) --profile ci --seeds 0 --engine asm --out experiments/results

publish: build ## maintainers: renew the committed results of PROFILE and all pages (quick: embedded images; others: real data)
	@$(if $(filter quick,$(PROFILE)),$(EMBEDDED)) $(BIN) run $(PAPERS) --profile $(PROFILE) --seeds $(SEEDS) --engine asm --out experiments/results
	@$(MAKE) --no-print-directory reports

clean: ## remove what was built and run here (bin/, out/)
	rm -rf bin out
