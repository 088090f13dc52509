package spec

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// withoutKey are the fields that no file can set, and why.
var withoutKey = map[string]string{
	"ChunkAlign": "--canonical sets it for all rungs",
	"Streams":    "it is as the backend was made",
	"Wrap":       "it is code: a decorator that makes a mistake, for a gate that is to see it",
}

// TestEveryFieldHasAKey: a setting that the engine gains cannot be forgotten here.
func TestEveryFieldHasAKey(t *testing.T) {
	var s Settings
	keys := map[any]string{}
	for i := range settings {
		at := settings[i].at(&s)
		require.Empty(t, keys[at], "%s sets the same field", settings[i].key)
		keys[at] = settings[i].key
		require.NotEmpty(t, settings[i].meaning, settings[i].key)
		require.NotEmpty(t, settings[i].mechanism, settings[i].key)
		if _, whole := at.(*int); whole {
			require.Positive(t, settings[i].max, settings[i].key)
		}
	}
	for _, part := range []any{&s.Policy, &s.Cache} {
		v := reflect.ValueOf(part).Elem()
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			key := keys[v.Field(i).Addr().Interface()]
			require.Equal(t, withoutKey[name] == "", key != "", "field %s, key %q", name, key)
		}
	}
}

// TestDocumentedDefaults: a rung that says nothing has the defaults of the table.
func TestDocumentedDefaults(t *testing.T) {
	l, err := Parse("f.yaml", []byte(one("")))
	require.NoError(t, err)
	conditional := []string{"share_wait", "retain_cells", "block_tokens", "floors"} // in words
	for i := range settings {
		s := &settings[i]
		if !slices.Contains(conditional, s.key) {
			value, _, _ := strings.Cut(s.fallback, ":")
			require.Equal(t, value, s.value(l.Rungs[0].Settings), s.key)
		}
	}
	require.Equal(t, Own{}, l.Rungs[0].Own)
	require.Equal(t, "{}", settings[slices.IndexFunc(settings, func(s setting) bool { return s.key == "floors" })].value(l.Rungs[0].Settings))
}

// TestDocumentedExamples: those of the documentation are a ladder and the end of one.
func TestDocumentedExamples(t *testing.T) {
	data, err := os.ReadFile("../../docs/ladders.md")
	require.NoError(t, err)
	examples := strings.Split(string(data), "```yaml\n")[1:]
	require.Len(t, examples, 2)
	for i := range examples {
		examples[i], _, _ = strings.Cut(examples[i], "```")
	}
	for _, text := range []string{examples[0], examples[0] + examples[1]} {
		_, err = Parse("example", []byte(text))
		require.NoError(t, err)
	}
}

// namedElsewhere are the files outside of this package that name a setting, and why.
var namedElsewhere = map[string][]string{
	"../../analysis/traits.go":                    {"max_batch", "refill"},      // what a rung is, by its recorded parameters
	"../../analysis/analysistest/analysistest.go": {"max_batch", "refill"},      // the same, in cells that tests make
	"../../ladder/artifact/fit.go":                {"max_batch", "step_tokens"}, // facts on disk about the engine that was learnt
	"../../results/decisioncolumns.go":            {"max_batch", "step_tokens"}, // columns
	"../../results/stepcolumns.go":                {"block_tokens"},             // a column
	// The flags:
	"../../cmd/cadence-bench/gatereal.go": {"kv-retain", "max-batch"},                     // of a frozen load
	"../../ladder/ab/load.go":             {"--kv-retain", "--max-batch", "--share-wait"}, // the same, for older programs too
	"../../cmd/cadence-bench/knobs.go":    {"canonical"},                                  // which knobs does not have
}

// TestSettingIsDeclaredOnce counts where settings and their flags are named. Whoever adds one touches the
// table and the code that obeys it, which reads a field; a third place fails here. Keys that are common words (order, prefix,
// paged) are left out: they are names of other things as well.
func TestSettingIsDeclaredOnce(t *testing.T) {
	keys := map[string]bool{}
	for i := range settings {
		if strings.Contains(settings[i].key, "_") || settings[i].key == "refill" {
			keys[settings[i].key] = true
		}
	}
	for _, f := range flags() {
		keys[f.name], keys["--"+f.name] = true, true
	}
	found := map[string][]string{}
	err := filepath.WalkDir("../..", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") || strings.Contains(filepath.ToSlash(p), "/ladder/spec/") {
			return nil
		}
		file, err := goparser.ParseFile(token.NewFileSet(), p, nil, 0)
		if err != nil {
			return err
		}
		named := map[string]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, _ := strconv.Unquote(lit.Value); keys[text] {
					named[text] = true
				}
			}
			return true
		})
		if len(named) > 0 {
			found[filepath.ToSlash(p)] = slices.Sorted(maps.Keys(named))
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, namedElsewhere, found)
}
