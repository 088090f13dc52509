package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/loadgen/httptarget"
)

// keyVariable is where a key for servers is read. A flag would be kept with the
// command line, and shown to everybody on the machine.
const keyVariable = "CADENCE_API_KEY"

// targetFlags are the flags about servers as they were written.
type targetFlags struct {
	urls                  []string
	api, model, length    string
	tokenIDs, sharedCache bool
}

func (f *targetFlags) bind(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.urls, "target", nil, "a server to measure as a further rung, as NAME=URL; may be repeated")
	flags.StringVar(&f.api, "api", string(httptarget.Chat), "what the targets speak: chat, completions or llama (llama-server's own)")
	flags.StringVar(&f.model, "target-model", "", "model that requests to the targets name (default the first that each lists)")
	flags.StringVar(&f.length, "target-length", "told", "scripted answer lengths: told (the target is asked for that many tokens) or hidden (the client closes the connection there)")
	flags.BoolVar(&f.tokenIDs, "token-ids", false, "send the targets token ids of --model instead of text (completions and llama)")
	flags.BoolVar(&f.sharedCache, "target-shared-cache", false, "send prompts as they are on the tape, though a target may have them cached from an earlier cell")
}

// resolve reads the flags.
func (f *targetFlags) resolve() (ladder.Externals, error) {
	e := ladder.Externals{TargetModel: f.model, TokenIDs: f.tokenIDs, SharedCache: f.sharedCache}
	for _, url := range f.urls {
		t, err := ladder.ParseTarget(url)
		if err != nil {
			return e, fmt.Errorf("--target: %w", err)
		}
		e.Targets = append(e.Targets, t)
	}
	var err error
	if e.API, err = httptarget.ParseAPI(f.api); err != nil {
		return e, fmt.Errorf("--api: %w", err)
	}
	switch f.length {
	case "told":
	case "hidden":
		e.HideLength = true
	default:
		return e, fmt.Errorf("--target-length: unknown value %q; choose told or hidden", f.length)
	}
	return e, nil
}
