# Two commands do everything on a fresh machine: `make ladder` and `make test`.

CACHE  ?= $(CURDIR)/.cache/cadence-bench
PRESET ?= quick
BIN    := bin/cadence-bench
export CADENCE_CACHE := $(CACHE)

SOURCES := $(shell find . -name '*.go' -not -name '*_test.go' -not -path './.cache/*') $(shell find loadgen/text -type f) go.mod go.sum

.PHONY: ladder test build engine model check bench fuzz clean

# The main job: the ladder on the embedded engine, measured and reported.
ladder: build engine model
	$(BIN) ladder --preset $(PRESET)
	$(BIN) report

build: $(BIN)
$(BIN): $(SOURCES)
	go build -buildvcs=auto -o $@ ./cmd/cadence-bench

engine: build
	$(BIN) engine install

model: build
	$(BIN) model synth

# The linters, then every test, the real engine included.
test: build engine model check
	CADENCE_REQUIRE_ENGINE=1 go tool gotestsum --format pkgname --hide-summary skipped -- -timeout 20m ./...

check:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo 'gofmt: run gofmt -w on the files above'; exit 1; }
	go vet ./...
	go tool staticcheck ./...

clean:
	rm -rf bin
