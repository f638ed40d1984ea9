package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/experiments/platforms"
	"gradsync/internal/oktest"
	"gradsync/shared/tensor/codec"
)

// A short calibration: the object has every codec at every density, and the file
// is a platform of --workers hosts with the rates at 10 %, each with its reason.
func TestCalibrate(t *testing.T) {
	oktest.Slow(t)
	file := filepath.Join(t.TempDir(), "mine.json")
	rc, out, msg := gradsync("calibrate", "--seconds", "0.1", "--workers", "3", "--bandwidth", "10 Gb/s", "--name", "mine", "--out", file, "--json")
	var got struct {
		Processor, Engine, File string
		FLOPS, Loopback, Copy   float64
		OfFile                  float64 `json:"density_of_the_file"`
		Densities               []struct {
			Density float64
			Rates   []struct {
				Name           string
				Encode, Decode float64
				Accumulate     float64 `json:"decode_and_add"`
			}
		}
	}
	d := json.NewDecoder(strings.NewReader(out))
	if err := d.Decode(&got); err != nil || rc != exitOK {
		t.Fatalf("exit code %d, %v, %s\n%s", rc, err, msg, out)
	}
	if got.Processor == "" || got.Engine == "" || got.File != file || got.FLOPS < 1e6 || got.Loopback < 1e6 || got.Copy < 1e6 || got.OfFile != 0.1 ||
		len(got.Densities) != 4 {
		t.Errorf("%+v", got)
	}
	var names []string
	for _, c := range codec.All() {
		names = append(names, c.Name())
	}
	names = append(names, "count", "convert")
	if s := strings.Join(names, " "); s != "dense bitmap coo rle bitmap+zstd bitmap+s2 count convert" {
		t.Errorf("this binary links codecs %s", s)
	}
	p := oktest.Must(platforms.Load(file))(t)
	if p.Name != "mine" || len(p.Workers) != 3 || p.Workers[2].Bandwidth != 1.25e9 || len(p.Codecs) != len(names)-1 {
		t.Fatalf("%+v", p)
	}
	for _, at := range got.Densities {
		for i, r := range at.Rates {
			if r.Name != names[i] || r.Encode < 1e6 || (r.Decode > 1e6) != (i < len(names)-2) || (r.Accumulate > 1e6) != (i < len(names)-2) {
				t.Errorf("density %g: %+v, want %s", at.Density, r, names[i])
			}
			if i == 0 || at.Density != 0.1 {
				continue
			}
			c := p.Codecs[i-1]
			if c.Name != r.Name || far(c.Encode, r.Encode) || far(c.Decode, r.Decode) || len(c.Assumed) == 0 || c.Assumed[0].Why == "" {
				t.Errorf("the file has %+v, measured were %+v", c, r)
			}
		}
		if len(at.Rates) != len(names) {
			t.Errorf("density %g: %d rates, want %d", at.Density, len(at.Rates), len(names))
		}
	}
}

// far says that a is not within a file's three digits of b.
func far(a, b float64) bool { return a < 0.99*b || a > 1.01*b }

// Without --json a table: one line per codec and pass, and no file.
func TestCalibrateTable(t *testing.T) {
	oktest.Slow(t)
	rc, out, msg := gradsync("calibrate", "--seconds", "0.1", "--quiet")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if rc != exitOK || msg != "" || len(lines) != 12 || strings.Join(fields(lines[2]), " ") != "density 1 % 10 % 50 % 100 %" ||
		!strings.HasPrefix(lines[9], "count ") || strings.Count(lines[4], " / ") != 8 {
		t.Errorf("exit code %d, %s\n%s", rc, msg, out)
	}
}
