package platforms

import (
	"fmt"
	"strconv"
	"strings"

	"gradsync/shared/cluster"
)

// Plan says which platform Make makes.
type Plan struct {
	Name    string  // "": made of Workers, Slow and Factor
	Like    string  // platform or file whose devices its workers are; "": homogeneous6
	Workers int     // worker i is like worker i mod n of the n of Like
	Slow    int     // how many of them are slower, the last
	Factor  float64 // and how many times as long these take

	Link       string // of every NIC, with its unit; "": as in Like
	ServerLink string // of the server's; "": Link
	Latency    string // of a message, one way: each end has half of it; "": as in Like
}

// Make returns a platform of a plan. Whatever the plan leaves open, and the reasons for it, are
// those of the platform that it is like.
//
// Errors name the value of the plan that is out of its domain.
func Make(plan Plan) (*cluster.Platform, error) {
	if plan.Like == "" {
		plan.Like = "homogeneous6"
	}
	base, err := Load(plan.Like)
	if err != nil {
		return nil, err
	}
	switch {
	case plan.Workers < 1 || plan.Workers > cluster.MaxRanks:
		return nil, fmt.Errorf("platforms: %d workers, want 1 to %d", plan.Workers, cluster.MaxRanks)
	case plan.Slow < 0 || plan.Slow > plan.Workers:
		return nil, fmt.Errorf("platforms: %d slow workers, want 0 to %d", plan.Slow, plan.Workers)
	case plan.Slow > 0 && !(plan.Factor >= 1e-3 && plan.Factor <= 1e3):
		return nil, fmt.Errorf("platforms: factor %g, want 0.001 to 1000", plan.Factor)
	case len(base.Nodes) > 0:
		return nil, fmt.Errorf("platforms: %s has nodes of several workers, want one without", plan.Like)
	}
	p := base.Clone()
	p.Name, p.Workers = plan.Name, nil
	if p.Name == "" {
		p.Name = plan.name()
	}
	for i := range plan.Workers {
		p.Workers = append(p.Workers, base.Clone().Workers[i%len(base.Workers)])
		w := &p.Workers[i]
		w.Name = fmt.Sprintf("w%d", i)
		if first := plan.Workers - plan.Slow; i >= first {
			w.Name = fmt.Sprintf("slow%d", i-first)
			slowDown(w, plan.Factor)
		}
	}
	p.Note = plan.note(p.Server != nil)
	if err := plan.network(p); err != nil {
		return nil, err
	}
	return cluster.Parse(cluster.Marshal(p)) // what its file says, to the order of the reasons
}

// name returns a name that says how many workers there are.
func (plan Plan) name() string {
	name := fmt.Sprintf("own%d", plan.Workers)
	if plan.Slow > 0 {
		name += fmt.Sprintf("-slow%d-factor%g", plan.Slow, plan.Factor)
	}
	return name
}

// note says in words what the plan was.
func (plan Plan) note(server bool) string {
	note := fmt.Sprintf("%d workers like those of %s", plan.Workers, plan.Like)
	switch {
	case plan.Slow == 1:
		note += fmt.Sprintf(", the last takes %g times as long", plan.Factor)
	case plan.Slow > 1:
		note += fmt.Sprintf(", the last %d take %g times as long", plan.Slow, plan.Factor)
	}
	if !server {
		note += "; no server"
	}
	return note + ". Written by gradsync platform new."
}

// slowDown makes arithmetic and memory of w slower by a factor.
func slowDown(w *cluster.Host, factor float64) {
	why := fmt.Sprintf("takes %g times as long as the worker that it is like", factor)
	w.FLOPS = rounded(w.FLOPS / factor)
	assume(w, "flops", fmt.Sprintf("%s TFLOP/s", short(w.FLOPS/1e12)), why)
	if w.Memory > 0 {
		w.Memory = rounded(w.Memory / factor)
		assume(w, "memory", fmt.Sprintf("%s GB/s", short(w.Memory/1e9)), why)
	}
}

// short writes six significant digits, which a result keeps.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// rounded returns the number that short writes.
func rounded(v float64) float64 {
	r, _ := strconv.ParseFloat(short(v), 64) // a number
	return r
}

// network gives p the links and the latency of the plan.
func (plan Plan) network(p *cluster.Platform) error {
	set := func(h *cluster.Host, flag, text string) error {
		read, err := hostWith("bandwidth", text)
		if err != nil {
			return fmt.Errorf("platforms: %s %q: %w", flag, text, err)
		}
		h.Bandwidth = read.Bandwidth
		assume(h, "bandwidth", text, "given as "+flag)
		return nil
	}
	for i := range p.Workers {
		if plan.Link != "" {
			if err := set(&p.Workers[i], "--link", plan.Link); err != nil {
				return err
			}
		}
	}
	if p.Server != nil && plan.Link != "" {
		if err := set(p.Server, "--link", plan.Link); err != nil {
			return err
		}
	}
	switch {
	case plan.ServerLink != "" && p.Server == nil:
		return fmt.Errorf("platforms: --server-link %s: %s has no server", plan.ServerLink, plan.Like)
	case plan.ServerLink != "":
		if err := set(p.Server, "--server-link", plan.ServerLink); err != nil {
			return err
		}
	}
	if plan.Latency == "" {
		return nil
	}
	read, err := hostWith("latency", plan.Latency)
	if err != nil {
		return fmt.Errorf("platforms: --latency %q: %w", plan.Latency, err)
	}
	ends := p.WithHosts(func(h *cluster.Host, _ bool) {
		h.Latency = read.Latency / 2
		assume(h, "latency", h.Latency.String(), "half of the one-way latency given as --latency "+plan.Latency+"; the other end has the other half")
	})
	p.Workers, p.Server = ends.Workers, ends.Server
	return nil
}

// hostWith reads one value as a platform file has it.
func hostWith(field, text string) (cluster.Host, error) {
	values := map[string]string{"name": `"w"`, "flops": `"1 FLOP/s"`, "bandwidth": `"1 B/s"`}
	values[field] = strconv.Quote(text)
	p, err := cluster.Parse(workerPart.with(values))
	if err != nil {
		return cluster.Host{}, fmt.Errorf("%s", strings.TrimPrefix(bare(said(err), field), field+" = "))
	}
	return p.Workers[0], nil
}
