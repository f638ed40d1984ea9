package reports

import "testing"

func TestTry(t *testing.T) {
	s, err := newScripts()
	if err != nil { t.Fatal(err) }
	for _, f := range daspFormulas {
		m, err := s.mathML(f.TeX)
		if err != nil { t.Fatal(err) }
		t.Log(m)
	}
}
