package spec

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/internal/nearest"
)

// set reads a value into where it belongs. limit bounds a whole number.
func (p parser) set(n *yaml.Node, key string, limit int, into any) error {
	if floors, ok := into.(*[]engine.Floor); ok {
		return p.floors(n, floors)
	}
	if n.Kind != yaml.ScalarNode {
		return p.at(n, "%s is %s; give one value", key, kindOf(n))
	}
	var want string
	switch v := into.(type) {
	case *int:
		i, err := strconv.Atoi(n.Value)
		if err == nil && i >= 0 && i <= limit && n.ShortTag() == "!!int" {
			*v = i
			return nil
		}
		want = fmt.Sprintf("a whole number from 0 to %d", limit)
	case *bool:
		if b := n.Value == "true"; n.ShortTag() == "!!bool" && (b || n.Value == "false") {
			*v = b
			return nil
		}
		want = "true or false"
	case *float64:
		if share, ok := shareOf(n); ok {
			*v = share
			return nil
		}
		want = "a share from 0 to 1, such as 0.5"
	case *time.Duration:
		d, err := time.ParseDuration(n.Value)
		if err == nil && d >= 0 && d <= maxWait {
			*v = d
			return nil
		}
		want = fmt.Sprintf("a duration from 0s to %v with its unit, such as 50ms", maxWait)
	case *engine.Order:
		return p.order(n, v)
	default:
		panic(fmt.Sprintf("spec: %s has a value of type %T", key, into))
	}
	return p.at(n, "%s is %s; give %s", key, kindOf(n), want)
}

// shareOf reads a number from 0 to 1.
func shareOf(n *yaml.Node) (float64, bool) {
	if tag := n.ShortTag(); tag != "!!int" && tag != "!!float" {
		return 0, false
	}
	x, err := strconv.ParseFloat(n.Value, 64)
	return x + 0, err == nil && x >= 0 && x <= 1 // + 0 makes -0 a 0
}

func (p parser) order(n *yaml.Node, into *engine.Order) error {
	known := []string{engine.FIFO.String(), engine.EDF.String()}
	for i, name := range known {
		if n.Value == name {
			*into = []engine.Order{engine.FIFO, engine.EDF}[i]
			return nil
		}
	}
	return p.at(n, "order is %s: %s", kindOf(n), nearest.Hint(n.Value, known))
}

// floors reads a mapping from classes to shares, in its order. It replaces what was
// inherited; {} takes all floors away.
func (p parser) floors(n *yaml.Node, into *[]engine.Floor) error {
	if n.Kind != yaml.MappingNode {
		return p.at(n, "floors is %s; give a share for each class, such as {shared: 0.3}", kindOf(n))
	}
	*into = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		class, err := p.text(k, "the class of a floor")
		if err != nil {
			return err
		}
		if strings.ContainsFunc(class, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return p.at(k, "the class of a floor must be printable")
		}
		share, ok := shareOf(v)
		if v.Kind != yaml.ScalarNode || !ok || share == 0 {
			return p.at(v, "the floor of class %q is %s; give a share above 0 and at most 1", class, kindOf(v))
		}
		for _, f := range *into {
			if f.Class == class {
				return p.at(k, "class %q has two floors; drop one", class)
			}
		}
		*into = append(*into, engine.Floor{Class: class, Share: share})
	}
	return nil
}
