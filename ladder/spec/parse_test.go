package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/engine"
)

// one is a ladder of one rung, which ends with the given lines.
func one(lines string) string {
	return "name: mine\ndescription: a test\nrungs:\n  - name: low\n    adds: the baseline\n" + lines
}

// two adds a rung in line 6 to a first one.
func two(lines string) string { return one("  - name: high\n    adds: something\n" + lines) }

func TestErrorsNameTheLine(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":             {"", "f.yaml:1: the file says nothing"},
		"only a comment":      {"# soon\n", "f.yaml:1: the file says nothing"},
		"a text":              {"cadence", `f.yaml:1: a ladder is "cadence"; give its keys (name, description, rungs)`},
		"a list":              {"- a\n", "f.yaml:1: a ladder is a list"},
		"not YAML":            {"name: mine\nrungs: [\n", "f.yaml:2: not YAML: "},
		"binary":              {"GGUF\x00\x01", "f.yaml: not YAML: control characters are not allowed"},
		"two ladders":         {one("") + "---\nname: b\n", "f.yaml:6: a second document begins here"},
		"unknown key":         {"nam: mine\n", `f.yaml:1: a ladder has no key "nam": did you mean "name"?`},
		"no name":             {"description: x\nrungs: []\n", "f.yaml:1: the ladder has no name"},
		"bad name":            {"name: My Ladder\ndescription: x\n", `f.yaml:1: "My Ladder" is not a name; give lower-case letters`},
		"number as a name":    {"name: 12\n", "f.yaml:1: name is not a text but 12; put it into quotes"},
		"no description":      {"name: a\nrungs: []\n", "f.yaml:1: the ladder has no description"},
		"empty description":   {"name: a\ndescription:\n", "f.yaml:2: description is empty"},
		"blank description":   {"name: a\ndescription: ' '\n", "f.yaml:2: description must be a printable text"},
		"no rungs":            {"name: a\ndescription: b\n", "f.yaml:1: the ladder has no rungs"},
		"empty rungs":         {"name: a\ndescription: b\nrungs: []\n", "f.yaml:3: rungs is a list; give them as a list"},
		"rung is a name":      {"name: a\ndescription: b\nrungs:\n- fifo\n", `f.yaml:4: a rung is "fifo"`},
		"rung without adds":   {"name: a\ndescription: b\nrungs:\n- name: low\n", `f.yaml:4: rung "low" has no adds`},
		"rung called none":    {"name: a\ndescription: b\nrungs:\n- name: none\n", `f.yaml:4: the name "none" is taken`},
		"all optional":        {one("    optional: true\n"), "f.yaml:3: every rung is optional"},
		"optional perhaps":    {one("    optional: perhaps\n"), `f.yaml:6: optional is "perhaps"; give true or false`},
		"duplicate rung":      {one("  - name: low\n    adds: again\n"), `f.yaml:6: rung "low" is there twice (first in line 4)`},
		"duplicate key":       {one("    kv:\n      paged: true\n      paged: false\n"), `f.yaml:8: rung "low"'s kv has paged twice (first in line 7)`},
		"setting of none":     {one("    schedular:\n"), `f.yaml:6: a rung has no key "schedular": did you mean "scheduler"?`},
		"misspelt setting":    {one("    scheduler:\n      max_bach: 8\n"), `f.yaml:7: rung "low"'s scheduler has no key "max_bach": did you mean "max_batch"?`},
		"setting elsewhere":   {one("    scheduler:\n      paged: true\n"), `f.yaml:7: rung "low"'s scheduler has no key "paged": it belongs under kv`},
		"setting on the rung": {one("    max_batch: 8\n"), `f.yaml:6: a rung has no key "max_batch": it belongs under scheduler`},
		"empty section":       {one("    kv:\n"), `f.yaml:6: rung "low"'s kv is empty`},
		"not a number":        {one("    scheduler:\n      max_batch: many\n"), `f.yaml:7: max_batch is "many"; give a whole number from 0 to 4096`},
		"negative":            {one("    scheduler:\n      max_batch: -1\n"), `f.yaml:7: max_batch is "-1"; give a whole number`},
		"fraction":            {one("    scheduler:\n      max_batch: 1.5\n"), `f.yaml:7: max_batch is "1.5"`},
		"quoted number":       {one("    scheduler:\n      max_batch: '8'\n"), `f.yaml:7: max_batch is "8"; give a whole number`},
		"absurd number":       {one("    scheduler:\n      max_batch: 1000000000000\n"), "give a whole number from 0 to 4096"},
		"list as a number":    {one("    scheduler:\n      max_batch: [8]\n"), "f.yaml:7: max_batch is a list; give one value"},
		"duration of no unit": {one("    scheduler:\n      fill_wait: 50\n"), `f.yaml:7: fill_wait is "50"; give a duration from 0s to 24h0m0s with its unit, such as 50ms`},
		"share above 1":       {one("    kv:\n      paged: true\n      optimism: 50\n"), `f.yaml:8: optimism is "50"; give a share from 0 to 1`},
		"share not a number":  {one("    kv:\n      paged: true\n      optimism: .nan\n"), `f.yaml:8: optimism is ".nan"`},
		"yes":                 {one("    kv:\n      paged: yes\n"), `f.yaml:7: paged is "yes"; give true or false`},
		"unknown order":       {one("    scheduler:\n      order: efd\n"), `f.yaml:7: order is "efd": `},
		"floors as a number":  {one("    scheduler:\n      floors: 0.3\n"), "f.yaml:7: floors is \"0.3\"; give a share for each class"},
		"floor of nothing":    {one("    scheduler:\n      floors: {shared: 0}\n"), `f.yaml:7: the floor of class "shared" is "0"`},
		"two floors":          {one("    scheduler:\n      floors: {a: 0.1, a: 0.2}\n"), `f.yaml:7: class "a" has two floors`},
		"floors above 1":      {one("    scheduler:\n      floors: {a: 0.6, b: 0.6}\n"), `f.yaml:7: rung "low": the floors add up to 1.2, must be at most 1`},
		"alias":               {two("    scheduler: &s\n      max_batch: 8\n    kv: *s\n"), `f.yaml:10: rung "high"'s kv is an alias (rungs inherit by from: RUNG)`},

		"policy of none":      {one("    admission:\n"), `f.yaml:6: rung "low"'s admission is empty; give its policy`},
		"admission as a text": {one("    admission: none\n"), `f.yaml:6: rung "low"'s admission is "none"`},
		"no policy":           {one("    admission: {limit: 3}\n"), `f.yaml:6: rung "low"'s admission has no policy; choose from none`},
		"misspelt policy":     {one("    admission:\n      policy: inflight-cup\n"), `f.yaml:7: rung "low": there is no admission policy "inflight-cup": did you mean "inflight-cap"?`},
		"policy of a number":  {one("    admission:\n      policy: 12\n"), "f.yaml:7: policy is not a text but 12"},
		"foreign parameter":   {one("    admission:\n      policy: inflight-cap\n      rate: 3\n"), `f.yaml:8: rung "low"'s admission (policy inflight-cap) has no key "rate": choose from policy, predictor, score, limit`},
		"parameter too small": {one("    admission:\n      policy: token-bucket\n      rate: -3\n"), `f.yaml:8: rate is "-3"; give a number from 0.001 to 10000 (1/s)`},
		"parameter of words":  {one("    admission:\n      policy: codel\n      target: soon\n"), `f.yaml:8: target is "soon"; give a number from 0.0001 to 3600 in seconds, or a duration such as 50ms`},
		"parameter twice":     {one("    admission:\n      policy: codel\n      target: 1\n      target: 2\n"), `has target twice (first in line 8)`},

		"from nothing":     {one("    from: fifo\n"), `f.yaml:6: rung "low": from: there is no rung "fifo": no rung stands before this one`},
		"from a misspelt":  {two("    from: lwo\n"), `f.yaml:8: rung "high": from: there is no rung "lwo"`},
		"from above":       {one("    from: high\n  - name: high\n    adds: x\n"), `f.yaml:6: rung "low": from: "high" stands in line 7; a rung inherits from one before it`},
		"from itself":      {two("    from: high\n"), `f.yaml:8: rung "high": from: "high" stands in line 6`},
		"from two of them": {two("    from: [low]\n"), "f.yaml:8: from is a list; give a text"},

		"batch of nobody":      {one("    scheduler:\n      max_batch: 0\n"), `f.yaml:7: rung "low": max_batch is 0`},
		"steps too short":      {one("    scheduler:\n      max_batch: 24\n      step_tokens: 8\n"), `f.yaml:8: rung "low": step_tokens is 8, but max_batch lets 24 sequences decode`},
		"prefill over a step":  {one("    scheduler:\n      prefill_tokens: 1024\n"), `f.yaml:7: rung "low": prefill_tokens is 1024, more than a step has (step_tokens is 512)`},
		"wait and refill":      {one("    scheduler:\n      fill_wait: 1s\n      refill: true\n"), `f.yaml:7: rung "low": fill_wait is 1s, but with refill nobody waits`},
		"inherited wait":       {one("    scheduler:\n      fill_wait: 1s\n  - name: high\n    adds: x\n    from: low\n    scheduler:\n      refill: true\n"), `f.yaml:8: rung "high": fill_wait is 1s`},
		"streak of none":       {one("    scheduler:\n      refill: true\n      decode_first: true\n      prefill_streak: 2\n"), `f.yaml:9: rung "low": prefill_streak bounds prompts that go first`},
		"streak of a batch":    {one("    scheduler:\n      prefill_streak: 2\n"), "prefill_streak has no effect without refill"},
		"patience of fifo":     {one("    scheduler:\n      patience: 2s\n"), "patience ages the queue of order: edf"},
		"share wait, no cache": {one("    scheduler:\n      refill: true\n      share_wait: 2s\n"), `f.yaml:8: rung "low": share_wait waits for cached prefixes`},
		"share wait, batches":  {one("    scheduler:\n      share_wait: 2s\n"), "share_wait needs refill"},
		"publish, no cache":    {one("    scheduler:\n      late_publish: true\n"), "late_publish says when prefixes are cached"},
		"prefix not paged":     {one("    kv:\n      prefix: true\n"), `f.yaml:7: rung "low": prefix needs a paged cache; give paged: true under kv`},
		"optimism not paged":   {one("    kv:\n      optimism: 0.5\n"), "optimism needs a paged cache"},
		"retain, no cache":     {one("    kv:\n      retain_cells: 5\n"), "retain_cells bounds cached prefixes"},
		"less than a block":    {one("    kv:\n      paged: true\n      cells: 8\n"), `f.yaml:8: rung "low": cells is 8, less than one block (block_tokens is 16)`},
		"retain too many":      {one("    kv: {paged: true, prefix: true, cells: 64, retain_cells: 128}\n"), "retain_cells is 128, more than there are"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("f.yaml", []byte(tt.text))
			require.ErrorContains(t, err, tt.want)
			require.True(t, strings.HasPrefix(err.Error(), "f.yaml:"), err)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestRungsInherit(t *testing.T) {
	l, err := Parse("f.yaml", []byte(one(`    optional: true
    scheduler:
      max_batch: 8
      fill_wait: 20ms
      floors: {shared: 0.25, "": 0.5}
  - name: high
    adds: "a cache,
      in pages"
    from: low
    scheduler:
      order: edf
      patience: 2s
    kv: {paged: true, prefix: true, retain_cells: 0}
  - {name: top, adds: no floors, from: high, scheduler: {floors: {}}, kv: {block_tokens: 32}}
`)))
	require.NoError(t, err)
	floors := []engine.Floor{{Class: "shared", Share: 0.25}, {Class: "", Share: 0.5}}
	low := engine.Policy{MaxBatch: 8, FillWait: 20 * time.Millisecond, StepTokens: 512, Floors: floors}
	high := low
	high.Order, high.Patience = engine.EDF, 2*time.Second
	top := high
	top.Floors = nil
	paged := engine.CacheConfig{Paged: true, Prefix: true, BlockTokens: 16}
	wide := paged
	wide.BlockTokens = 32
	require.Equal(t, []Rung{
		{Name: "low", Adds: "the baseline", Optional: true, Settings: Settings{Policy: low}},
		{Name: "high", Adds: "a cache, in pages", Settings: Settings{Policy: high, Cache: paged, Own: Own{RetainCells: true}}},
		{Name: "top", Adds: "no floors", Settings: Settings{Policy: top, Cache: wide, Own: Own{RetainCells: true}}},
	}, l.Rungs)
}

func TestAdmissionIsInherited(t *testing.T) {
	l, err := Parse("f.yaml", []byte(one(`    admission: {policy: codel, target: 250ms, interval: 2}
  - {name: same, adds: x, from: low}
  - {name: other, adds: x, from: low, admission: {interval: 4s}}
  - {name: cap, adds: x, from: other, admission: {policy: inflight-cap}}
`)))
	require.NoError(t, err)
	codel := func(interval float64) admission.Spec {
		return admission.Spec{Policy: "codel", Params: map[string]float64{"target": 0.25, "interval": interval}}
	}
	var specs []admission.Spec
	for _, r := range l.Rungs {
		specs = append(specs, r.Admission)
	}
	require.Equal(t, []admission.Spec{codel(2), codel(2), codel(4), {Policy: "inflight-cap"}}, specs)
	require.Empty(t, Changes(l.Rungs[0].Settings, l.Rungs[1].Settings))
	require.Equal(t, []Change{{"admission.interval", "admission", "2", "4"}}, Changes(l.Rungs[1].Settings, l.Rungs[2].Settings))
	require.Equal(t, []Change{{"admission.policy", "admission", "codel", "inflight-cap"}}, Changes(l.Rungs[2].Settings, l.Rungs[3].Settings))
	require.Equal(t, []Change{{"admission.policy", "admission", "off", "codel"}}, Changes(Settings{Policy: l.Rungs[0].Policy}, l.Rungs[0].Settings))
	require.Equal(t, map[string]string{"admission": "codel", "admission_target": "0.25", "admission_interval": "4"}, admissionParams(l.Rungs[2].Admission))
}

func TestOpen(t *testing.T) {
	require.Equal(t, []string{"cadence", "arms", "gate", "kv"}, BuiltIn())
	for _, name := range BuiltIn() {
		l, err := Open(name)
		require.NoError(t, err)
		require.Equal(t, name, l.Name, "a built-in ladder is called after its file")
	}
	dir := t.TempDir()
	long := filepath.Join(dir, "long.yaml")
	require.NoError(t, os.WriteFile(long, make([]byte, maxFile+1), 0o644))
	for name, want := range map[string]string{
		"cadense":                             `no built-in ladder is called "cadense": did you mean "cadence"?`,
		filepath.Join(dir, "mine.yaml"):       "give a YAML file, or one of cadence, arms, gate, kv",
		filepath.Join("nowhere", "kv.yaml"):   `did you mean "kv"?`,
		dir:                                   "is a folder",
		long:                                  "which no ladder is",
		filepath.Join(long, "below", "a.yml"): "long.yaml",
	} {
		_, err := Open(name)
		require.ErrorContains(t, err, want)
	}
	mine := filepath.Join(dir, "mine.yaml")
	require.NoError(t, os.WriteFile(mine, []byte(one("")), 0o644))
	l, err := Open(mine)
	require.NoError(t, err)
	require.Equal(t, one(""), l.Text)
	require.Len(t, l.SHA256(), 64)
}

// FuzzParse: a file never makes the reader panic, and a ladder that is written and read
// again is the same, whatever it was read from.
func FuzzParse(f *testing.F) {
	for _, name := range BuiltIn() {
		data, err := builtIn.ReadFile(name + ".yaml")
		require.NoError(f, err)
		f.Add(data)
	}
	f.Add([]byte(one("    scheduler: {floors: {\"\": 0.5, 'no': 1e-3, \"é\": 0.1}, order: edf, patience: 1h}\n")))
	f.Add([]byte(two("    from: low\n    kv: {paged: true, optimism: 1, prefix: true, retain_cells: 0}\n")))
	f.Add([]byte(two("    from: low\n    admission: {policy: codel, target: 0.3, interval: 100ms}\n")))
	f.Add([]byte("name: '1'\ndescription: \"a: b # c\"\nrungs: [{name: '0x1', adds: 'null'}]"))
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Parse("f.yaml", data)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			require.True(t, strings.HasPrefix(err.Error(), "f.yaml:"), err)
			return
		}
		text, err := l.Render()
		require.NoError(t, err)
		again, err := Parse("again", []byte(text))
		require.NoError(t, err, text)
		require.Equal(t, text, again.Text)
		again.Text = l.Text
		require.Equal(t, l, again, text)
	})
}
