package cli

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"
)

// cells returns the fields of a struct that --json prints: their names there in words, and their values.
func cells(row any) (names, texts []string) {
	v := reflect.ValueOf(row)
	for _, f := range reflect.VisibleFields(v.Type()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		field := v.FieldByIndex(f.Index)
		text := fmt.Sprint(field)
		switch field.Kind() {
		case reflect.Float64:
			text = fmt.Sprintf("%.4g", field.Float())
		case reflect.Map:
			text = strings.TrimSuffix(strings.TrimPrefix(text, "map["), "]")
		case reflect.Slice:
			var parts []string
			for i := range field.Len() {
				parts = append(parts, fmt.Sprint(field.Index(i)))
			}
			text = strings.Join(parts, "; ")
		}
		names, texts = append(names, strings.ReplaceAll(name, "_", " ")), append(texts, text)
	}
	return names, texts
}

// printRows prints structs as a table, a row each.
func printRows[T any](out io.Writer, rows []T) {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	for i, row := range rows {
		names, texts := cells(row)
		if i == 0 {
			fmt.Fprintln(w, strings.Join(names, "\t"))
		}
		fmt.Fprintln(w, strings.Join(texts, "\t"))
	}
	_ = w.Flush() // the command's writer keeps its first error
}

// printForms prints structs one after another, a line for each field that is not empty.
func printForms[T any](out io.Writer, rows ...T) {
	for _, row := range rows {
		w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
		names, texts := cells(row)
		for i, text := range texts {
			if text != "" {
				fmt.Fprintf(w, "%s\t%s\n", names[i], text)
			}
		}
		_ = w.Flush()
	}
}
