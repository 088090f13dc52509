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

	"github.com/cadence-bench/cadence-bench/report/table"
)

const module = "github.com/cadence-bench/cadence-bench/"

// source is what the files of a package say of it.
type source struct {
	synopsis string
	imports  map[string]bool // of this repository
}

// packages are the map of this repository: "packages" lists each with its purpose and its
// imports, "rooms" draws which room imports which.
func packages() (map[string]string, error) {
	all, err := sources()
	if err != nil {
		return nil, err
	}
	type purpose struct{ pkg, does, imports string }
	var list []purpose
	rooms := graph{}
	for _, pkg := range slices.Sorted(maps.Keys(all)) {
		imports := slices.Sorted(maps.Keys(all[pkg].imports))
		for _, to := range imports {
			rooms.add(room(pkg), room(to))
		}
		names := strings.Join(imports, "` `")
		if names != "" {
			names = "`" + names + "`"
		}
		words := strings.SplitN(all[pkg].synopsis, " ", 3) // Package NAME does …
		list = append(list, purpose{"`" + pkg + "`", words[len(words)-1], names})
	}
	packages := table.New("", "", list,
		table.Show("package", func(p purpose) string { return p.pkg }),
		table.Show("what it does", func(p purpose) string { return p.does }),
		table.Show("imports", func(p purpose) string { return p.imports })).Dense()
	return map[string]string{"packages": packages, "rooms": rooms.mermaid()}, nil
}

// room is the top-level folder of a package; the clock, which several share, is a room of
// its own.
func room(pkg string) string {
	top, _, _ := strings.Cut(pkg, "/")
	if pkg == "engine/clock" {
		return pkg
	}
	return top
}

// graph has the rooms that each room imports.
type graph map[string]map[string]bool

// add notes an import. What is internal is no room.
func (g graph) add(from, to string) {
	if from == to || from == "internal" || to == "internal" {
		return
	}
	if g[from] == nil {
		g[from] = map[string]bool{}
	}
	g[from][to] = true
}

// reaches reports whether from imports to, itself or through others.
func (g graph) reaches(from, to string) bool {
	for via := range g[from] {
		if via == to || g.reaches(via, to) {
			return true
		}
	}
	return false
}

// mermaid draws the graph without the arrows that follow from others.
func (g graph) mermaid() string {
	var b strings.Builder
	b.WriteString("```mermaid\ngraph TD\n")
	for _, from := range slices.Sorted(maps.Keys(g)) {
		for _, to := range slices.Sorted(maps.Keys(g[from])) {
			follows := false
			for via := range g[from] {
				follows = follows || g.reaches(via, to)
			}
			if !follows {
				fmt.Fprintf(&b, "    %s --> %s\n", from, to)
			}
		}
	}
	b.WriteString("```\n")
	return b.String()
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
