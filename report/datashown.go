package report

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// unitsShown are the units that headings name, with how columns for machines end for
// them and what one is in that column's unit.
var unitsShown = map[string]struct {
	suffix, unit string
	factor       float64
}{
	"rps":   {"_rps", "1/s", 1},
	"tok/s": {"_tokens_per_s", "tokens/s", 1},
	"s":     {"_s", "s", 1},
	"ms":    {"_s", "s", 1e-3},
	"µs":    {"_s", "s", 1e-6},
}

var (
	heading     = regexp.MustCompile(`^(.*\S) \(([^()]+)\)$`)
	numberShown = regexp.MustCompile(`^(>?)([+−-]?)([0-9]+(?:\.[0-9]+)?)(%?)[†‡§!✗⁰¹²³⁴⁵⁶⁷⁸⁹]*$`)
)

// shown makes data of a column for readers: text as it is, and numbers, where every
// cell of a column that is flush right is one, in basic units, with a column beside
// it where one is a lower bound.
func shown(c Column, cells []string) []Field {
	name, unit, factor := c.Name, "", 1.0
	if m := heading.FindStringSubmatch(c.Name); m != nil {
		if u, ok := unitsShown[m[2]]; ok {
			name, unit, factor = snake(m[1])+u.suffix, u.unit, u.factor
		}
	}
	f := Field{Name: snake(name), Unit: unit, Doc: "as shown under “" + c.Name + "”", values: make([]any, len(cells))}
	bounds := Field{Name: f.Name + "_is_lower_bound", Doc: "whether the true " + f.Name + " is above the one given", values: make([]any, len(cells))}
	bounded := false
	for i, cell := range cells {
		if cell == null {
			continue
		}
		m := numberShown.FindStringSubmatch(cell)
		if c.Left || m == nil {
			return []Field{asText(f, cells, !c.Left)}
		}
		v, _ := strconv.ParseFloat(m[3], 64) // which the pattern has checked
		if m[4] == "%" {
			v /= 100
		}
		if m[2] == "-" || m[2] == "−" {
			v = -v
		}
		f.values[i], bounds.values[i] = v*factor, m[1] == ">"
		bounded = bounded || m[1] == ">"
	}
	f.Rounded = !c.Left
	if bounded {
		return []Field{f, bounds}
	}
	return []Field{f}
}

func asText(f Field, cells []string, rounded bool) Field {
	f.Unit, f.Rounded = "", rounded
	for i, cell := range cells {
		f.values[i] = nil
		if cell != null {
			f.values[i] = textIf(cell)
		}
	}
	return f
}

// snake turns a heading into a name: its letters and digits, in lower case, with one
// underscore for what is between them.
func snake(heading string) string {
	words := strings.FieldsFunc(strings.ToLower(heading), func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	})
	if len(words) == 0 {
		return "name"
	}
	return strings.Join(words, "_")
}

// distinct numbers the later ones of columns with one name.
func distinct(fields []Field) []Field {
	seen := map[string]int{}
	for i := range fields {
		name := fields[i].Name
		if seen[name]++; seen[name] > 1 {
			fields[i].Name = fmt.Sprintf("%s_%d", name, seen[name])
		}
	}
	return fields
}
