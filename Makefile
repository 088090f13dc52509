# Two commands do everything on a fresh machine: `make ladder` and `make test`.

CACHE  ?= $(CURDIR)/.cache/cadence-bench
PRESET ?= quick
BIN    := bin/cadence-bench
export CADENCE_CACHE := $(CACHE)

SOURCES := $(shell find . \( -name '*.go' -o -name '*.css' -o -name '*.js' -o -name '*.tmpl' -o -name '*.yaml' -o -name 'calibration.json' -o -name 'pins.txt' \) -not -name '*_test.go' -not -path './.cache/*') \
	$(shell find loadgen/text -type f) go.mod go.sum

ADMISSION := results/runs/admission
KEPT      := $(addprefix $(ADMISSION)/,constants floor step online warm)

.PHONY: ladder test build engine model gpu-check duckdb chromium check docs bench fuzz native published admission $(KEPT) proof steady clean

# The main job: the ladder on the embedded engine, measured and reported. Exit
# code 7 says that some cells are invalid, which the report then explains.
ladder: build engine model
	$(BIN) ladder --preset $(PRESET) || test $$? -eq 7
	$(BIN) report

# A checkout whose commit git does not tell, such as one of another owner, is built without
# it. Nothing else is said on the command line, which would beat GOFLAGS.
STAMP := $(shell git rev-parse HEAD >/dev/null 2>&1 || echo -buildvcs=false)

build: $(BIN)
$(BIN): $(SOURCES)
	go build $(STAMP) -trimpath -ldflags "-s -w" -o $@ ./cmd/cadence-bench

engine: build
	$(BIN) engine install

model: build
	$(BIN) model synth

# For a machine with a GPU: its libraries, where they put what they are asked to, and what
# that buys, in one JSON file; ten minutes at most. BACKEND=vulkan for other than NVIDIA's.
BACKEND ?= cuda
gpu-check: build
	$(BIN) engine install --backend $(BACKEND)
	$(BIN) --lib $(BACKEND) engine gpu-check --out gpu-check.json

# DuckDB, in which the tests run the queries of docs/schema.md: 70 MB, some seconds. Where
# npm cannot give it, these tests are skipped.
DUCKDB := 1.5.6-r.1
duckdb: $(CACHE)/duckdb/$(DUCKDB)
$(CACHE)/duckdb/$(DUCKDB):
	@mkdir -p $(CACHE)/duckdb
	@{ npm install --prefix $(CACHE)/duckdb --no-audit --no-fund --loglevel=error @duckdb/node-api@$(DUCKDB) && touch $@; } || \
		echo 'DuckDB is not installed: the queries of docs/schema.md are not tested'

# A browser for the tests of the HTML page: one that is there, else Debian's.
HAS_BROWSER := for b in "$$CADENCE_BROWSER" chromium chromium-browser google-chrome-stable google-chrome chrome headless-shell; do \
	command -v "$$b" >/dev/null 2>&1 && exit 0; done; exit 1
chromium:
	@($(HAS_BROWSER)) || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get -q update && \
		DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends chromium fonts-liberation; } || \
		echo 'no browser: the tests of the HTML page are skipped; apt-get install chromium (as root), or set CADENCE_BROWSER to one'

# The linters, then every test, the real engine included and, where there is one, a browser.
test: build engine model duckdb chromium check
	CADENCE_REQUIRE_BROWSER=$$( ($(HAS_BROWSER)) && echo 1) CADENCE_REQUIRE_ENGINE=1 go tool gotestsum --format pkgname --hide-summary skipped -- -timeout 20m ./...

check:
	@files=$$(find . -name '*.go' -not -path './.cache/*' | xargs gofmt -l) && test -z "$$files" || { echo "$$files"; echo 'gofmt: run gofmt -w on the files above'; exit 1; }
	go vet ./...
	go tool actionlint
	go tool staticcheck ./...
	go run ./internal/docgen/cmd -check

# What is generated in README.md and docs: tables, the map of packages, the page of commands.
docs:
	go run ./internal/docgen/cmd
	go test ./cmd/cadence-bench -run CommandsPage -rewrite

# The figures of docs/performance.md, on an otherwise idle machine. The second
# model has the shape of a 0.5B one.
BENCH := CADENCE_REQUIRE_ENGINE=1 go test -run XXX -timeout 30m
QWEN  := $(CACHE)/models/qwen2.5-0.5b-q4_0-s1.gguf
bench: engine model
	$(BIN) model synth --shape qwen2.5-0.5b
	mkdir -p results/runs/bench
	$(BENCH) ./kv -bench . -benchmem > results/runs/bench/kv.txt
	$(BENCH) ./cmd/cadence-bench -bench Simulate -benchtime 1x > results/runs/bench/twin.txt
	$(BENCH) ./cmd/cadence-bench -bench Report -benchtime 1x > results/runs/bench/analysis.txt
	$(BENCH) ./loadgen/httptarget -bench . -benchtime 1x > results/runs/bench/load.txt
	$(BENCH) ./engine -bench PlanCommit -benchmem > results/runs/bench/schedule.txt
	$(BENCH) ./admission/riskcontrol -bench Decide -benchmem > results/runs/bench/decision.txt
	$(BENCH) ./engine/llamacpp -bench 'StepHost|EngineHost' -benchtime 2s > results/runs/bench/host.txt
	CADENCE_MODEL=$(QWEN) $(BENCH) ./engine/llamacpp -bench 'StepHost|EngineHost' -benchtime 20x > results/runs/bench/host-qwen.txt
	$(BENCH) ./engine/llamacpp -bench AgainstBinding > results/runs/bench/binding.txt
	CADENCE_MODEL=$(QWEN) $(BENCH) ./engine/llamacpp -bench AgainstBinding > results/runs/bench/binding-qwen.txt
	$(BENCH) ./engine/llamacpp -bench Layout -benchtime 60x -args -threads 1 > results/runs/bench/layout-1.txt
	$(BENCH) ./engine/llamacpp -bench Layout -benchtime 60x -args -threads 2 > results/runs/bench/layout-2.txt
	$(BENCH) ./engine/llamacpp -bench ShareWait -benchtime 6x -args -threads 2 > results/runs/bench/share-wait.txt

# The simulated runs of docs/admission.md, in some minutes: the study of admission policies
# (21 of them, 7 rates around and far beyond the knee, 10 seeds) and smaller ones, of which
# the tables that are shown are kept. Every cell comes out the same, byte for byte, as the
# hashes in the journals say.
SEEDS     := 1,2,3,4,5,6,7,8,9,10
FRESH     := 31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50
LONG      := --seeds $(SEEDS) --duration 130s --warmup 10s --timeout 30s --slo 1.5s
SHORT     := --seeds $(SEEDS) --duration 16s --warmup 2s --timeout 15s --slo 2s --rates 2,3.5,5,8,14
STEP      := --seeds $(FRESH) --duration 160s --warmup 20s --timeout 20s --slo 2s --rates 23.6 --arrivals step:at=80s,to=20
STUDY     := --ladder $(ADMISSION)/study.yaml $(LONG) --rates 0.7,1.6,2.3,3.5,7,12,23
constants := --ladder $(ADMISSION)/constants.yaml $(LONG) --rates 0.7,1.6,2.3,3.5,7,12,23
floor     := --ladder $(ADMISSION)/floor.yaml $(LONG) --rates 7,23
step      := --twin-noise --rungs conformal-95 $(STEP)
online    := --ladder $(ADMISSION)/starts.yaml $(SHORT)
warm      := $(online) --admission-artifact $(ADMISSION)/fit/artifact.json
SHOWN     := cells.csv admission.md admission-lengths.md arms.md arms-kept.md
admission: build
	rm -rf $(ADMISSION)/study
	$(BIN) ladder --engine twin $(STUDY) --out $(ADMISSION)/study || test $$? -eq 7
	$(BIN) report $(ADMISSION)/study
	$(MAKE) $(KEPT)
$(KEPT): $(ADMISSION)/%: build
	rm -rf runs/admission/$* $@
	$(BIN) ladder --engine twin $($*) --out runs/admission/$* || test $$? -eq 7
	$(BIN) report runs/admission/$*
	mkdir -p $@/tables
	cp runs/admission/$*/manifest.json runs/admission/$*/journal.jsonl $@
	cp $(addprefix runs/admission/$*/tables/,$(SHOWN)) $@/tables

# What a native build of the engine buys on this machine, which should do nothing else.
native: build
	$(BIN) engine build
	mkdir -p results/runs/native
	$(BIN) engine check --compare --shape cadence-30m > results/runs/native/rates.txt
	$(BIN) engine check --compare --shape qwen2.5-0.5b --types Q4_0 --rounds 3 >> results/runs/native/rates.txt

# The ladder on machines of which others published the costs, simulated, in some seconds:
# the grid of the predecessor on its own machine, and an accelerator.
PUBLISHED        := results/runs/published
cadence-m-series := --preset cadence --kv-cells 16384
a100-llama-2-7b  := --rates 0.5,1,2,4,8,16,32 --slo 4s --seeds 0,1,2 --duration 180s --warmup 25s --timeout 300s
published: $(PUBLISHED)/cadence-m-series $(PUBLISHED)/a100-llama-2-7b
$(PUBLISHED)/%: build
	rm -rf runs/published/$* $@
	$(BIN) ladder --engine twin --calibration $* $($*) --out runs/published/$* || test $$? -eq 7
	$(BIN) report runs/published/$*
	mkdir -p $@/tables
	cp runs/published/$*/manifest.json runs/published/$*/journal.jsonl $@
	cp runs/published/$*/tables/knees.md $@/tables

# What is kept of the gate's proof that it catches mistakes; a test makes it again.
proof: build
	$(BIN) gate --prove --format markdown > results/runs/gate/proof.md

# Twenty gates in a row: each must pass, with the same bytes, whatever else the machine does.
steady: build
	@mkdir -p runs/steady
	@for i in $$(seq 20); do $(BIN) gate > runs/steady/$$i && cmp runs/steady/1 runs/steady/$$i || exit; done
	@echo '20 gates passed, with the same bytes'

# Long runs of the differential tests. Each prints what it went through; the engine's
# simulates some thirty million steps on the twin.
fuzz:
	go test ./kv ./engine -v -run 'Differential|^TestServe$$' -timeout 60m -args -sequences 100000
	go test ./engine/twin -v -run Differential -timeout 60m -args -sequences 5000

clean:
	rm -rf bin
