package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// actionStep is what these tests use of a step of a composite action.
type actionStep struct {
	Name  string            `yaml:"name"`
	Shell string            `yaml:"shell"`
	Env   map[string]string `yaml:"env"`
	Run   string            `yaml:"run"`
}

// gateStep reads the step of the action that runs the gate.
func gateStep(t *testing.T) actionStep {
	t.Helper()
	text, err := os.ReadFile("../../.github/actions/gate/action.yml")
	require.NoError(t, err)
	var action struct {
		Runs struct{ Steps []actionStep }
	}
	require.NoError(t, yaml.Unmarshal(text, &action))
	for _, s := range action.Runs.Steps {
		if s.Name == "Gate" {
			return s
		}
	}
	t.Fatal("the action has no step Gate")
	return actionStep{}
}

// The script of the action runs here as a runner would run it, with a gate that exits as it is told.
func TestTheActionTellsTheVerdict(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	step := gateStep(t)
	require.Equal(t, "bash", step.Shell)
	require.NotContains(t, step.Run, "${{", "expressions belong into env: in a script they are code")
	for _, c := range []struct {
		code            int
		ladder, verdict string
	}{
		{0, "", "pass"},
		{1, "", "regression"},
		{2, "", "not-measurable"},
		{130, "", "not-measurable"},
		{0, "my ladder.yaml", "pass"},
	} {
		t.Run(fmt.Sprintf("%d %s", c.code, c.ladder), func(t *testing.T) {
			dir := t.TempDir()
			fake := fmt.Sprintf(`#!%s
printf '%%s\n' "$@" > args
while [ $# -gt 0 ]; do if [ "$1" = --markdown ]; then echo '| a table |' > "$2"; fi; shift; done
exit %d
`, bash, c.code)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "cadence-bench"), []byte(fake), 0o755))
			values := map[string]string{
				"LADDER": c.ladder, "BASELINE": "base line.json", "OUTPUT": "out", "ARGS": "--format text",
			}
			// As the runner calls it for `shell: bash`.
			cmd := exec.Command(bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "RUNNER_TEMP="+dir, "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"),
				"GITHUB_OUTPUT="+filepath.Join(dir, "output"))
			for name := range step.Env {
				require.Contains(t, values, name, "a variable that this test does not set")
				cmd.Env = append(cmd.Env, name+"="+values[name])
			}
			out, err := cmd.CombinedOutput()
			require.Equal(t, c.code, cmd.ProcessState.ExitCode(), "%s %v", out, err)

			read := func(name string) string {
				text, err := os.ReadFile(filepath.Join(dir, name))
				require.NoError(t, err)
				return string(text)
			}
			require.Equal(t, "verdict="+c.verdict+"\n", read("output"))
			require.Equal(t, "| a table |\n", read("summary"))
			want := "gate\n--baseline\nbase line.json\n--out\nout/run\n--markdown\nout/gate.md\n--json\nout/gate.json\n--junit\nout/gate.xml\n--format\ntext\n"
			if c.ladder != "" {
				want += "--ladder\n" + c.ladder + "\n"
			}
			require.Equal(t, want, read("args"))
		})
	}
}

// Whatever the scripts of workflow and action call must be flags of the gate.
func TestTheActionUsesFlagsThatExist(t *testing.T) {
	cmd, _, err := newRoot().Find([]string{"gate"})
	require.NoError(t, err)
	require.Equal(t, "gate", cmd.Name())
	for _, word := range strings.Fields(gateStep(t).Run) {
		if name, isFlag := strings.CutPrefix(strings.TrimPrefix(word, "args+=("), "--"); isFlag {
			require.NotNil(t, cmd.Flags().Lookup(name), "the action passes --%s", name)
		}
	}
}
