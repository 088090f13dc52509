package docgen

import (
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const module = "github.com/cadence-bench/cadence-bench/"

// source is what the files of a package say of it.
type source struct {
	synopsis string
	imports  map[string]bool // of this repository
}

// packages are the map of this repository: "packages" lists each with its purpose and its
// imports, "rooms" draws which top-level folder imports which. The clock, which several share,
// is a room of its own; the command line and internal packages are left out of the drawing.
func packages() (map[string]string, error) {
	all, err := sources()
	if err != nil {
		return nil, err
	}
	room := func(pkg string) string {
		if top, _, _ := strings.Cut(pkg, "/"); pkg != "engine/clock" {
			return top
		}
		return pkg
	}
	drawn := func(room string) bool { return room != "cmd" && room != "internal" }
	list := "| package | purpose | imports |\n|:--|:--|:--|\n"
	edges := map[string]bool{}
	for _, pkg := range slices.Sorted(maps.Keys(all)) {
		imports := slices.Sorted(maps.Keys(all[pkg].imports))
		for _, to := range imports {
			if a, b := room(pkg), room(to); a != b && drawn(a) && drawn(b) {
				edges[fmt.Sprintf("    %s --> %s\n", a, b)] = true
			}
		}
		names := strings.Join(imports, ", ")
		if len(imports) > 20 {
			names = "nearly all"
		}
		purpose := strings.SplitN(all[pkg].synopsis, " ", 3) // Package NAME does …
		list += fmt.Sprintf("| `%s` | %s | %s |\n", pkg, purpose[len(purpose)-1], names)
	}
	rooms := "```mermaid\nflowchart TD\n" + strings.Join(slices.Sorted(maps.Keys(edges)), "") + "```\n"
	return map[string]string{"packages": list, "rooms": rooms}, nil
}

// sources reads every package of this repository, tests left out.
func sources() (map[string]source, error) {
	all := map[string]source{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && file != "." || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := path.Dir(filepath.ToSlash(file))
		s := all[pkg]
		if s.imports == nil {
			s.imports = map[string]bool{}
		}
		if f.Doc != nil {
			s.synopsis = new(doc.Package).Synopsis(f.Doc.Text())
		}
		for _, i := range f.Imports {
			name, _ := strconv.Unquote(i.Path.Value)
			if own, ok := strings.CutPrefix(name, module); ok {
				s.imports[own] = true
			}
		}
		all[pkg] = s
		return nil
	})
	return all, err
}
