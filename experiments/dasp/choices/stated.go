package choices

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/platforms"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/shared/cluster"
)

// Stated returns Tables 1 to 3, whose bodies are lost: what we assume in their place. Nothing is run
// for them; the notebooks give the reasons.
func Stated() []exp.Experiment {
	one := stated("dasp/table1", "DASP, Table 1", setup.Homogeneous, func(r *result.Result) {
		f := claims.Number(float64(len(setup.Load(setup.Homogeneous).Workers)), nil, nil, 0)
		f.Input, f.Notes, f.Table = true, []result.Reason{result.Because("D41")}, "1"
		r.Claims = []result.Claim{claims.Verdict("D41", f)}
	})
	two := stated("dasp/table2", "DASP, Table 2", setup.Heterogeneous, func(*result.Result) {})
	three := kit.Inquiry{ID: "dasp/table3", Source: "DASP, Table 3", Kind: result.Stated, Profiles: exp.Profiles, Seconds: nothing,
		Config: func(profile string) map[string]any {
			return map[string]any{"options": setup.Options(), "sizes": setup.SizesOf(profile)}
		},
		Run: parameters}.Experiment()
	return []exp.Experiment{one, two, three}
}

func nothing(string, int) float64 { return 0 }

// stated returns a table of the hardware assumed for a cluster.
func stated(id, source, platform string, more func(*result.Result)) exp.Experiment {
	return kit.Inquiry{ID: id, Source: source, Kind: result.Stated, Profiles: exp.Profiles, Seconds: nothing, Seedless: true,
		Config: func(string) map[string]any { return map[string]any{"platform": kit.Platform(setup.Load(platform))} },
		Run: func(_ context.Context, _ exp.Env, r *result.Result) error {
			p := setup.Load(platform)
			r.Seeds = []uint64{}
			r.Facts = kit.Facts("workers", len(p.Workers))
			links := kit.NewSheet("links", "link/Gb/s")
			for _, l := range platforms.Links {
				links.Add(l.Bandwidth * 8 / 1e9)
			}
			r.Frames = []result.Frame{hostsFrame(p), assumptionsFrame(p), links.Frame}
			more(r)
			return nil
		}}.Experiment()
}

// hostsFrame lists the devices and links of a cluster, the server first. A worker's time factor is
// the speed of the fastest worker over its own.
func hostsFrame(p *cluster.Platform) result.Frame {
	fastest := slices.MaxFunc(p.Workers, func(a, b cluster.Host) int { return int(a.FLOPS - b.FLOPS) }).FLOPS
	s := kit.NewSheet("hosts", "host flops/TFLOP/s.2 factor memory/GB/s.0 jitter/%.1 link/Gb/s.1 latency/µs.1")
	for _, h := range p.Hosts(true) {
		s.Add(h.Name, h.FLOPS/1e12, kit.OnlyIf(h.Name != p.Server.Name, fastest/h.FLOPS), h.Memory/1e9, 100*h.Jitter, h.Bandwidth*8/1e9,
			1e6*h.Latency.Seconds())
	}
	return s.Frame
}

// assumption is a value that the paper does not give. Hosts that share value and reason share a row.
type assumption struct {
	cluster.Assumption
	hosts  []string
	number float64
	unit   string
}

// peaks holds the vendors' FP32 peaks of the cards in TFLOP/s, as the reasons of the platform files
// name them; a test compares both.
var peaks = map[string][2]float64{"v100": {15.7, 15.7}, "rtx2080ti": {13.4, 13.4}, "gtx1080ti": {11.3, 11.3},
	"p100": {9.3, 10.6}, "p100-0": {9.3, 10.6}, "t4": {8.1, 8.1}, "halfk80": {4.1, 4.4}}

// reached is the share of a card's memory bandwidth that we assume a run reaches.
const reached = 0.75

// assumptionsFrame lists each value chosen, for which hosts, and how sure we are, beside what the
// vendor says of the card. The notebook gives the reasons.
func assumptionsFrame(p *cluster.Platform) result.Frame {
	var rows []assumption
	add := func(who string, list []cluster.Assumption) {
		for _, a := range list {
			if i := slices.IndexFunc(rows, func(r assumption) bool { return r.Assumption == a }); i >= 0 {
				rows[i].hosts = append(rows[i].hosts, who)
				continue
			}
			row := assumption{Assumption: a, hosts: []string{who}}
			if _, err := fmt.Sscan(a.Value, &row.number, &row.unit); err != nil {
				panic("dasp: " + a.Value + " is no number with a unit") // embedded files: a test reads them all
			}
			row.unit = strings.Replace(row.unit, "us", "µs", 1)
			rows = append(rows, row)
		}
	}
	for _, h := range p.Hosts(true) {
		add(h.Name, h.Assumed)
	}
	add("cluster", p.Assumed)
	s := kit.NewSheet("assumptions", "hosts first field:field value unit vendor_least vendor_most confidence:confidence")
	for _, a := range rows {
		peak, card := peaks[a.hosts[0]]
		if a.Field == "memory" {
			peak = [2]float64{a.number / reached, a.number / reached}
		}
		card = card && (a.Field == "flops" || a.Field == "memory")
		s.Add(kit.Map(a.hosts, func(h string) any { return h }), a.hosts[0], a.Field, a.number, a.unit,
			kit.OnlyIf(card, peak[0]), kit.OnlyIf(card, peak[1]), a.Confidence)
	}
	return s.Frame
}

// parameters fills Table 3 with the parameters of every run.
func parameters(_ context.Context, env exp.Env, r *result.Result) error {
	r.Seeds = []uint64{}
	parameters := func(model string) int { return setup.FullSizeOf(model).Params }
	r.Facts = append(setup.Settings(), kit.Facts("ssp_bound/clocks", setup.SSPBound, "dssp_lower/clocks", setup.DSSPLower, "dssp_upper/clocks", setup.DSSPUpper,
		"launch/µs", 1e6*train.DefaultLaunch.Seconds(), "overhead/ms", setup.Milliseconds(train.DefaultOverhead), "lenet5_parameters", parameters("lenet5"),
		"vgg19_bn_parameters", parameters("vgg19_bn"), "changed", r.Profile == "quick")...)
	sizes, seeds := kit.NewSheet("sizes", setup.SizeColumns+" wanted:data"), kit.NewSheet("seeds", "seed")
	for _, s := range setup.SizesOf(r.Profile) {
		sizes.Add(s.Cells(s.Wanted())...)
	}
	for _, seed := range env.Seeds {
		seeds.Add(seed)
	}
	r.Frames = []result.Frame{sizes.Frame, seeds.Frame}
	return nil
}
