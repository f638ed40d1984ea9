package reports

import "testing"

// Clip paths that are the same become one and marks of one shape one
// definition; what differs stays.
func TestRepeatedShapesAreSaidOnce(t *testing.T) {
	const mark = "M1 0A1 1 0 1 1 1 -0.1A1 1 0 0 1 1 0"
	in := `<svg><defs><clipPath id="a-c0"><path d="M0 0l9 0"></path></clipPath>` + "\n" +
		`<clipPath id="a-c1"><path d="M0 0l9 0"></path></clipPath>` + "\n" + `<clipPath id="a-c10"><path d="M0 0l8 0"></path></clipPath>` + "\n" +
		`</defs><g clip-path="url(#a-c0)"></g><g clip-path="url(#a-c1)"></g><g clip-path="url(#a-c10)"></g>` +
		`<path d="` + mark + `" fill="red"></path><path d="` + mark + `" fill="blue"></path><path d="` + mark + `"></path>` +
		`<path d="M85.3 192.7L112 194L138.7 188.4"></path></svg>`
	want := `<svg><defs><path id="a-m0" d="` + mark + `"></path></defs><defs><clipPath id="a-c0"><path d="M0 0l9 0"></path></clipPath>` + "\n" +
		`<clipPath id="a-c10"><path d="M0 0l8 0"></path></clipPath>` + "\n" +
		`</defs><g clip-path="url(#a-c0)"></g><g clip-path="url(#a-c0)"></g><g clip-path="url(#a-c10)"></g>` +
		`<use href="#a-m0" fill="red"></use><use href="#a-m0" fill="blue"></use><use href="#a-m0"></use>` +
		`<path d="M85.3 192.7L112 194L138.7 188.4"></path></svg>`
	if got := reuse("a", oneClip(in)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The option of a chart holds bare values, whatever go-echarts wraps them in,
// and keeps what says more than its value.
func TestBareValues(t *testing.T) {
	named := map[string]any{"value": 3.0, "name": "n"}
	data := []any{map[string]any{"value": []any{1.0, 2.0}}, named, 4.0}
	bare(map[string]any{"series": []any{map[string]any{"data": data}, map[string]any{}}})
	if pair, ok := data[0].([]any); !ok || len(pair) != 2 {
		t.Errorf("a point became %v", data[0])
	}
	if kept, ok := data[1].(map[string]any); !ok || kept["name"] != "n" || data[2] != 4.0 {
		t.Errorf("data became %v", data)
	}
}
