package strict

import "testing"

func TestJSON(t *testing.T) {
	type one struct{ A int }
	for text, want := range map[string]string{
		`{"a":1}` + "\n": "", `{"a":1,"b":2}`: `json: unknown field "b"`, `{"a":1}{}`: "something follows its end",
		`{"a":1}]`: "something follows its end", `{"a":`: "unexpected EOF",
	} {
		var got one
		err := JSON([]byte(text), &got)
		if (err == nil) != (want == "") || err != nil && err.Error() != want || err == nil && got.A != 1 {
			t.Errorf("%s: %v, %v, want %q", text, got, err, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a wrong file is embedded")
		}
	}()
	Embedded[[]one]([]byte(`[{"A":1,"B":2}]`))
}
