// Package arch holds the rules of the architecture as tests: who may import
// whom, and where time and chance may enter.
package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/cadence-bench/cadence-bench/"

// mayImport lists, for each package folder, which of our own packages it may
// import, with the folders in it; "x/." is x alone. A folder that is not listed follows its
// nearest listed parent.
var mayImport = map[string][]string{
	"internal":        {},
	"internal/docgen": {"*"},
	"kv":              {},
	"kv/faulty":       {"kv/."},

	"admission":             {"admission/gbm"},
	"admission/bound":       {},
	"admission/classic":     {"admission/."},
	"admission/conformal":   {},
	"admission/faulty":      {"admission/."},
	"admission/fit":         {"admission", "results"},
	"admission/gbm":         {},
	"admission/policies":    {"admission/classic", "admission/predict", "admission/riskcontrol", "admission/."},
	"admission/predict":     {"admission/conformal", "admission/gbm", "admission/."},
	"admission/record":      {"admission/."},
	"admission/riskcontrol": {"admission/conformal", "admission/predict", "admission/."},

	"engine":              {"kv", "admission/.", "engine/clock"},
	"engine/clock":        {},
	"engine/calibrate":    {"engine", "engine/twin"},
	"engine/gguf":         {"internal/nearest"},
	"engine/llamacpp":     {"engine", "engine/gguf", "engine/llamacpp", "engine/streams"},
	"engine/streams":      {"engine"},
	"engine/twin":         {"engine", "engine/streams"},
	"loadgen":             {"engine/clock", "loadgen/arrival", "loadgen/params", "loadgen/random", "loadgen/recording", "loadgen/text", "results"},
	"loadgen/arrival":     {"loadgen/params", "loadgen/random"},
	"loadgen/recording":   {"loadgen/text"},
	"loadgen/params":      {"internal/nearest"},
	"loadgen/random":      {},
	"loadgen/text":        {"loadgen/random"},
	"loadgen/ideal":       {"engine/clock", "loadgen", "results"},
	"loadgen/httptarget":  {"engine/clock", "loadgen", "results"},
	"results":             {"internal/killpoint"},
	"results/calibration": {"results"},

	"analysis":              {"analysis/checks", "analysis/latency", "analysis/promise", "analysis/stats", "analysis/unit", "results"},
	"analysis/analysistest": {"analysis/.", "analysis/latency", "analysis/stats", "results"},
	"analysis/cautions":     {"analysis/.", "analysis/knees", "analysis/stats", "results"},
	"analysis/checks":       {"analysis/latency", "analysis/stats", "analysis/unit", "loadgen", "results"}, // loadgen: what the arrivals claim to be
	"analysis/claims":       {"analysis/.", "analysis/cautions", "analysis/compare", "analysis/knees", "analysis/promise", "analysis/stats", "analysis/unit", "results"},
	"analysis/compare":      {"analysis/.", "analysis/unit", "analysis/latency", "analysis/stats", "internal/nearest", "results"},
	"analysis/cpuprofile":   {},
	"analysis/decided":      {"results"},
	"analysis/fidelity":     {"analysis/.", "analysis/unit", "analysis/stats", "results"},
	"analysis/figures":      {"analysis", "analysis/decided", "analysis/gate", "results"},
	"analysis/gate":         {"analysis/decided"},
	"analysis/knees":        {"analysis/.", "analysis/unit", "analysis/stats", "results"},
	"analysis/latency":      {"analysis/stats", "results"},
	"analysis/paired":       {"analysis/stats"},
	"analysis/promise":      {"analysis/latency", "analysis/stats", "results"},
	"analysis/stats":        {},
	"analysis/study":        {"analysis/.", "analysis/unit", "analysis/compare", "analysis/stats", "results"},
	"analysis/unit":         {},

	"report":              {"analysis", "report/caption", "report/chart", "report/chartdata", "report/column", "report/embed", "report/format", "report/knob", "report/page", "report/promise", "report/sweep", "report/table", "results"},
	"report/agreement":    {"analysis", "report/caption", "report/column", "report/format", "report/table", "results"},
	"report/caption":      {"analysis", "report/format", "results"},
	"report/column":       {"analysis", "report/caption", "report/format", "report/table", "results"},
	"report/compared":     {"analysis", "report/caption", "report/column", "report/format", "report/table", "results"},
	"report/knob":         {"analysis", "report/caption", "report/column", "report/format", "report/table", "results"},
	"report/promise":      {"analysis", "report/caption", "report/column", "report/format", "report/table", "results"},
	"report/sweep":        {"analysis", "report/caption", "report/column", "report/format", "report/table", "results"},
	"report/verdict":      {"analysis/decided", "analysis/gate", "internal/nearest", "report/format", "report/table", "results"},
	"report/chart":        {"report/chart/websvg", "report/chartdata", "report/format", "report/palette"},
	"report/chart/websvg": {"report/palette"},
	"report/embed":        {"results"},
	"report/flame":        {"analysis", "report/format", "report/palette", "report/table"},
	"report/format":       {"analysis", "report/table"},
	"report/page":         {"report/chart", "report/table"},
	"report/palette":      {},
	"report/chartdata":    {"analysis", "results"},
	"report/table":        {"results"},
	"report/loadcheck":    {"loadgen", "loadgen/ideal", "report/table", "results"},
	"ladder":              {"admission", "engine", "ladder/cell", "ladder/spec", "loadgen", "loadgen/httptarget", "results", "internal/nearest"},
	"ladder/cell":         {"admission", "admission/bound", "admission/record", "engine", "engine/clock", "ladder/spec", "loadgen", "loadgen/httptarget", "results"},
	"ladder/celltest":     {"engine", "engine/clock", "engine/twin", "ladder/cell", "results"},
	"ladder/machine":      {"engine", "engine/clock", "engine/gguf", "engine/llamacpp", "engine/streams", "engine/twin", "kv", "ladder/cell", "ladder/published", "ladder/sim", "ladder/spec", "loadgen", "results", "results/calibration"},
	"ladder/profile":      {"analysis", "ladder", "ladder/cell", "ladder/spec", "loadgen", "report/flame", "report/table", "results"},
	"ladder/replay":       {"admission", "engine", "engine/clock", "ladder/cell", "results"},
	"ladder/ab":           {"analysis", "analysis/paired", "ladder/cell", "ladder/spec", "results"},
	"ladder/calibrator":   {"engine", "engine/calibrate", "engine/gguf", "engine/llamacpp", "engine/twin", "ladder", "ladder/machine", "ladder/spec", "results"},
	"ladder/outline":      {"ladder", "ladder/spec", "report/caption", "report/table"},
	"ladder/libraries":    {"engine/gguf", "engine/llamacpp", "engine/llamacpp/versus", "ladder/machine", "results"},
	"ladder/outside":      {"analysis", "analysis/stats", "ladder", "ladder/cell", "ladder/costs", "ladder/published", "ladder/sim", "ladder/spec", "loadgen", "loadgen/random", "loadgen/text", "report/table", "results"},
	"ladder/published":    {"engine/calibrate", "engine/twin", "results", "results/calibration"},
	"ladder/costs":        {"engine/twin", "report/table", "results"},
	"ladder/fitting":      {"admission", "admission/fit", "ladder/artifact", "report/table", "results"},
	"ladder/experiment":   {"analysis/gate", "analysis/paired", "ladder/ab", "report/table", "results"},
	"ladder/baseline":     {"analysis/decided", "analysis/figures", "analysis/gate", "ladder", "report/verdict", "results"},
	"ladder/artifact":     {"admission", "admission/fit", "admission/record", "ladder/cell", "results"},
	"ladder/spec":         {"admission", "engine", "internal/nearest"},
	"ladder/live":         {"ladder/cell", "ladder", "analysis", "loadgen", "results", "report", "report/page"},
	"ladder/session":      {"analysis", "ladder", "ladder/artifact", "ladder/cell", "ladder/machine", "report/caption", "report/knob", "report/table", "results"},
	"ladder/sim":          {"ladder/cell", "ladder/spec", "engine", "loadgen", "results"},
	"ladder/mutate":       {"admission", "analysis/gate", "kv/faulty", "ladder/spec"},
	"ladder/validation":   {"analysis", "ladder", "ladder/artifact", "ladder/cell", "ladder/machine", "ladder/replay", "ladder/sim", "report/agreement", "report/table", "results"},
	"ladder/tune":         {"ladder/cell", "admission", "analysis", "ladder", "ladder/spec", "report/table", "results"},
	"cmd/cadence-bench":   {"*"},
}

// keepsTime lists the folders that may read a clock or sleep.
var keepsTime = []string{"engine/clock", "engine/llamacpp", "ladder/live", "ladder/machine", "cmd"}

type source struct {
	path string // slash-separated, from the module root
	file *ast.File
	fset *token.FileSet
}

func (s source) dir() string { return path.Dir(s.path) }

func sources(t *testing.T, root string, tests bool) []source {
	var all []source
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		rel = filepath.ToSlash(rel)
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && rel != "." || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") && !tests {
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, p, nil, 0)
		all = append(all, source{rel, f, fset})
		return err
	})
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

// importsOf returns the import path by the name it has in the file.
func importsOf(f *ast.File) map[string]string {
	names := map[string]string{}
	for _, imp := range f.Imports {
		p, _ := strconv.Unquote(imp.Path.Value)
		name := path.Base(p)
		if name == "v2" {
			name = path.Base(path.Dir(p))
		}
		if imp.Name != nil {
			name = imp.Name.Name
		}
		names[name] = p
	}
	return names
}

func rule(dir string) (allowed []string, ok bool) {
	for d := dir; d != "."; d = path.Dir(d) {
		if allowed, ok = mayImport[d]; ok {
			return allowed, true
		}
	}
	return nil, false
}

func under(dir string, roots ...string) bool {
	for _, r := range roots {
		if r == "*" || dir == r || dir+"/." == r || strings.HasPrefix(dir, r+"/") {
			return true
		}
	}
	return false
}

func TestImportDirection(t *testing.T) {
	for _, s := range sources(t, "../..", false) {
		allowed, ok := rule(s.dir())
		require.True(t, ok, "%s: the folder has no rule in mayImport", s.path)
		for _, p := range importsOf(s.file) {
			ours, isOurs := strings.CutPrefix(p, module)
			if isOurs && ours != s.dir() && !(under(ours, "internal/fault", "internal/regular") && !under(s.dir(), "kv")) { // every room but kv may mark its errors and read files
				require.True(t, under(ours, allowed...), "%s imports %s; %s may import only %v", s.path, ours, s.dir(), allowed)
			}
			if under(s.dir(), "kv") && !isOurs {
				require.NotContains(t, p, ".", "%s imports %s; kv uses the standard library only", s.path, p)
			}
		}
	}
}

// TestTimeAndChanceEnterByTheDoor: outside the clock and the backend nothing
// reads the time or sleeps, and nothing draws from a hidden generator, or a
// simulated run would not repeat.
func TestTimeAndChanceEnterByTheDoor(t *testing.T) {
	reads := map[string]bool{"Now": true, "Since": true, "Until": true, "Sleep": true, "After": true, "AfterFunc": true, "Tick": true, "NewTimer": true, "NewTicker": true}
	explicit := map[string]bool{"New": true, "NewPCG": true, "NewChaCha8": true, "NewZipf": true, "Rand": true, "Source": true, "PCG": true, "ChaCha8": true}
	for _, s := range sources(t, "../..", false) {
		names := importsOf(s.file)
		for _, p := range names {
			require.NotEqual(t, "math/rand", p, "%s: use math/rand/v2 with an explicit source", s.path)
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			if !ok {
				return true
			}
			at := s.fset.Position(sel.Pos())
			switch names[pkg.Name] {
			case "time":
				if reads[sel.Sel.Name] && !under(s.dir(), keepsTime...) {
					t.Errorf("%s: time.%s; take the time as an argument or from engine/clock", at, sel.Sel.Name)
				}
			case "math/rand/v2":
				if !explicit[sel.Sel.Name] {
					t.Errorf("%s: rand.%s draws from the global generator; use an explicit source", at, sel.Sel.Name)
				}
			}
			return true
		})
	}
}

// readsSystem lists the files that read what the system itself provides, or a folder.
var readsSystem = []string{"results/host.go", "results/atomic.go", "engine/llamacpp/memory.go", "engine/llamacpp/check.go"}

// TestFilesAreRegular: a name that somebody gives may be a pipe's, which would block the
// program before it hears a signal.
func TestFilesAreRegular(t *testing.T) {
	for _, s := range sources(t, "../..", false) {
		if slices.Contains(readsSystem, s.path) || strings.HasPrefix(s.path, "internal/") || strings.Contains(s.path, "/internal/") {
			continue
		}
		names := importsOf(s.file)
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && (sel.Sel.Name == "Open" || sel.Sel.Name == "ReadFile") {
				if pkg, ok := sel.X.(*ast.Ident); ok && names[pkg.Name] == "os" {
					t.Errorf("%s: os.%s blocks on a pipe; use internal/regular", s.fset.Position(sel.Pos()), sel.Sel.Name)
				}
			}
			return true
		})
	}
}

// TestTestsDoNotSleep: outside a synctest bubble a sleeping test is slow when the
// machine is idle and wrong when it is busy.
func TestTestsDoNotSleep(t *testing.T) {
	for _, s := range sources(t, "../..", true) {
		names := importsOf(s.file)
		if !strings.HasSuffix(s.path, "_test.go") || names["synctest"] != "" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if pkg, ok := sel.X.(*ast.Ident); ok && names[pkg.Name] == "time" && sel.Sel.Name == "Sleep" {
					t.Errorf("%s: time.Sleep in a test", s.fset.Position(sel.Pos()))
				}
			}
			return true
		})
	}
}
