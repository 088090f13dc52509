package results

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDifferencesNameEveryFact: one fact that changes is one difference, and equal origins
// have none.
func TestDifferencesNameEveryFact(t *testing.T) {
	origin := func() Origin {
		return Origin{
			Build: Build{Version: "v1", Commit: Some("c1"), Dirty: Some(false), Go: "go1"}, EngineSource: "e1", Backend: "twin",
			Library: Library{Version: "l1", Variant: "avx2", Files: map[string]string{"a.so": "1", "b.so": "2"}}, Model: Model{File: "m", SHA256: "m1"},
			Targets: []Target{{Name: "s", URL: "http://h", API: "chat"}}, Params: map[string]string{"threads": "2"},
			Host: Host{OS: "linux", Arch: "amd64", Kernel: "6", CPU: "cpu", Cores: 2, CPULimit: Some(1.5), MemoryBytes: Some[int64](8 << 30), Governor: Some("performance")},
		}
	}
	require.Empty(t, Differences(origin(), origin()))
	for want, change := range map[string]func(*Origin){
		"commit: c1 | c2":                       func(o *Origin) { o.Build.Commit.V = "c2" },
		"cadence-bench: v1 | v2":                func(o *Origin) { o.Build.Version = "v2" },
		"Go: go1 | go2":                         func(o *Origin) { o.Build.Go = "go2" },
		"engine source: e1 | ":                  func(o *Origin) { o.EngineSource = "" },
		"backend: twin | http":                  func(o *Origin) { o.Backend = "http" },
		"library: l1 avx2 | l2":                 func(o *Origin) { o.Library = Library{Version: "l2"} },
		"model: m1 | m2":                        func(o *Origin) { o.Model = Model{File: "m", SHA256: "m2"} },
		"CPU: cpu | other":                      func(o *Origin) { o.Host.CPU = "other" },
		"number of cores: 2 | 4":                func(o *Origin) { o.Host.Cores = 4 },
		"CPU limit: 1.5 | ":                     func(o *Origin) { o.Host.CPULimit = Opt[float64]{} },
		"memory: 8589934592 | 1":                func(o *Origin) { o.Host.MemoryBytes.V = 1 },
		"memory limit:  | 1":                    func(o *Origin) { o.Host.MemoryLimitBytes = Some[int64](1) },
		"governor: performance | ":              func(o *Origin) { o.Host.Governor = Opt[string]{} },
		"system: linux/amd64 6 | linux/amd64 7": func(o *Origin) { o.Host.Kernel = "7" },
		"server s: http://h, API chat | http://h, API chat, version 2": func(o *Origin) { o.Targets = []Target{{Name: "s", URL: "http://h", API: "chat", Server: "2"}} },
		"server s: http://h, API chat | ":                              func(o *Origin) { o.Targets = nil },
		"threads: 2 | 4":                                               func(o *Origin) { o.Params = map[string]string{"threads": "4"} },
		"threads: 2 | ":                                                func(o *Origin) { o.Params = nil },
		"library: l1 avx2 (a.so 1, b.so 2) | l1 avx2 (a.so 3, b.so unknown)": func(o *Origin) { o.Library.Files = map[string]string{"a.so": "3"} },
	} {
		is := origin()
		change(&is)
		got := Differences(origin(), is)
		require.Len(t, got, 1, want)
		require.Equal(t, want, got[0].Field+": "+got[0].Was+" | "+got[0].Is)
	}
	same := origin()
	same.Host.MemoryBytes.V -= 1 << 20
	same.Model.File, same.Host.Load1 = "renamed", Some(2.0)
	require.Empty(t, Differences(origin(), same))
	require.Equal(t, "its model was aaaaaaaaaaaa and is now unknown", Change{"model", strings.Repeat("a", 64), ""}.String())
}
