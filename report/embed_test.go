package report

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

var exampleBlocks = map[string]string{"summary": "| a |\n|--:|\n| 1.25 |\n", "columns": "text"}

func TestEmbedReplacesOnlyItsBlocks(t *testing.T) {
	path := document(t, example)
	require.Error(t, Check([]string{path}, exampleBlocks))
	changed, err := Embed([]string{path}, exampleBlocks)
	require.NoError(t, err)
	require.Equal(t, []string{path}, changed)
	want := "# Title\n\n<!-- cadence:begin summary -->\n| a |\n|--:|\n| 1.25 |\n<!-- cadence:end -->\n\nBetween.\n\n<!-- cadence:begin columns -->\ntext\n<!-- cadence:end -->\nafter, without a newline"
	require.Equal(t, want, read(t, path))
	require.NoError(t, Check([]string{path}, exampleBlocks))

	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	changed, err = Embed([]string{path}, exampleBlocks)
	require.NoError(t, err)
	require.Empty(t, changed, "a second time changes nothing")
}

func TestEmbedKeepsLineEndings(t *testing.T) {
	path := document(t, strings.ReplaceAll(example, "\n", "\r\n"))
	_, err := Embed([]string{path}, exampleBlocks)
	require.NoError(t, err)
	text := read(t, path)
	require.Equal(t, strings.Count(text, "\n"), strings.Count(text, "\r\n"))
	require.Contains(t, text, "| 1.25 |\r\n")
	require.NoError(t, Check([]string{path}, exampleBlocks))
}

func TestCheckSeesOneDigit(t *testing.T) {
	path := document(t, example)
	_, err := Embed([]string{path}, exampleBlocks)
	require.NoError(t, err)
	tampered := strings.Replace(read(t, path), "1.25", "1.35", 1)
	require.NoError(t, os.WriteFile(path, []byte(tampered), 0o600))
	err = Check([]string{path}, exampleBlocks)
	require.EqualError(t, err, path+":6: block summary differs from the data: have \"| 1.35 |\", want \"| 1.25 |\"; `cadence-bench report` rewrites it")
	require.Equal(t, tampered, read(t, path), "a check writes nothing")

	for name, edit := range map[string][2]string{
		"a line too few":  {"| 1.25 |\n", ""},
		"a line too many": {"| 1.25 |\n", "| 1.25 |\n\n"},
	} {
		good := strings.Replace(tampered, "1.35", "1.25", 1)
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(good, edit[0], edit[1], 1)), 0o600))
		require.Error(t, Check([]string{path}, exampleBlocks), name)
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
			_, err := Embed([]string{good, bad}, exampleBlocks)
			require.ErrorContains(t, err, bad+c.want)
			require.Equal(t, example, read(t, good), "no document changes")
			require.ErrorContains(t, Check([]string{bad}, exampleBlocks), bad+c.want)
		})
	}
	_, err := Embed([]string{"none.md"}, exampleBlocks)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestEmbedLeavesFencedCodeAlone(t *testing.T) {
	text := "```\n<!-- cadence:begin anything -->\n```\n"
	path := document(t, text)
	changed, err := Embed([]string{path}, exampleBlocks)
	require.NoError(t, err)
	require.Empty(t, changed)
}
