package spec

import (
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/cadence-bench/cadence-bench/engine"
)

// Render writes the ladder as a file in which every rung says all of its settings and
// inherits none, so that it reads the same whatever defaults there will be. What a rung
// leaves to a flag stays left out.
func (l *Ladder) Render() (string, error) {
	rungs := &yaml.Node{Kind: yaml.SequenceNode}
	for i := range l.Rungs {
		rungs.Content = append(rungs.Content, l.Rungs[i].node())
	}
	root := mapping("name", text(l.Name), "description", text(l.Description), "rungs", rungs)
	data, err := yaml.Marshal(root)
	return string(data), err
}

func (r *Rung) node() *yaml.Node {
	sections := map[string]*yaml.Node{scheduler: mapping(), cache: mapping()}
	for i := range settings {
		s := &settings[i]
		if s.own != nil && !*s.own(&r.Settings) {
			continue
		}
		n := sections[s.section]
		n.Content = append(n.Content, text(s.key), s.node(r.Settings))
	}
	n := mapping("name", text(r.Name), "adds", text(r.Adds), "optional", plain(strconv.FormatBool(r.Optional)),
		scheduler, sections[scheduler], cache, sections[cache])
	if a := admissionNode(r.Admission); a != nil {
		n.Content = append(n.Content, text(admissionSection), a)
	}
	return n
}

func (s *setting) node(of Settings) *yaml.Node {
	floors, ok := s.at(&of).(*[]engine.Floor)
	if !ok {
		return plain(s.value(of))
	}
	n := mapping()
	n.Style = yaml.FlowStyle
	for _, f := range *floors {
		n.Content = append(n.Content, text(f.Class), plain(strconv.FormatFloat(f.Share, 'g', -1, 64)))
	}
	return n
}

// mapping takes keys and *yaml.Nodes in turn.
func mapping(pairs ...any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i+1 < len(pairs); i += 2 {
		n.Content = append(n.Content, text(pairs[i].(string)), pairs[i+1].(*yaml.Node))
	}
	return n
}

// text is a string, which the encoder quotes where it would not read as one.
func text(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }

func plain(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: s} }

// Of returns a ladder of rungs, with the text that it would be read from.
func Of(name, description string, rungs []Rung) (*Ladder, error) {
	l := Ladder{Name: name, Description: description, Rungs: rungs}
	text, err := l.Render()
	if err != nil {
		return nil, err
	}
	return Parse(name, []byte(text))
}
