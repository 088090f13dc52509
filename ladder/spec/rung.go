package spec

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/cadence-bench/cadence-bench/internal/nearest"
)

// rung reads one rung. below are those before it; list is the list that it is in.
func (p parser) rung(n *yaml.Node, below []Rung, list *yaml.Node) (Rung, error) {
	r := Rung{Settings: fallback()}
	fields, err := p.fields(n, "a rung", "name", "adds", "optional", "from", scheduler, cache, admissionSection)
	if err != nil {
		return r, err
	}
	if r.Name, err = p.name(n, fields, "a rung"); err != nil {
		return r, err
	}
	what := fmt.Sprintf("rung %q", r.Name)
	if r.Adds, err = p.sentence(n, fields, "adds", what); err != nil {
		return r, err
	}
	if f, ok := fields["optional"]; ok {
		if err := p.set(f.value, "optional", 0, &r.Optional); err != nil {
			return r, err
		}
	}
	if f, ok := fields["from"]; ok {
		if r.Settings, err = p.from(f.value, r.Name, below, list); err != nil {
			return r, err
		}
	}
	said := map[string]*yaml.Node{}
	for _, section := range []string{scheduler, cache} {
		f, ok := fields[section]
		if !ok {
			continue
		}
		if err := p.section(f.value, what, section, &r.Settings, said); err != nil {
			return r, err
		}
	}
	if f, ok := fields[admissionSection]; ok {
		if err := p.admission(f.value, what, &r.Admission); err != nil {
			return r, err
		}
	}
	r.complete()
	if key, problem := r.problem(); problem != "" {
		at := said[key]
		if at == nil {
			at = n
		}
		return r, p.at(at, "%s: %s", what, problem)
	}
	return r, nil
}

// complete puts in what a rung's other settings imply.
func (s *Settings) complete() {
	if s.Cache.Paged && s.Cache.BlockTokens == 0 {
		s.Cache.BlockTokens = defaultBlockTokens
	}
}

// from returns the settings of the rung that one inherits from.
func (p parser) from(n *yaml.Node, own string, below []Rung, list *yaml.Node) (Settings, error) {
	name, err := p.text(n, "from")
	if err != nil {
		return Settings{}, err
	}
	var known []string
	for i := range below {
		if below[i].Name == name {
			return below[i].Settings, nil
		}
		known = append(known, below[i].Name)
	}
	if line := lineOf(name, list); line > 0 {
		return Settings{}, p.at(n, "rung %q: from: %q stands in line %d; a rung inherits from one before it, so move that one up", own, name, line)
	}
	hint := "no rung stands before this one; drop from"
	if len(known) > 0 {
		hint = nearest.Hint(name, known)
	}
	return Settings{}, p.at(n, "rung %q: from: there is no rung %q: %s", own, name, hint)
}

// lineOf is where a list has a rung of this name, 0 if it has none.
func lineOf(name string, list *yaml.Node) int {
	for _, item := range list.Content {
		for i := 0; item.Kind == yaml.MappingNode && i+1 < len(item.Content); i += 2 {
			if item.Content[i].Value == "name" && item.Content[i+1].Value == name {
				return item.Line
			}
		}
	}
	return 0
}

// section reads the settings of a section into s, and notes where each was said.
func (p parser) section(n *yaml.Node, rung, section string, s *Settings, said map[string]*yaml.Node) error {
	fields, err := p.fields(n, rung+"'s "+section, keysOf(section)...)
	if err != nil {
		return err
	}
	for i := range settings {
		it := &settings[i]
		f, ok := fields[it.key]
		if it.section != section || !ok {
			continue
		}
		said[it.key] = f.key
		if err := p.set(f.value, it.key, it.max, it.at(s)); err != nil {
			return err
		}
		if it.own != nil {
			*it.own(s) = true
		}
	}
	return nil
}
