package ladder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/loadgen/httptarget"
	"github.com/cadence-bench/cadence-bench/results"
)

// Externals are the servers of a sweep and how they are asked, all alike.
type Externals struct {
	Targets []spec.External
	API     httptarget.API
	// TargetModel is the model that requests name; empty names the first one that
	// the server lists.
	TargetModel string
	// HideLength keeps scripted lengths from the servers: see httptarget.Closed.
	HideLength bool
	// TokenIDs sends prompts as token ids of the embedded model.
	TokenIDs bool
	// SharedCache leaves prompts as they are on the tape. Otherwise each cell's
	// prompts begin with a mark of its own, so that a server that stays up between
	// cells has nothing of earlier ones in its prefix cache.
	SharedCache bool
}

// noRungs in place of the rungs' names measures no embedded engine.
const noRungs = "none"

// targetName is what cells' files can be called after.
var targetName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)

// parseTarget reads NAME=URL, or a URL, which is called after its host and port.
func parseTarget(s string) (spec.External, error) {
	name, address, named := strings.Cut(s, "=")
	if !named || strings.Contains(name, "/") {
		name, address = "", s
	}
	url, err := httptarget.ParseURL(address)
	if err != nil {
		return spec.External{}, err
	}
	if name == "" && !named {
		_, host, _ := strings.Cut(url, "://")
		name = strings.ToLower(strings.NewReplacer(":", "-", "/", "-", "[", "", "]", "").Replace(host))
	}
	if !targetName.MatchString(name) {
		return spec.External{}, fmt.Errorf("%q is not a name; give lower-case letters, digits, dots, dashes and underscores, as in vllm=%s", name, url)
	}
	return spec.External{Name: name, URL: url}, nil
}

// check says what is wrong with the servers that c names.
func (c *Config) checkTargets(embedded []spec.Rung) error {
	seen := map[string]bool{noRungs: true}
	for _, r := range c.rungs() {
		seen[r.Name] = true
	}
	for _, t := range c.Targets {
		if seen[t.Name] {
			return fmt.Errorf("--target: the name %q is taken; give another, as in other=%s", t.Name, t.URL)
		}
		seen[t.Name] = true
	}
	switch {
	case len(embedded) == 0 && len(c.Targets) == 0:
		return fmt.Errorf("--rungs %s: nothing is left to measure; give a --target", noRungs)
	case len(c.Targets) == 0:
		return nil
	case c.TokenIDs && c.API == httptarget.Chat:
		return errors.New("--token-ids: the chat API takes no token ids; choose --api completions or llama")
	case len(embedded) == 0 && (c.Rates == nil || c.SLO == 0):
		return fmt.Errorf("--rungs %s: without an embedded engine there is nothing to choose from; give --rates and --slo", noRungs)
	}
	_, err := httptarget.ParseAPI(string(c.API))
	if err != nil {
		return fmt.Errorf("--api: %w", err)
	}
	return nil
}

// rungs returns the servers as rungs.
func (e *Externals) rungs() []spec.Rung {
	var rungs []spec.Rung
	for i := range e.Targets {
		rungs = append(rungs, spec.Rung{Name: e.Targets[i].Name, Adds: "another server", External: &e.Targets[i]})
	}
	return rungs
}

// NeedsEngine says whether there is anything for the embedded engine to do: a rung to
// serve, or prompts to tokenise.
func (c *Config) NeedsEngine() bool {
	return len(c.Rungs) != 1 || c.Rungs[0] != noRungs || c.TokenIDs
}

// embedded returns the rungs that are no servers.
func embedded(rungs []spec.Rung) []spec.Rung {
	return slices.DeleteFunc(slices.Clone(rungs), func(r spec.Rung) bool { return r.External != nil })
}

// ending is who ends a server's answers.
func (c *Config) ending() httptarget.Ending {
	switch {
	case c.Stop == cell.StopModel:
		return httptarget.ByModel
	case c.Stop == cell.StopNever:
		return httptarget.ByLimit
	case c.HideLength:
		return httptarget.Closed
	}
	return httptarget.Told
}

// patience is how long a server may take for the few tokens that show that it is
// there.
func (c *Config) patience() time.Duration { return max(c.Timeout, time.Minute) }

// server returns how a server is asked. facts may be the zero one.
func (c *Config) server(t spec.External, key string, models []string) httptarget.Config {
	model := c.TargetModel
	if model == "" && len(models) > 0 {
		model = models[0]
	}
	return httptarget.Config{URL: t.URL, API: c.API, Model: model, Key: key, Ending: c.ending(), Temperature: c.Temperature}
}

// meet asks every server what it is and for a short answer.
func (s *Sweep) meet(ctx context.Context, cfg Config) ([]results.Target, error) {
	var all []results.Target
	for _, t := range cfg.Targets {
		ctx, cancel := context.WithTimeoutCause(ctx, cfg.patience(), fmt.Errorf("nothing within %v", cfg.patience()))
		defer cancel()
		facts, err := httptarget.Describe(ctx, cfg.server(t, s.TargetKey, nil))
		if err == nil && cfg.TargetModel != "" && len(facts.Models) > 0 && !slices.Contains(facts.Models, cfg.TargetModel) {
			return nil, fault.Input.Errorf("--target-model: %s has no model %q; it has %s", t.Name, cfg.TargetModel, strings.Join(facts.Models, ", "))
		}
		if err == nil {
			err = httptarget.Try(ctx, cfg.server(t, s.TargetKey, facts.Models), cell.Greeting(t.Name))
		}
		if err != nil {
			if context.Cause(ctx) == context.Canceled {
				return nil, context.Canceled
			}
			return nil, fault.Engine.Errorf("target not usable: %s: %w", t.Name, err)
		}
		all = append(all, results.Target{
			Name: t.Name, URL: t.URL, API: string(cfg.API), Model: cfg.server(t, "", facts.Models).Model,
			Server: facts.Server, Models: facts.Models, File: facts.File, Slots: facts.Slots, Context: facts.Context,
		})
	}
	return all, nil
}

// Outside is a server alone, for whoever asks it by other than a ladder: its first target.
func (c *Config) Outside(ctx context.Context, key string) (cell.Server, results.Target, error) {
	s := Sweep{TargetKey: key}
	facts, err := s.meet(ctx, *c)
	if err != nil {
		return cell.Server{}, results.Target{}, err
	}
	return cell.Server{Config: c.server(c.Targets[0], key, facts[0].Models), Patience: c.patience()}, facts[0], nil
}

// OutsideOf is the configuration of one server, as --target and --api name it.
func OutsideOf(target, api, model string) (c Config, err error) {
	t, err := parseTarget(target)
	if err != nil {
		return c, fmt.Errorf("--target: %w", err)
	}
	c.Targets, c.TargetModel, c.Stop = []spec.External{t}, model, cell.StopScripted
	if c.API, err = httptarget.ParseAPI(api); err != nil {
		return c, fmt.Errorf("--api: %w", err)
	}
	return c, nil
}

// markOf is the word by which the prompts of one cell differ from those of all
// others, on this day and on others.
func markOf(key results.Key, started time.Time) string {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%s %d", key.Name(), started.UnixNano())))
	return "[cell " + hex.EncodeToString(sum[:4]) + "]"
}

// params returns the servers' part of a configuration by documented name; there is
// none without servers.
func (e *Externals) params(p map[string]string) {
	if len(e.Targets) == 0 {
		return
	}
	var targets []string
	for _, t := range e.Targets {
		targets = append(targets, t.Name+"="+t.URL)
	}
	p["targets"], p["api"], p["target_model"] = strings.Join(targets, " "), string(e.API), e.TargetModel
	p["target_hide_length"], p["target_shared_cache"] = strconv.FormatBool(e.HideLength), strconv.FormatBool(e.SharedCache)
	p["token_ids"] = strconv.FormatBool(e.TokenIDs)
}

// externalsOf reads what params wrote.
func externalsOf(p map[string]string) (Externals, error) {
	e := Externals{API: httptarget.API(p["api"]), TargetModel: p["target_model"],
		HideLength: p["target_hide_length"] == "true", SharedCache: p["target_shared_cache"] == "true", TokenIDs: p["token_ids"] == "true"}
	for word := range strings.FieldsSeq(p["targets"]) {
		t, err := parseTarget(word)
		if err != nil {
			return e, fmt.Errorf("parameter %q: %w", "targets", err)
		}
		e.Targets = append(e.Targets, t)
	}
	return e, nil
}
