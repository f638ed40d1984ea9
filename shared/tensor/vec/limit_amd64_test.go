package vec

import "testing"

func TestTheVariableLimitsTheSet(t *testing.T) {
	if active != widest() {
		t.Errorf("%v is in use, the widest is %v", active, widest())
	}
	t.Setenv("GRADSYNC_CPU", "")
	has := widest()
	for value, most := range map[string]isa{"avx2": avx2, "portable": portable} {
		t.Setenv("GRADSYNC_CPU", value)
		if got := widest(); got != min(has, most) {
			t.Errorf("GRADSYNC_CPU=%s: %v, want %v", value, got, min(has, most))
		}
	}
}
