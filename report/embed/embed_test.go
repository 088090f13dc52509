package embed

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func document(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "README.md")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func read(t *testing.T, path string) string {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

const example = "# Title\n\n<!-- cadence:begin summary -->\nold\n<!-- cadence:end -->\n\nBetween.\n\n<!-- cadence:begin columns -->\n<!-- cadence:end -->\nafter, without a newline"

var set = Set{
	Mark: "cadence", Remedy: "cadence-bench report",
	Blocks: map[string]string{"summary": "| a |\n|--:|\n| 1.25 |\n", "columns": "text"},
}

func TestEmbedReplacesOnlyItsBlocks(t *testing.T) {
	path := document(t, example)
	require.Error(t, set.Check([]string{path}))
	changed, err := set.Write([]string{path})
	require.NoError(t, err)
	require.Equal(t, []string{path}, changed)
	want := "# Title\n\n<!-- cadence:begin summary -->\n| a |\n|--:|\n| 1.25 |\n<!-- cadence:end -->\n\nBetween.\n\n<!-- cadence:begin columns -->\ntext\n<!-- cadence:end -->\nafter, without a newline"
	require.Equal(t, want, read(t, path))
	require.NoError(t, set.Check([]string{path}))

	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	changed, err = set.Write([]string{path})
	require.NoError(t, err)
	require.Empty(t, changed, "a second time changes nothing")
}

func TestEmbedKeepsLineEndings(t *testing.T) {
	path := document(t, strings.ReplaceAll(example, "\n", "\r\n"))
	_, err := set.Write([]string{path})
	require.NoError(t, err)
	text := read(t, path)
	require.Equal(t, strings.Count(text, "\n"), strings.Count(text, "\r\n"))
	require.Contains(t, text, "| 1.25 |\r\n")
	require.NoError(t, set.Check([]string{path}))
}

func TestCheckSeesOneDigit(t *testing.T) {
	path := document(t, example)
	_, err := set.Write([]string{path})
	require.NoError(t, err)
	tampered := strings.Replace(read(t, path), "1.25", "1.35", 1)
	require.NoError(t, os.WriteFile(path, []byte(tampered), 0o600))
	err = set.Check([]string{path})
	require.EqualError(t, err, path+":6: block summary differs from the data: have \"| 1.35 |\", want \"| 1.25 |\"; `cadence-bench report` rewrites it")
	require.Equal(t, tampered, read(t, path), "a check writes nothing")

	for name, edit := range map[string][2]string{
		"a line too few":  {"| 1.25 |\n", ""},
		"a line too many": {"| 1.25 |\n", "| 1.25 |\n\n"},
	} {
		good := strings.Replace(tampered, "1.35", "1.25", 1)
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(good, edit[0], edit[1], 1)), 0o600))
		require.Error(t, set.Check([]string{path}), name)
	}
}

func TestEmbedFaults(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"unknown", "<!-- cadence:begin sumary -->\n<!-- cadence:end -->\n", `:1: unknown block "sumary": want one of columns, summary`},
		{"unclosed", "x\n<!-- cadence:begin summary -->\nold\n", `:2: block summary is not closed`},
		{"nested", "<!-- cadence:begin summary -->\n<!-- cadence:begin columns -->\n<!-- cadence:end -->\n", `:1: block summary is not closed`},
		{"not begun", "a\n<!-- cadence:end -->\n", `:2: a block ends here that did not begin`},
	} {
		t.Run(c.name, func(t *testing.T) {
			good, bad := document(t, example), document(t, c.text)
			_, err := set.Write([]string{good, bad})
			require.ErrorContains(t, err, bad+c.want)
			require.Equal(t, example, read(t, good), "no document changes")
			require.ErrorContains(t, set.Check([]string{bad}), bad+c.want)
		})
	}
	_, err := set.Write([]string{"none.md"})
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestEmbedLeavesFencedCodeAlone(t *testing.T) {
	text := "```\n<!-- cadence:begin anything -->\n```\n"
	path := document(t, text)
	changed, err := set.Write([]string{path})
	require.NoError(t, err)
	require.Empty(t, changed)
}

// A document can have blocks of several sets: each leaves those of the others alone.
func TestSetsLeaveEachOtherAlone(t *testing.T) {
	const text = "<!-- other:begin nothing -->\n<!-- other:end -->\n"
	path := document(t, text+example)
	_, err := set.Write([]string{path})
	require.NoError(t, err)
	require.NoError(t, set.Check([]string{path}))
	require.True(t, strings.HasPrefix(read(t, path), text))
	require.ErrorContains(t, Set{Mark: "other"}.Check([]string{path}), ":1: unknown block \"nothing\"")
}
