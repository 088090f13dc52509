package artifact

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/predict"
	"github.com/cadence-bench/cadence-bench/results"
)

func facts() Facts {
	return Facts{
		Host: results.Host{CPU: "A", Cores: 2}, Backend: "llama.cpp", EngineSource: strings.Repeat("e", 64),
		Library:  results.Library{Version: "b1", Variant: "avx2", Files: map[string]string{"libllama.so": strings.Repeat("1", 64)}},
		Model:    results.Model{SHA256: strings.Repeat("m", 64)},
		Setting:  map[string]string{"threads": "2", "kv_layout": "unified"},
		Workload: "shared-prompt", SLOS: 2,
	}
}

func made(t *testing.T) Artifact {
	a := Artifact{MadeAt: time.Unix(1e9, 0).UTC(), Command: []string{"fit", "x"}, Facts: facts(), Traces: []Trace{{"a.parquet", "ab", 3, "fit"}}}
	f := &admission.Fitted{Work: predict.NewWorkModel(admission.Env{}).State(), Arithmetic: &admission.ArithmeticState{Rate: 12.5}}
	require.NoError(t, a.Put(f))
	return a
}

func TestArtifactRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	a := made(t)
	require.NoError(t, Write(path, a))
	got, f, sum, err := Read(path)
	require.NoError(t, err)
	a.Schema, a.SHA256 = Schema, got.SHA256
	require.Equal(t, a, got)
	require.Equal(t, 12.5, f.Arithmetic.Rate)
	file, err := results.HashFile(path)
	require.NoError(t, err)
	require.Equal(t, file, sum)
}

// TestReaderRefuses: every damage is one line that says what is wrong.
func TestReaderRefuses(t *testing.T) {
	good, err := Encode(made(t))
	require.NoError(t, err)
	for _, it := range []struct {
		name, want string
		data       []byte
	}{
		{"empty", "not JSON, or cut off", nil},
		{"cut off", "not JSON, or cut off", good[:len(good)/2]},
		{"another file", "it has no schema", []byte(`{"rates": [1]}`)},
		{"a list", "not JSON, or cut off", []byte(`[]`)},
		{"of the future", "schema 3; this version of cadence-bench reads schema 2: make it again with fit", bytes.Replace(good, []byte(`"schema": 2`), []byte(`"schema": 3`), 1)},
		{"of the past", "schema 1; this version of cadence-bench reads schema 2: make it again with fit", bytes.Replace(good, []byte(`"schema": 2`), []byte(`"schema": 1`), 1)},
		{"another backend", "changed since it was made", bytes.Replace(good, []byte(`"backend": "llama.cpp"`), []byte(`"backend": "twin"`), 1)},
		{"another SLO", "changed since it was made", bytes.Replace(good, []byte(`"slo_s": 2`), []byte(`"slo_s": 3`), 1)},
		{"another workload", "changed since it was made", bytes.Replace(good, []byte(`"shared-prompt"`), []byte(`"uniform"`), 1)},
		{"another CPU", "changed since it was made", bytes.Replace(good, []byte(`"cpu": "A"`), []byte(`"cpu": "B"`), 1)},
		{"another setting", "changed since it was made", bytes.Replace(good, []byte(`"threads": "2"`), []byte(`"threads": "4"`), 1)},
		{"another trace", "changed since it was made", bytes.Replace(good, []byte(`"rows": 3`), []byte(`"rows": 4`), 1)},
		{"no hash", "changed since it was made", bytes.Replace(good, []byte(`"sha256": "`), []byte(`"other": "`), 1)},
		{"a fact twice", "changed since it was made", bytes.Replace(good, []byte(`"fitted": {`), []byte(`"backend": "twin", "fitted": {`), 1)},
		{"a digit", "changed since it was made", bytes.Replace(good, []byte("12.5"), []byte("12.6"), 1)},
		{"nothing fitted", "changed since it was made", bytes.Replace(good, []byte(`"fitted":`), []byte(`"other":`), 1)},
		{"a wrong type", "cannot unmarshal", bytes.Replace(good, []byte(`"slo_s": 2`), []byte(`"slo_s": "2"`), 1)},
	} {
		path := filepath.Join(t.TempDir(), "a.json")
		require.NoError(t, os.WriteFile(path, it.data, 0o644))
		_, _, _, err := Read(path)
		require.ErrorContains(t, err, it.want, it.name)
		require.ErrorContains(t, err, path, it.name)
		require.NotContains(t, err.Error(), "\n", it.name)
	}
	a := made(t)
	require.NoError(t, a.Put(&admission.Fitted{Arithmetic: &admission.ArithmeticState{Rate: -1}}))
	data, err := Encode(a)
	require.NoError(t, err)
	_, _, err = Decode(data)
	require.ErrorContains(t, err, "fitted: arithmetic: a rate of -1")
}

func TestDifferences(t *testing.T) {
	require.Empty(t, Differences(facts(), facts()))
	for _, it := range []struct {
		change  func(*Facts)
		want    string
		refuses bool
	}{
		{func(f *Facts) { f.Backend = "twin" }, "its backend was llama.cpp, and here it is twin", true},
		{func(f *Facts) { f.Model.SHA256 = strings.Repeat("n", 64) }, "its model was mmmmmmmmmmmm, and here it is nnnnnnnnnnnn", true},
		{func(f *Facts) { f.Library.Version = "b2" }, "its library was b1 avx2, and here it is b2 avx2", true},
		{func(f *Facts) { f.Library.Files = map[string]string{"libllama.so": strings.Repeat("2", 64)} }, "its library was b1 avx2 (libllama.so 111111111111), and here it is b1 avx2 (libllama.so 222222222222)", true},
		{func(f *Facts) { f.EngineSource = "" }, "its engine source was eeeeeeeeeeee, and here it is unknown", true},
		{func(f *Facts) { f.Host.CPU = "B" }, "its CPU was A, and here it is B", false},
		{func(f *Facts) { f.Host.Cores = 4 }, "its number of cores was 2, and here it is 4", false},
		{func(f *Facts) { f.Setting = map[string]string{"threads": "4", "kv_layout": "unified"} }, "its threads was 2, and here it is 4", false},
		{func(f *Facts) { f.Workload = "uniform" }, "its workload was shared-prompt, and here it is uniform", false},
		{func(f *Facts) { f.SLOS = 1.5 }, "its SLO in seconds was 2, and here it is 1.5", false},
		{func(f *Facts) { f.Host.CPULimit = results.Some(1.5) }, "its CPU limit was unknown, and here it is 1.5", false},
	} {
		here := facts()
		it.change(&here)
		got := Differences(facts(), here)
		require.Len(t, got, 1, it.want)
		require.Equal(t, it.want, got[0].String())
		require.Equal(t, it.refuses, got[0].Refuses, it.want)
	}
	here := facts()
	here.Setting, here.SLOS, here.Workload = nil, 0, ""
	require.Empty(t, Differences(facts(), here), "what one side does not know is not compared")
	here = facts()
	here.Library.Files = map[string]string{"libllama.so": "2", "libggml.so": "3"}
	require.Equal(t, "its library was b1 avx2 (libggml.so unknown, libllama.so 111111111111), and here it is b1 avx2 (libggml.so 3, libllama.so 2)",
		Differences(facts(), here)[0].String(), "every file that differs")
	here = facts()
	here.Host.CPU, here.Backend = "B", "twin"
	got := Differences(facts(), here)
	require.True(t, got[0].Refuses)
	require.False(t, got[1].Refuses, "what refuses comes first")
}
