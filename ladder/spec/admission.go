package spec

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/policies"
	"github.com/cadence-bench/cadence-bench/internal/nearest"
)

// admissionSection is the section of a rung's admission policy, and its mechanism. Its keys are
// these words and the parameters of the policy.
const admissionSection = "admission"

var gateWords = []string{"policy", "predictor", "score"}

// admission reads a rung's admission policy into spec, which has what it inherits. A
// policy that is not the inherited one begins with its own defaults.
func (p parser) admission(n *yaml.Node, rung string, spec *admission.Spec) error {
	if n.Kind != yaml.MappingNode {
		return p.at(n, "%s's admission is %s; give its policy and the policy's parameters, each as key: value", rung, kindOf(n))
	}
	given, err := p.text(valueOf(n, "policy"), "policy")
	switch {
	case valueOf(n, "policy") == n && spec.Policy == "":
		return p.at(n, "%s's admission has no policy; choose from %s", rung, strings.Join(policyNames(), ", "))
	case valueOf(n, "policy") == n:
		given = spec.Policy
	case err != nil:
		return err
	}
	kind, ok := kindNamed(given)
	if !ok {
		return p.at(valueOf(n, "policy"), "%s: there is no admission policy %q: %s", rung, given, nearest.Hint(given, policyNames()))
	}
	if given != spec.Policy {
		*spec = admission.Spec{Policy: given}
	}
	known := slices.Clone(gateWords)
	for _, param := range kind.Params {
		known = append(known, param.Name)
	}
	fields, err := p.fields(n, fmt.Sprintf("%s's admission (policy %s)", rung, given), known...)
	if err != nil {
		return err
	}
	for word, into := range map[string]*string{"predictor": &spec.Predictor, "score": &spec.Score} {
		if f, ok := fields[word]; ok {
			if *into, err = p.text(f.value, word); err != nil {
				return err
			}
		}
	}
	spec.Params = maps.Clone(spec.Params) // what is inherited stays as it is
	for _, param := range kind.Params {
		if f, ok := fields[param.Name]; ok {
			if spec.Params == nil {
				spec.Params = map[string]float64{}
			}
			if spec.Params[param.Name], err = p.param(f.value, param); err != nil {
				return err
			}
		}
	}
	if err := policies.Check(*spec); err != nil {
		return p.at(n, "%s: %s", rung, strings.TrimPrefix(err.Error(), "admission: "))
	}
	return nil
}

// valueOf is the value of a key of a mapping or, when it has none, the mapping.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return n
}

// param reads a number; one in seconds may be a duration with its unit.
func (p parser) param(n *yaml.Node, param admission.Param) (float64, error) {
	want := fmt.Sprintf("a number from %g to %g", param.Min, param.Max)
	if n.Kind == yaml.ScalarNode {
		tag := n.ShortTag()
		x, err := strconv.ParseFloat(n.Value, 64)
		ok := err == nil && (tag == "!!int" || tag == "!!float")
		if param.Unit == "s" {
			want += " in seconds, or a duration such as 50ms"
			if d, err := time.ParseDuration(n.Value); err == nil && tag == "!!str" {
				x, ok = d.Seconds(), true
			}
		} else if param.Unit != "" {
			want += " (" + param.Unit + ")"
		}
		if ok && x >= param.Min && x <= param.Max {
			return x + 0, nil // + 0 makes -0 a 0
		}
	}
	return 0, p.at(n, "%s is %s; give %s", param.Name, kindOf(n), want)
}

func policyNames() []string {
	var names []string
	for _, k := range policies.Kinds() {
		names = append(names, k.Name)
	}
	return names
}

func kindNamed(name string) (admission.Kind, bool) {
	kinds := policies.Kinds()
	i := slices.IndexFunc(kinds, func(k admission.Kind) bool { return k.Name == name })
	if i < 0 {
		return admission.Kind{}, false
	}
	return kinds[i], true
}

// admissionNode writes a rung's admission policy; nil is none.
func admissionNode(s admission.Spec) *yaml.Node {
	if s.Policy == "" {
		return nil
	}
	n := mapping("policy", text(s.Policy))
	for _, word := range []struct{ key, value string }{{"predictor", s.Predictor}, {"score", s.Score}} {
		if word.value != "" {
			n.Content = append(n.Content, text(word.key), text(word.value))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Params)) {
		n.Content = append(n.Content, text(name), plain(strconv.FormatFloat(s.Params[name], 'g', -1, 64)))
	}
	return n
}

// admissionValues are the keys of a rung's admission policy and their values, defaults
// filled in.
func admissionValues(s admission.Spec) (keys []string, values map[string]string) {
	values = map[string]string{"policy": "off"}
	keys = slices.Clone(gateWords)
	if s.Policy == "" {
		return keys, values
	}
	for word, value := range map[string]string{"policy": s.Policy, "predictor": s.Predictor, "score": s.Score} {
		values[word] = value
	}
	if kind, ok := kindNamed(s.Policy); ok {
		for _, param := range kind.Params {
			x, given := s.Params[param.Name]
			if !given {
				x = param.Default
			}
			keys = append(keys, param.Name)
			values[param.Name] = strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	return keys, values
}

// admissionParams are a rung's admission policy and its parameters by documented name,
// defaults filled in, as a cell keeps them: admission, and admission_ before the rest.
// There are none without a policy.
func admissionParams(s admission.Spec) map[string]string {
	if s.Policy == "" {
		return nil
	}
	keys, values := admissionValues(s)
	params := map[string]string{admissionSection: s.Policy}
	for _, key := range keys[1:] {
		if values[key] != "" {
			params[admissionSection+"_"+key] = values[key]
		}
	}
	return params
}

// admissionChanges compares two rungs' admission policies. Parameters of a policy that
// the other rung does not have are part of the policy, and not changes of their own.
func admissionChanges(below, here admission.Spec) []Change {
	_, was := admissionValues(below)
	keys, is := admissionValues(here)
	var all []Change
	for _, key := range keys {
		if was[key] != is[key] && (key == "policy" || was["policy"] == is["policy"]) {
			all = append(all, Change{admissionSection + "." + key, admissionSection, orDefault(was[key]), orDefault(is[key])})
		}
	}
	return all
}

// orDefault is a value, or the word for one that is left to the policy.
func orDefault(value string) string {
	if value == "" {
		return "default"
	}
	return value
}
