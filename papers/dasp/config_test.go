package dasp

import (
	"math"
	"strings"
	"testing"
	"time"
)

// TestEquation1Forms: every form at f_i = 20 ms, α = ½, for an oldest node that is
// slower, equal and faster. By hand; the cap at f_j shows in the last column.
func TestEquation1Forms(t *testing.T) {
	for _, c := range []struct {
		form                   WaitForm
		slower, equal, quicker time.Duration // f_j = 60, 20, 4 ms
	}{
		{WaitDifference, 20 * ms, 0, 0},
		{WaitAbsolute, 20 * ms, 0, 4 * ms}, // ½·16 = 8, capped
		{WaitConvex, 40 * ms, 20 * ms, 4 * ms},
		{WaitOldest, 30 * ms, 10 * ms, 2 * ms},
	} {
		for _, x := range []struct{ fj, want time.Duration }{{60 * ms, c.slower}, {20 * ms, c.equal}, {4 * ms, c.quicker}} {
			if got := c.form.Wait(0.5, 20*ms, x.fj); got != x.want {
				t.Errorf("%v, f_j = %v: T_wait = %v, want %v", c.form, x.fj, got, x.want)
			}
		}
		if c.form.Wait(0.5, 0, 60*ms) != 0 || c.form.Wait(0.5, 20*ms, 0) != 0 {
			t.Errorf("%v waits for an unknown iteration time", c.form)
		}
	}
}

// TestAlphaZero: α = 0 gives T_wait = 0 for every form but the convex one, which then waits f_j.
func TestAlphaZero(t *testing.T) {
	for _, form := range WaitForms() {
		want := time.Duration(0)
		if form == WaitConvex {
			want = 60 * ms
		}
		if got := form.Wait(0, 20*ms, 60*ms); got != want {
			t.Errorf("%v: T_wait = %v, want %v", form, got, want)
		}
	}
}

// TestNames: names and values agree in both directions.
func TestNames(t *testing.T) {
	for _, form := range WaitForms() {
		if got, err := ParseWaitForm(form.String()); err != nil || got != form {
			t.Errorf("%v parses as %v, %v", form, got, err)
		}
	}
	for _, s := range []Scale{scaleDefault, ScaleWorkers, ScaleGroup} {
		if got, err := ParseScale(s.String()); err != nil || got != s {
			t.Errorf("%v parses as %v, %v", s, got, err)
		}
	}
	for _, form := range []DurationForm{DurationCompute, DurationIteration} {
		if got, err := ParseDurationForm(form.String()); err != nil || got != form {
			t.Errorf("%v parses as %v, %v", form, got, err)
		}
	}
	if _, err := ParseDurationForm("wall"); err == nil {
		t.Error("duration wall parses")
	}
	if _, err := ParseWaitForm("sum"); err == nil {
		t.Error("form sum parses")
	}
	if _, err := ParseScale("2/N"); err == nil {
		t.Error("weight 2/N parses")
	}
}

// TestValidate: each bad value gives one line that names it.
func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"0 workers": func(c *Config) { c.Workers = 0 }, "Smin = -1": func(c *Config) { c.Smin = -1 },
		"Smax = 3": func(c *Config) { c.Smax = c.Smin }, "alpha = -0.1": func(c *Config) { c.Alpha = -0.1 },
		"alpha = NaN": func(c *Config) { c.Alpha = math.NaN() },
		"alpha = 1.5": func(c *Config) { c.Alpha, c.Wait = 1.5, WaitConvex },
		"form 9":      func(c *Config) { c.Wait = 9 }, "weight 0, 7": func(c *Config) { c.GroupWeight = 7 },
	} {
		c := DefaultConfig(6)
		change(&c)
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line with %q", err, want)
		}
	}
	for n := 1; n < 20; n++ {
		if err := DefaultConfig(n).Validate(); err != nil {
			t.Errorf("default for %d workers: %v", n, err)
		}
	}
	if c := DefaultConfig(6); c.Smin != 3 || c.Smax != 6 {
		t.Errorf("default thresholds (%d, %d), want (3, 6)", c.Smin, c.Smax)
	}
}
