package machine

import (
	"io/fs"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/engine/streams"
	"github.com/cadence-bench/cadence-bench/engine/twin"
	"github.com/cadence-bench/cadence-bench/kv"
	"github.com/cadence-bench/cadence-bench/results"
)

// EngineSource identifies the engine that this program was compiled from: two
// runs with the same hash were scheduled and stepped by the same code.
func EngineSource() (string, error) {
	return results.SourceHash(map[string]fs.FS{
		"engine": engine.Source, "engine/clock": clock.Source, "engine/llamacpp": llamacpp.Source,
		"engine/streams": streams.Source, "engine/twin": twin.Source, "kv": kv.Source,
	})
}
