package compare

import (
	"fmt"
	"slices"
	"strings"

	network "gradsync/shared/tensor/model"
)

// largeNet is the size of weights in bytes from which a network is called large.
const largeNet = 10e6

// netBytes is how large a network's weights are, and so each of its gradients.
func netBytes(name string) float64 {
	m, err := network.New(name)
	if err != nil {
		panic(err) // plans name networks that there are
	}
	return 4 * float64(m.NumParams())
}

// sized names networks with their sizes: "LeNet-5 (0.25 MB) and MLP (2.7 MB)".
func sized(models []string) string {
	var out []string
	for _, m := range models {
		out = append(out, fmt.Sprintf("%s (%.2g MB)", modelTitle[m], netBytes(m)/1e6))
	}
	return join(out)
}

// bySize parts the plan's networks in small and large ones.
func (g *guide) bySize() (small, large []string) {
	for _, m := range g.plan.Models {
		if netBytes(m) < largeNet {
			small = append(small, m)
		} else {
			large = append(large, m)
		}
	}
	return small, large
}

// among is who is best at points of one link: one name, or several with their N: "one
// worker alone (N = 4), ring (N = 8)".
func (g *guide) among(points []point, allowed func(method) bool) string {
	var names []string
	of := map[string][]int{}
	for _, n := range g.plan.Nodes {
		c := g.tally(slices.DeleteFunc(slices.Clone(points), func(p point) bool { return p.Nodes != n }), allowed)
		name := c.use()
		if of[name] == nil {
			names = append(names, name)
		}
		of[name] = append(of[name], n)
	}
	if len(names) == 1 {
		return names[0]
	}
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprintf("%s (N = %s)", n, spell(of[n])))
	}
	return strings.Join(out, ", ")
}

// family is networks that are answered for together.
type family struct {
	Title  string
	Models []string
}

// each is every network by itself.
func (g *guide) each() (out []family) {
	for _, m := range g.plan.Models {
		out = append(out, family{modelTitle[m], []string{m}})
	}
	return out
}

// regions says who is best where: families with the same answer are joined, and so are
// neighbouring links: "ResNet-18 and VGG-19-BN: one worker alone at 1 Gb/s, ring from 10 Gb/s".
func (g *guide) regions(points []point, families []family, answer func([]point) string) string {
	var answers []string
	of := map[string][]string{}
	for _, f := range families {
		var names []string
		var at [][]float64
		last := 0.0
		for _, l := range g.plan.Links {
			here := slices.DeleteFunc(slices.Clone(points), func(p point) bool { return !slices.Contains(f.Models, p.Model) || p.Gbps != l })
			if len(here) == 0 {
				continue
			}
			last = l
			name := answer(here)
			if n := len(names); n > 0 && names[n-1] == name {
				at[n-1] = append(at[n-1], l)
				continue
			}
			names, at = append(names, name), append(at, []float64{l})
		}
		if len(names) == 0 {
			continue
		}
		a := where(names, at, last)
		if of[a] == nil {
			answers = append(answers, a)
		}
		of[a] = append(of[a], f.Title)
	}
	var out []string
	for _, a := range answers {
		out = append(out, join(of[a])+": "+a)
	}
	return strings.Join(out, "; ")
}

// byNetwork are the regions of single networks.
func (g *guide) byNetwork(points []point, allowed func(method) bool) string {
	return g.regions(points, g.each(), func(at []point) string { return g.among(at, allowed) })
}

// where spells names with their links; last is the fastest link asked about.
func where(names []string, at [][]float64, last float64) string {
	if len(names) == 1 {
		return names[0]
	}
	var out []string
	for i, n := range names {
		switch l := at[i]; {
		case len(l) > 1 && l[len(l)-1] == last:
			out = append(out, fmt.Sprintf("%s from %s", n, linkName(l[0])))
		case len(l) > 1:
			out = append(out, fmt.Sprintf("%s at %g to %s", n, l[0], linkName(l[len(l)-1])))
		default:
			out = append(out, fmt.Sprintf("%s at %s", n, linkName(l[0])))
		}
	}
	return strings.Join(out, ", ")
}

// shortNotes are the answer before all others, one sentence per set of workers.
func (g *guide) shortNotes() []string {
	small, large := g.bySize()
	families, sizes := []family{{"small networks", small}}, "Small: "+sized(small)
	if len(large) > 0 {
		families, sizes = append(families, family{"large networks", large}), sizes+"; large: "+sized(large)
	}
	var out []string
	for _, set := range g.plan.Sets {
		at := g.points(func(p point) bool { return p.Set == set })
		title := setTitle[set]
		out = append(out, fmt.Sprintf("%s%s – %s.", strings.ToUpper(title[:1]), title[1:], g.regions(at, families, func(here []point) string { return g.tally(here, noMulticast).use() })))
	}
	out[0] = "In short, what is best in most cases, without multicast. " + out[0]
	out[len(out)-1] += " " + sizes + "."
	return out
}

// advice is one situation: who is best how often, and by how much; networkTable says where.
func (g *guide) advice(situation string, points []point, allowed func(method) bool) string {
	c := g.tally(points, allowed)
	if c.Of == 0 {
		return situation + ": not known, no method could be weighed."
	}
	out := fmt.Sprintf("%s. Best: %s", situation, c.words())
	if must := g.must(points, allowed); must.Of > 0 {
		out += "; where one worker alone is best but data must stay where they are, " + must.words()
	}
	if len(c.Margins) > 0 {
		out += "; where a method wins, the second method takes longer by " + c.margin()
	}
	return out + "."
}

// pays reports whether the best method that allowed takes beats one worker alone at p.
func (g *guide) pays(p point, allowed func(method) bool) bool {
	return g.tally([]point{p}, allowed).pays() == 1
}
