// Package platforms holds the clusters that the experiments run on, each value
// with its reason and how sure we are of it, and the sweep over plausible ones.
//
// The documents name hardly any device. What a platform assumes is therefore a
// part of every result that ran on it: claims on iteration times are judged over many
// platforms (dasp/multiverse), of which reference6 and reference6-equal are in the middle.
//
// README.md is the manual of platforms, schema/platform.schema.json their JSON Schema. Make
// writes one of one's own, Check lists what is wrong with a file.
package platforms

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"sort"
	"strings"
	"time"

	"gradsync/internal/readfile"
	"gradsync/shared/cluster"
)

//go:embed *.json
var files embed.FS

// Names lists the embedded platforms, sorted.
func Names() []string {
	paths, err := fs.Glob(files, "*.json")
	if err != nil {
		panic(err) // the pattern is well formed
	}
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = strings.TrimSuffix(path.Base(p), ".json")
	}
	sort.Strings(names)
	return names
}

// Load returns the embedded platform of a name, or reads a file: one in the format of
// cluster.Parse, or a result, of which FILE#KEY chooses a platform (inResult). A name
// without "." or "/" is never a file.
func Load(nameOrPath string) (*cluster.Platform, error) {
	raw, err := files.ReadFile(nameOrPath + ".json")
	if err == nil {
		return cluster.Parse(raw)
	}
	if !strings.ContainsAny(nameOrPath, `./\`) {
		return nil, fmt.Errorf("platforms: no platform %q: known are %s, or give a file", nameOrPath, strings.Join(Names(), ", "))
	}
	raw, file, key, err := Read(nameOrPath)
	if err != nil {
		return nil, err
	}
	if isResult(raw) {
		p, err := inResult(raw, key)
		if err != nil {
			return nil, fmt.Errorf("platforms: %s: %w", file, err)
		}
		return p, nil
	}
	if key != "" {
		return nil, fmt.Errorf("platforms: %s is no result: #%s chooses one of a result's platforms", file, key)
	}
	p, err := cluster.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("platforms: %s: %w; `gradsync platform check %[1]s` lists all", nameOrPath, err)
	}
	return p, nil
}

// maxFile is the size in bytes of the largest file that is read, a platform or a result.
const maxFile = 16 * readfile.MiB

// Read returns the content of FILE or FILE#KEY, and both parts.
func Read(path string) (raw []byte, file, key string, err error) {
	file = path
	info, err := os.Stat(file)
	if at := strings.LastIndexByte(path, '#'); errors.Is(err, fs.ErrNotExist) && at > 0 {
		file, key = path[:at], path[at+1:]
		info, err = os.Stat(file)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, file, key, fmt.Errorf("platforms: no file %s", file)
	case err == nil && !info.Mode().IsRegular():
		return nil, file, key, fmt.Errorf("platforms: %s is no file: want a platform or a result", file)
	}
	if raw, err = readfile.Limited(file, maxFile); err != nil {
		return nil, file, key, fmt.Errorf("platforms: %w", err)
	}
	return raw, file, key, nil
}

// Default is the platform of a run that names none.
const Default = "heterogeneous6"

// Choose loads a platform for a number of workers, 0: all of its own; name "" is Default. A
// platform of fewer workers is a *TooFewError: another cluster is never put in its place.
func Choose(name string, workers int) (*cluster.Platform, error) {
	if name == "" {
		name = Default
	}
	p, err := Load(name)
	if err == nil && workers > len(p.Workers) {
		return nil, &TooFewError{name, len(p.Workers), workers}
	}
	return p, err
}

// TooFewError says that a platform has fewer workers than a run asks for.
type TooFewError struct {
	Name        string // as it was given
	Has, Wanted int
}

// Error says how to make a platform of that number of workers.
func (e *TooFewError) Error() string {
	if e.Wanted > cluster.MaxRanks {
		return fmt.Sprintf("platforms: %d workers, want 1 to %d", e.Wanted, cluster.MaxRanks)
	}
	file := fmt.Sprintf("p%d.json", e.Wanted)
	return fmt.Sprintf("platforms: %d workers, platform %s has %d: `gradsync platform new --workers %[1]d --like %[2]s --out %[4]s` makes one of its kinds, "+
		"then --platform %[4]s", e.Wanted, e.Name, e.Has, file)
}

// Sum returns the SHA-256 of p, reasons included: what a result's configuration names.
func Sum(p *cluster.Platform) string {
	raw, err := json.Marshal(p)
	if err != nil {
		panic(err) // a platform is strings and finite numbers
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// Homogeneous returns n workers as in homogeneous6, and its server.
func Homogeneous(n int) (*cluster.Platform, error) {
	base, err := Load("homogeneous6")
	if err != nil {
		return nil, err
	}
	if n < 1 || n > cluster.MaxRanks {
		return nil, fmt.Errorf("platforms: %d workers, want 1 to %d", n, cluster.MaxRanks)
	}
	worker := base.Workers[0]
	worker.Name = "p100-"
	p := cluster.Uniform(n, worker, base.Server)
	p.Name, p.Decision, p.Assumed = fmt.Sprintf("homogeneous%d", n), base.Decision, base.Assumed
	p.Note = fmt.Sprintf("%d workers like those of homogeneous6.", n)
	return p, nil
}

// UnequalLinks are the NICs of six equal workers in bytes per second: 25, 10,
// 10, 5, 2.5 and 1 Gb/s, the Ethernet speeds that one laboratory may own at once.
var UnequalLinks = []float64{3.125e9, 1.25e9, 1.25e9, 0.625e9, 0.3125e9, 0.125e9}

// RemoteLatency is the one-way latency to the last worker where it stands at
// another site, some 4,000 km of fibre away.
const RemoteLatency = 20 * time.Millisecond

// ServerLinks are the NICs of the server: one that no worker's link can fill,
// and the reference's.
var ServerLinks = []struct {
	Name      string
	Bandwidth float64
}{{"100 Gb/s", 12.5e9}, {"10 Gb/s", 1.25e9}}

// The sets of workers of Networks.
const (
	EqualLinks     = "equal links"
	UnequalLinkSet = "unequal links"
	RemoteWorker   = "one worker 20 ms away"
)

// Networks returns clusters of the reference's equal devices that differ in
// their links alone: all workers at 10 Gb/s; UnequalLinks; 10 Gb/s with the last
// worker RemoteLatency away. Each stands before a server of each of ServerLinks.
func Networks() ([]Variant, error) {
	base, err := Load("homogeneous6")
	if err != nil {
		return nil, err
	}
	if len(base.Workers) != len(UnequalLinks) {
		return nil, fmt.Errorf("platforms: %d unequal links for %d workers", len(UnequalLinks), len(base.Workers))
	}
	var out []Variant
	for _, set := range []string{EqualLinks, UnequalLinkSet, RemoteWorker} {
		for _, l := range ServerLinks {
			p := base.Clone()
			setBandwidth(p.Server, l.Bandwidth, "the experiment's axis: the server's link")
			switch set {
			case UnequalLinkSet:
				for i := range p.Workers {
					setBandwidth(&p.Workers[i], UnequalLinks[i], "the experiment's axis: equal devices on Ethernet of several ages")
				}
			case RemoteWorker:
				last := &p.Workers[len(p.Workers)-1]
				last.Latency = RemoteLatency
				assume(last, "latency", RemoteLatency.String(), "the experiment's axis: one worker at another site")
			}
			p.Name = fmt.Sprintf("%s, server %s", set, l.Name)
			p.Note = "The devices of homogeneous6; the links are the experiment's axis, fixed before its first run."
			out = append(out, Variant{Name: p.Name, Workers: set, Link: l.Name, Platform: p})
		}
	}
	return out, nil
}

// setBandwidth changes h's NIC and the reason that stands beside it.
func setBandwidth(h *cluster.Host, bytes float64, why string) {
	h.Bandwidth = bytes
	assume(h, "bandwidth", fmt.Sprintf("%g Gb/s", 8*bytes/1e9), why)
}

// assume replaces the reason of a field.
func assume(h *cluster.Host, field, value, why string) {
	h.Assumed = slices.DeleteFunc(h.Assumed, func(a cluster.Assumption) bool { return a.Field == field })
	h.Assumed = append(h.Assumed, cluster.Assumption{Field: field, Value: value, Why: why, Confidence: "chosen, not measured"})
}

// Links are the networks of the sweep in bytes per second: Ethernet of 1, 10
// and 25 Gb/s, and the 100 Gb/s InfiniBand of DSSP's homogeneous cluster.
var Links = []struct {
	Name      string
	Bandwidth float64
}{
	{"1 Gb/s", 0.125e9}, {"10 Gb/s", 1.25e9}, {"25 Gb/s", 3.125e9}, {"100 Gb/s", 12.5e9},
}

// Variant is one plausible platform.
type Variant struct {
	Name     string // "heterogeneous6, 25 Gb/s"
	Workers  string // file that the workers are from
	Link     string
	Platform *cluster.Platform
}

// Sweep returns the plausible platforms in place of a reference: its own
// workers and their alternatives on every link. The set was stated before any
// result; a table gives the range over it.
//
//	homogeneous6    itself; six cards of the fastest and six of the slowest kind of heterogeneous6
//	heterogeneous6  itself; mixed6; straggler6
//
// Another platform has itself as its only set of workers.
func Sweep(reference string) ([]Variant, error) {
	base, err := Load(reference)
	if err != nil {
		return nil, err
	}
	sets := []*cluster.Platform{base}
	switch base.Name {
	case "homogeneous6":
		het, err := Load("heterogeneous6")
		if err != nil {
			return nil, err
		}
		for _, kind := range []int{0, len(het.Workers) - 1} {
			sets = append(sets, allLike(base, het.Workers[kind]))
		}
	case "heterogeneous6":
		for _, name := range []string{"mixed6", "straggler6"} {
			p, err := Load(name)
			if err != nil {
				return nil, err
			}
			sets = append(sets, p)
		}
	}
	var out []Variant
	for _, p := range sets {
		for _, l := range Links {
			q := p.WithHosts(func(h *cluster.Host, _ bool) { h.Bandwidth = l.Bandwidth })
			q.Name = p.Name + ", " + l.Name
			out = append(out, Variant{Name: q.Name, Workers: p.Name, Link: l.Name, Platform: q})
		}
	}
	return out, nil
}

// allLike returns base with as many workers of one kind.
func allLike(base *cluster.Platform, kind cluster.Host) *cluster.Platform {
	p := base.Clone()
	for i := range p.Workers {
		p.Workers[i] = kind
		p.Workers[i].Name = fmt.Sprintf("%s-%d", kind.Name, i)
	}
	p.Name = fmt.Sprintf("%d × %s", len(p.Workers), kind.Name)
	return p
}
