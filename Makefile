# twinrig: `make help` lists what there is.
# MUJOCO_DIR=/path/to/mujoco (with include/ and lib/) overrides the pinned copy.

SHELL := /bin/bash
.DEFAULT_GOAL := help

DEPS := $(CURDIR)/.deps
export PATH := $(DEPS)/bin:$(DEPS)/go/bin:$(PATH)
ifdef MUJOCO_DIR
export MUJOCO_DIR
export CGO_CFLAGS := -O2 -I$(MUJOCO_DIR)/include
endif

GOFUMPT := mvdan.cc/gofumpt@v0.12.0
GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
DEMO_FLAGS ?=

.PHONY: help setup build demo test race lint fmt bench

help: ## list the targets
	@awk -F':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install what the build needs: Debian packages (apt), Go if missing, MuJoCo's pinned wheel
	@scripts/setup.sh

build: setup ## compile bin/twinrig
	@echo "build: compiling bin/twinrig"
	@go build -o bin/twinrig ./cmd/twinrig

demo: build ## a whole small study on the virtual rig, no robot needed, then its report
	@bin/twinrig demo $(DEMO_FLAGS)

test: setup ## run all tests
	@scripts/testenv.sh
	@echo "test: go test ./..."
	@go test -timeout 14m ./...

race: setup ## run all tests under the race detector (slow)
	@scripts/testenv.sh
	@go test -race -timeout 30m ./...

lint: setup $(DEPS)/bin/golangci-lint $(DEPS)/bin/gofumpt ## check format, vet, linters, go.mod
	@echo "lint: gofumpt"; bad=$$(gofumpt -l .); [ -z "$$bad" ] || { echo "not formatted (make fmt): $$bad"; exit 1; }
	@echo "lint: go mod tidy"; go mod tidy -diff
	@echo "lint: golangci-lint"; golangci-lint run ./...

fmt: setup $(DEPS)/bin/gofumpt ## format the code
	@gofumpt -w .

bench: build ## speed: each figure beside the limit or peer it is measured against
	@scripts/bench.sh

$(DEPS)/bin/golangci-lint:
	@echo "lint: building golangci-lint once (some minutes)"
	@GOBIN=$(DEPS)/bin go install $(GOLANGCI)

$(DEPS)/bin/gofumpt:
	@GOBIN=$(DEPS)/bin go install $(GOFUMPT)
