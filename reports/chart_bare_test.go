package reports

import "testing"

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
