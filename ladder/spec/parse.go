package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/cadence-bench/cadence-bench/internal/nearest"
)

// Parse reads a ladder. An error is one line that begins with the file and the line.
func Parse(file string, data []byte) (*Ladder, error) {
	p := parser{file: file}
	doc, err := p.document(data)
	if err != nil {
		return nil, err
	}
	l, err := p.ladder(doc)
	if err != nil {
		return nil, err
	}
	l.Text = string(data)
	return l, nil
}

type parser struct{ file string }

// at is an error about a node.
func (p parser) at(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", p.file, n.Line, fmt.Sprintf(format, args...))
}

// syntax is how the YAML library says where it stopped.
var syntax = regexp.MustCompile(`^yaml: line (\d+): (.*)$`)

// document returns the root of the only document.
func (p parser) document(data []byte) (*yaml.Node, error) {
	var doc, more yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	err := dec.Decode(&doc)
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s:1: the file says nothing; a ladder has name, description and rungs", p.file)
	case err != nil:
		return nil, p.notYAML(err)
	}
	switch err := dec.Decode(&more); {
	case err == nil:
		return nil, p.at(&more, "a second document begins here; a file is one ladder")
	case !errors.Is(err, io.EOF):
		return nil, p.notYAML(err)
	}
	if doc.Kind == yaml.DocumentNode && len(doc.Content) == 1 {
		return doc.Content[0], nil
	}
	return nil, p.at(&doc, "this is no ladder; a ladder has name, description and rungs")
}

func (p parser) notYAML(err error) error {
	text := strings.Join(strings.Fields(err.Error()), " ")
	if m := syntax.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("%s:%s: not YAML: %s", p.file, m[1], m[2])
	}
	return fmt.Errorf("%s: not YAML: %s", p.file, strings.TrimPrefix(text, "yaml: "))
}

// field is a key of a mapping with its value.
type field struct{ key, value *yaml.Node }

// fields reads a mapping of known keys.
func (p parser) fields(n *yaml.Node, what string, known ...string) (map[string]field, error) {
	if n.Kind != yaml.MappingNode {
		return nil, p.at(n, "%s is %s; give its keys (%s), each as key: value", what, kindOf(n), strings.Join(known, ", "))
	}
	fields := map[string]field{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind != yaml.ScalarNode || !slices.Contains(known, k.Value) {
			return nil, p.at(k, "%s has no key %q: %s", what, k.Value, elsewhere(k.Value, known))
		}
		if first, twice := fields[k.Value]; twice {
			return nil, p.at(k, "%s has %s twice (first in line %d); drop one", what, k.Value, first.key.Line)
		}
		fields[k.Value] = field{k, v}
	}
	return fields, nil
}

// elsewhere says what an unknown key could have been.
func elsewhere(key string, known []string) string {
	for _, section := range []string{scheduler, cache} {
		if slices.Contains(keysOf(section), key) && !slices.Contains(known, key) {
			return "it belongs under " + section
		}
	}
	return nearest.Hint(key, known)
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias (rungs inherit by from: RUNG)"
	}
	if n.ShortTag() == "!!null" {
		return "empty"
	}
	return fmt.Sprintf("%q", n.Value)
}

func (p parser) ladder(n *yaml.Node) (*Ladder, error) {
	fields, err := p.fields(n, "a ladder", "name", "description", "rungs")
	if err != nil {
		return nil, err
	}
	l := &Ladder{}
	if l.Name, err = p.name(n, fields, "the ladder"); err != nil {
		return nil, err
	}
	if l.Description, err = p.sentence(n, fields, "description", "the ladder"); err != nil {
		return nil, err
	}
	list, ok := fields["rungs"]
	switch {
	case !ok:
		return nil, p.at(n, "the ladder has no rungs; give them as a list, lowest first")
	case list.value.Kind != yaml.SequenceNode || len(list.value.Content) == 0:
		return nil, p.at(list.value, "rungs is %s; give them as a list, lowest first", kindOf(list.value))
	}
	lines := map[string]int{}
	for _, item := range list.value.Content {
		r, err := p.rung(item, l.Rungs, list.value)
		if err != nil {
			return nil, err
		}
		if first, twice := lines[r.Name]; twice {
			return nil, p.at(item, "rung %q is there twice (first in line %d); give each its own name", r.Name, first)
		}
		lines[r.Name] = item.Line
		l.Rungs = append(l.Rungs, r)
	}
	if !slices.ContainsFunc(l.Rungs, func(r Rung) bool { return !r.Optional }) {
		return nil, p.at(list.key, "every rung is optional, so that none is measured unless it is named; drop optional from one")
	}
	return l, nil
}

// names are what cells' files can be called after.
var names = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// reserved is what --rungs takes for no rung at all.
const reserved = "none"

func (p parser) name(n *yaml.Node, fields map[string]field, what string) (string, error) {
	text, err := p.sentence(n, fields, "name", what)
	switch {
	case err != nil:
		return "", err
	case text == reserved:
		return "", p.at(fields["name"].value, "the name %q is taken: it stands for no rung at all; give another", text)
	case !names.MatchString(text):
		return "", p.at(fields["name"].value, "%q is not a name; give lower-case letters, digits, dots, dashes and underscores", text)
	}
	return text, nil
}

// sentence reads a text that must be there, as one line.
func (p parser) sentence(n *yaml.Node, fields map[string]field, key, what string) (string, error) {
	f, ok := fields[key]
	if !ok {
		return "", p.at(n, "%s has no %s; add %s: …", what, key, key)
	}
	text, err := p.text(f.value, key)
	if err != nil {
		return "", err
	}
	text = strings.Join(strings.Fields(text), " ")
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "", p.at(f.value, "%s must be a printable text, and not empty", key)
	}
	return text, nil
}

func (p parser) text(n *yaml.Node, key string) (string, error) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		return "", p.at(n, "%s is %s; give a text", key, kindOf(n))
	}
	if tag := n.ShortTag(); tag != "!!str" {
		return "", p.at(n, "%s is not a text but %s; put it into quotes", key, n.Value)
	}
	return n.Value, nil
}
