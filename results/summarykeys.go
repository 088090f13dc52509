package results

import (
	"reflect"
	"slices"
	"strings"
)

// SummaryKeys returns the keys of summary.json, in its order.
func SummaryKeys() []Column {
	var keys []Column
	for _, f := range summaryFields() {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		keys = append(keys, Column{key, Type(jsonType(f.Type)), f.Tag.Get("unit"), f.Tag.Get("null"), f.Tag.Get("doc")})
	}
	return keys
}

// Rules are what no row may show. A cell with a row that does is invalid.
func Rules() []string {
	var texts []string
	for _, r := range slices.Concat(rules, cellRules(nil)) {
		texts = append(texts, r.text)
	}
	return texts
}

// jsonType names the JSON type of a field of CellSummary.
func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Struct {
			return "array of objects"
		}
		return "array of strings"
	}
	return "number"
}
