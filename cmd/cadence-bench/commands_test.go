package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/internal/golden"
)

// TestCommandsPage: docs/commands.md has the help of every command. `make docs` writes it.
func TestCommandsPage(t *testing.T) {
	root := newRoot()
	root.PersistentFlags().Lookup("cache").DefValue = "" // the default is of the machine
	root.InitDefaultHelpFlag()
	root.InitDefaultCompletionCmd()
	var list, pages strings.Builder
	var add func(c *cobra.Command)
	add = func(c *cobra.Command) {
		path := c.CommandPath()
		fmt.Fprintf(&list, "| [`%s`](#%s) | %s |\n", path, strings.ReplaceAll(path, " ", "-"), c.Short)
		var help strings.Builder
		c.SetOut(&help)
		require.NoError(t, c.Help())
		fmt.Fprintf(&pages, "\n## %s\n\n```text\n%s\n```\n", path, strings.TrimSpace(help.String()))
		if c == root {
			require.NoError(t, root.PersistentFlags().MarkHidden("cache"), "every command has it")
			require.NoError(t, root.PersistentFlags().MarkHidden("lib"))
		}
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() && sub.Name() != "completion" {
				add(sub)
			}
		}
	}
	add(root)
	golden.Equal(t, "../../../docs/commands.md", `# Commands

This page is what `+"`--help`"+` prints; `+"`make docs`"+` writes it.

| command | what it does |
|:--|:--|
`+list.String()+pages.String())
}
