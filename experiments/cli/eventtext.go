package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// folder is name in letters, digits and .-_ alone.
func folder(name string) string {
	parts := strings.FieldsFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(".-_", r))
	})
	return strings.Trim(strings.Join(parts, "-"), ".-")
}

// asMap is v as JSON has it, with its numbers as they are written.
func asMap(v any) (map[string]any, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("tensorboard: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var out map[string]any
	if err := dec.Decode(&out); err != nil {
		return nil, fmt.Errorf("tensorboard: %w", err)
	}
	return out, nil
}

// numbers calls put with each number below v, named by its path. Histograms and
// what was given are left to the text.
func numbers(path string, v any, put func(tag string, value float64)) {
	switch v := v.(type) {
	case json.Number:
		if value, err := v.Float64(); err == nil {
			put(path, value)
		}
	case []any:
		for i, each := range v {
			numbers(fmt.Sprintf("%s/%d", path, i), each, put)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if k != "counts" && k != "options" && k != "rates" {
				numbers(path+"/"+k, v[k], put)
			}
		}
	}
}

// markdown is an object as a table, and below it as JSON what stands deeper: in
// a cell it would leave the names no room.
func markdown(v map[string]any) string {
	var table, deeper strings.Builder
	table.WriteString("| name | value |\n|---|---|\n")
	for _, k := range slices.Sorted(maps.Keys(v)) {
		text, ok := v[k].(string)
		if !ok {
			raw, err := json.MarshalIndent(v[k], "", "  ")
			if err != nil {
				raw = []byte(err.Error())
			}
			text = string(raw)
		}
		if strings.ContainsRune(text, '\n') {
			fmt.Fprintf(&deeper, "\n%s:\n\n```\n%s\n```\n", k, text)
			continue
		}
		fmt.Fprintf(&table, "| %s | %s |\n", k, cellText(text))
	}
	return table.String() + deeper.String()
}

// cellText is text as a cell of a table.
func cellText(text string) string { return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text) }
