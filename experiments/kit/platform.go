package kit

import (
	"encoding/json"

	"gradsync/experiments/platforms"
	"gradsync/experiments/result"
	"gradsync/shared/cluster"
)

// Platform is p as a configuration records it: by name and hash where its file is one of
// package platforms, else whole, since no file says the rest.
func Platform(p *cluster.Platform) map[string]any {
	sum := hash(p)
	out := map[string]any{"name": p.Name, "sha256": sum}
	if file, err := platforms.Load(p.Name); err != nil || hash(file) != sum {
		bare := p.WithHosts(func(h *cluster.Host, _ bool) { h.Assumed = nil })
		bare.Note, bare.Assumed = "", nil
		for i := range bare.Nodes {
			bare.Nodes[i].Assumed = nil
		}
		for i := range bare.Codecs {
			bare.Codecs[i].Assumed = nil
		}
		out["platform"] = bare // its numbers; the reasons for them are no result
	}
	return out
}

// Load returns a platform of package platforms by its name. They are embedded, so a failure
// is a programmer's mistake.
func Load(name string) *cluster.Platform {
	p, err := platforms.Load(name)
	if err != nil {
		panic(err)
	}
	return p
}

func hash(p *cluster.Platform) string {
	raw, err := json.Marshal(p)
	if err != nil {
		panic(err) // a platform is strings and finite numbers
	}
	return result.Sum(raw)
}
