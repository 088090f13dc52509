package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/admission/policies"
)

func newAdmission(where func() places) *cobra.Command {
	return group("admission", "List and tune admission policies", newAdmissionList(), newAdmissionTune(where))
}

func newAdmissionList() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the admission policies, where each is from, and its parameters",
		Example: `  cadence-bench admission list               every policy with its source and parameters`,
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return listPolicies(cmd.OutOrStdout()) },
	}
}

func listPolicies(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i, k := range policies.Kinds() {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s\n  from %s\n", k.Name, k.Doc, k.Source)
		for _, p := range k.Params {
			fmt.Fprintf(w, "    %s\t%g\t%s\t%s\n", p.Name, p.Default, orDash(p.Unit), p.Doc)
		}
	}
	return w.Flush()
}

func orDash(s string) string {
	if strings.TrimSpace(s) == "" {
		return "-"
	}
	return s
}
