package ladder

import (
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/results"
)

// TestRetainRuleBoundsWhatIsLeftOpen: the rule's bound is in the parameters, the
// choices and the cells; it knows the tapes' longest prompt; and it does not speak
// where the bound was given or nothing is cached.
func TestRetainRuleBoundsWhatIsLeftOpen(t *testing.T) {
	for name, tt := range map[string]struct {
		rungs []string
		given int
		least int    // what the rule says when prompts are short
		want  string // in the parameters; "" is the longest prompt
		cell  string
	}{
		"by its cost":            {[]string{"continuous", "prefix"}, 0, 9000, "9000", "9000"},
		"the longest prompt":     {[]string{"prefix"}, 0, 1, "", ""},
		"no bound":               {[]string{"prefix"}, 0, 0, "0", "0"},
		"given":                  {[]string{"prefix"}, 777, 9000, "777", "777"},
		"nothing that is cached": {[]string{"paged"}, 0, 9000, "0", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, _ := newSweep(filepath.Join(t.TempDir(), "run"))
			longest := 0
			s.Retain = func(longestPrompt int) results.Choice {
				require.GreaterOrEqual(t, longestPrompt, longest, "the tapes only add prompts")
				longest = longestPrompt
				cells := tt.least
				if cells == 1 {
					cells = longestPrompt
				}
				return results.Choice{Name: "kv_retain", Value: strconv.Itoa(cells), Why: "measured"}
			}
			cfg := smallConfig(t)
			cfg.Rungs, cfg.Rates, cfg.SLO, cfg.Seeds, cfg.KVRetain = tt.rungs, []float64{5}, time.Second, []uint64{1}, tt.given
			require.NoError(t, s.Start(t.Context(), cfg))
			run, err := results.OpenRun(s.Dir)
			require.NoError(t, err)
			last := run.Entries[len(run.Entries)-1]
			cell, records, err := run.ReadCell(last)
			require.NoError(t, err)
			want, inCell := tt.want, tt.cell
			if want == "" {
				want, inCell = strconv.Itoa(longest), strconv.Itoa(longest)
			}
			require.Equal(t, want, run.Manifest.Params["kv_retain"])
			require.Equal(t, inCell, cell.Params["kv_retain"])
			if longest == 0 {
				require.Empty(t, run.Manifest.Choices)
				return
			}
			require.Equal(t, []results.Choice{{Name: "kv_retain", Value: want, Why: "measured"}}, run.Manifest.Choices)
			for _, r := range records {
				require.LessOrEqual(t, int(r.PromptTokens), longest)
			}
		})
	}
}
