package kit

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/platforms"
	"gradsync/experiments/result"
	"gradsync/shared/cluster"
)

// stale lists the platforms in a configuration whose hash is not their file's today.
func stale(config any) (out []string) {
	switch x := config.(type) {
	case []any:
		for _, v := range x {
			out = append(out, stale(v)...)
		}
	case map[string]any:
		name, _ := x["name"].(string)
		sum, _ := x["sha256"].(string)
		if _, whole := x["platform"]; sum != "" && !whole {
			if p, err := platforms.Load(name); err != nil {
				out = append(out, err.Error())
			} else if hash(p) != sum {
				out = append(out, fmt.Sprintf("%s is %s today, was %s", name, hash(p)[:12], sum))
			}
		}
		for _, key := range slices.Sorted(maps.Keys(x)) {
			out = append(out, stale(x[key])...)
		}
	}
	return out
}

// A platform of a file stands in a result by its name and hash, any other whole, without
// the reasons for its numbers.
func TestPlatform(t *testing.T) {
	p, err := platforms.Load("heterogeneous6")
	if err != nil {
		t.Fatal(err)
	}
	named := Platform(p)
	if named["name"] != "heterogeneous6" || len(named) != 2 || len(stale(map[string]any{"list": []any{named}})) != 0 {
		t.Errorf("a platform of a file is %v", named)
	}
	named["sha256"] = strings.Repeat("0", 64)
	if got := stale(map[string]any{"list": []any{named}}); len(got) != 1 || !strings.Contains(got[0], "heterogeneous6 is") {
		t.Errorf("another hash: %v", got)
	}
	if got := stale(map[string]any{"name": "none", "sha256": "00"}); len(got) != 1 {
		t.Errorf("no such file: %v", got)
	}
	other := p.WithHosts(func(h *cluster.Host, server bool) { h.Bandwidth *= 10 })
	whole := Platform(other)
	bare, ok := whole["platform"].(*cluster.Platform)
	if !ok || whole["sha256"] == Platform(p)["sha256"] || len(stale(whole)) != 0 {
		t.Fatalf("a platform of no file is %v", whole)
	}
	if bare.Note != "" || bare.Assumed != nil || bare.Workers[0].Assumed != nil || bare.Workers[0].Bandwidth != other.Workers[0].Bandwidth {
		t.Errorf("it stands there as %+v", bare)
	}
	if other.Note == "" || other.Workers[0].Assumed == nil {
		t.Error("the platform itself lost its reasons")
	}
}

// Every platform that a committed result names has today the bytes that it had then.
func TestCommittedPlatforms(t *testing.T) {
	for _, pattern := range []string{"../results/*/*.json", "../results/*/*/*.json"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if strings.HasSuffix(f, ".run.json") {
				continue
			}
			r, err := result.Read(f)
			if err != nil {
				t.Error(err)
				continue
			}
			for _, s := range stale(r.Config) {
				t.Errorf("%s: platform %s: run it again", f, s)
			}
		}
	}
}
