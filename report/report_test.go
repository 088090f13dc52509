package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/internal/golden"
	"github.com/cadence-bench/cadence-bench/report/embed"
	"github.com/cadence-bench/cadence-bench/results"
)

func manifest(backend string) results.Manifest {
	return results.Manifest{
		StartedAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Command:   []string{"ladder", "--preset", "quick"},
		Build:     results.Build{Version: "(devel)", Commit: results.Some("0123abcd"), Dirty: results.Some(true), Go: "go1.26.8"},
		Backend:   backend,
		Library:   results.Library{Version: "llama.cpp v0.5.0", Variant: "skylakex", Files: map[string]string{"libllama.so": "aa11", "libggml.so": "bb22"}},
		Model:     results.Model{File: "cadence-30m.gguf", Bytes: 28_400_000, SHA256: "cc33", Description: "llama 27M Q8_0"},
		Host: results.Host{OS: "linux", Arch: "amd64", Kernel: "6.1.0", CPU: "Example CPU", Cores: 2,
			CPULimit: results.Some(1.5), MemoryBytes: results.Some[int64](8 << 30), Governor: results.Some("performance")},
		Tapes:   []results.Tape{{Workload: "mixed", OfferedRPS: 0.5, Seed: 1, Requests: 49, SHA256: "dd44"}},
		Params:  map[string]string{"threads": "2", "kv_unified": "true"},
		Choices: []results.Choice{{Name: "rates", Value: "0.5,1,1.5,2.5,4", Why: "the idle engine serves 1 rps | one at a time"}},
	}
}

// folder writes a fixture as a run folder.
func folder(t *testing.T, f fixture) string {
	dir := t.TempDir()
	cells, rows := f.cells()
	m := manifest(f.backend)
	for _, c := range cells {
		m.Plan = append(m.Plan, c.Key)
	}
	run, err := results.CreateRun(dir, m)
	require.NoError(t, err)
	journal, err := results.OpenJournal(dir)
	require.NoError(t, err)
	for i, c := range cells {
		path := run.CellPath(c.Order, c.Key)
		require.NoError(t, results.WriteCell(path, c, rows[i]))
		entry, err := run.EntryOf(filepath.Base(path))
		require.NoError(t, err)
		require.NoError(t, journal.Append(entry))
	}
	require.NoError(t, journal.Close())
	return dir
}

func load(t *testing.T, dir string) *Report {
	run, err := analysis.Load(dir, analysis.Options{})
	require.NoError(t, err)
	r, err := Of(run)
	require.NoError(t, err)
	return r
}

func TestReportOfARunFolder(t *testing.T) {
	dir := folder(t, ladder())
	r := load(t, dir)
	require.Empty(t, r.Warnings)
	out := t.TempDir()
	paths, err := r.Write(out)
	require.NoError(t, err)
	var names []string
	for _, p := range paths {
		info, err := os.Stat(p)
		require.NoError(t, err)
		require.NotZero(t, info.Size())
		name, err := filepath.Rel(out, p)
		require.NoError(t, err)
		names = append(names, filepath.ToSlash(name))
	}
	require.Equal(t, []string{
		"report.md", "report.html",
		"tables/headline.md", "tables/summary.md", "tables/cells.md", "tables/probes.md", "tables/checks.md", "tables/cell-checks.md",
		"tables/throughput.md", "tables/tails.md", "tables/slo.md", "tables/knees.md", "tables/backlog.md", "tables/worse.md", "tables/claims.md",
		"tables/headline.csv", "tables/headline.json", "tables/summary.csv", "tables/summary.json", "tables/cells.csv", "tables/cells.json",
		"tables/probes.csv", "tables/probes.json", "tables/checks.csv", "tables/checks.json", "tables/cell-checks.csv", "tables/cell-checks.json",
		"tables/throughput.csv", "tables/throughput.json", "tables/tails.csv", "tables/tails.json", "tables/slo.csv", "tables/slo.json", "tables/knees.csv", "tables/knees.json",
		"tables/backlog.csv", "tables/backlog.json", "tables/worse.csv", "tables/worse.json", "tables/claims.csv", "tables/claims.json",
		"tables/provenance.csv", "tables/provenance.json", "tables/provenance-choices.csv", "tables/provenance-choices.json",
		"tables/provenance-parameters.csv", "tables/provenance-parameters.json", "tables/provenance-tapes.csv", "tables/provenance-tapes.json",
		"charts/e2e-p99.svg", "charts/e2e-p99.png", "charts/goodput.svg", "charts/goodput.png",
		"charts/e2e-over-time.svg", "charts/e2e-over-time.png", "charts/e2e-p50.svg", "charts/e2e-p50.png",
		"charts/ttft.svg", "charts/ttft.png", "charts/e2e-cdf.svg", "charts/e2e-cdf.png", "charts/itl-cdf.svg", "charts/itl-cdf.png",
		"charts/schedule.svg", "charts/schedule.png", "charts/probes.svg", "charts/probes.png", "summary.json",
	}, names)
	golden.Equal(t, "report.md", read(t, paths[0]))

	again := t.TempDir()
	others, err := load(t, dir).Write(again)
	require.NoError(t, err)
	for i := range paths {
		require.True(t, read(t, paths[i]) == read(t, others[i]), "%s differs the second time", names[i])
	}

	var objects []map[string]any
	require.NoError(t, json.Unmarshal([]byte(read(t, paths[len(paths)-1])), &objects))
	require.Len(t, objects, 15)
	for _, key := range []string{"rung", "offered_rps", "seed", "arrivals", "goodput_rps", "attainment", "ttft_p50_s",
		"ttft_p99_s", "itl_p99_s", "e2e_p50_s", "warnings", "e2e_p99_s", "shed", "hit_rate", "dispatch_lag_p99_s", "valid"} {
		require.Contains(t, objects[0], key)
	}
	require.Nil(t, objects[0]["hit_rate"], "no prefix cache: null")
	require.Equal(t, true, objects[0]["valid"])
}

func TestEveryMetricHasASummaryKey(t *testing.T) {
	data, err := json.Marshal(results.CellSummary{})
	require.NoError(t, err)
	var keys map[string]any
	require.NoError(t, json.Unmarshal(data, &keys))
	for _, m := range []analysis.Metric{analysis.Arrivals, analysis.Completed, analysis.Shed, analysis.Timeouts, analysis.Failures,
		analysis.Achieved, analysis.Throughput, analysis.Goodput, analysis.Tokens, analysis.CompletedTokens, analysis.Attainment, analysis.Admitted, analysis.HitRate, analysis.HitCeiling, analysis.HitReached,
		analysis.TTFTP50, analysis.TTFTP99, analysis.ITLP50, analysis.ITLP99, analysis.E2EP50, analysis.E2EP99, analysis.LagP99} {
		require.Contains(t, keys, m.Key)
	}
}

func TestPageStandsAlone(t *testing.T) {
	f := ladder()
	f.rungs[0].name = `<i>"fifo"</i>`
	f.backend = "twin"
	m := manifest(f.backend)
	r, err := of(f.sweep(), m, f.source())
	require.NoError(t, err)
	data := pageOf(t, r)
	page := string(data)

	body := regexp.MustCompile(`(?s)<script>.*?</script>|<style>.*?</style>|<meta[^>]*>`).ReplaceAllString(page, "")
	for _, link := range regexp.MustCompile(`(?:src|href|url\()\s*=?\s*["']?([^"')> ]*)`).FindAllStringSubmatch(body, -1) {
		require.Regexp(t, `^#`, link[1], "only links within the page")
	}
	require.NotRegexp(t, `<link|@import|<img|<iframe|url\(`, page)
	require.NotRegexp(t, `https?://`, page)
	require.NotRegexp(t, ` style=| on[a-z]+=`, body, "the policy forbids them")
	require.NotContains(t, page, `<i>`, "a rung's name is text")
	require.Contains(t, page, "color-scheme: light dark")
	require.Contains(t, page, "These figures are simulated")
	require.Len(t, regexp.MustCompile(`<svg class="chart" [^>]*role="img" aria-label="[^"]+" aria-describedby=`).FindAllString(page, -1), len(r.Figures))
	require.Len(t, regexp.MustCompile(`<desc id="[^"]+">[^<]+</desc>`).FindAllString(page, -1), len(r.Figures))
	for _, fact := range []string{"0123abcd with uncommitted changes", "llama.cpp v0.5.0 skylakex", "aa11", "cc33", "Example CPU, 2 cores, limited to 1.5 cores&#39; time, 8.00 GiB",
		"the idle engine serves 1 rps | one at a time", "kv_unified", "dd44", "--preset quick"} {
		require.Contains(t, page, fact)
	}
	ids := map[string]bool{}
	for _, id := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		require.False(t, ids[id[1]], "id %s twice", id[1])
		ids[id[1]] = true
	}
}

func TestBlocksEmbed(t *testing.T) {
	f := ladder()
	r, err := of(f.sweep(), manifest(f.backend), f.source())
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "README.md")
	require.NoError(t, os.WriteFile(path, []byte("<!-- cadence:begin summary -->\n<!-- cadence:end -->\n<!-- cadence:begin headline -->\n<!-- cadence:end -->\n"), 0o644))
	_, err = set(r).Write([]string{path})
	require.NoError(t, err)
	require.NoError(t, set(r).Check([]string{path}))
	require.Contains(t, read(t, path), r.Headline.Markdown())

	slower, err := of(analysis.NewSweep(nil, nil), results.Manifest{}, f.source())
	require.NoError(t, err)
	require.ErrorContains(t, set(slower).Check([]string{path}), "block summary differs from the data")
}

func read(t *testing.T, path string) string {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func set(r *Report) embed.Set { return embed.Set{Mark: "cadence", Blocks: r.Blocks()} }

func pageOf(t *testing.T, r *Report) []byte {
	data, err := r.Page().Render()
	require.NoError(t, err)
	return data
}
