package spec

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// withoutKey are the fields that no file can set, and why.
var withoutKey = map[string]string{
	"ChunkAlign": "--canonical sets it for all rungs",
	"Streams":    "it is as the backend was made",
	"Faults":     "they are mistakes, for a gate that is to see them",
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
