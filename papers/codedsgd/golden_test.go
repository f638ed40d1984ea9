package codedsgd_test

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// TestStories replays testdata/*.txt: exchanges of small gradients, packet by packet, and the messages of a run. After
// a deliberate change: go test ./papers/codedsgd -run TestStories -rewrite, then read the diff.
func TestStories(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				n, r, split := 0, 0, "rows"
				d.ScanArgs(t, "n", &n)
				d.ScanArgs(t, "r", &r)
				d.MaybeScanArgs(t, "split", &split)
				switch d.Cmd {
				case "exchange":
					return story(t, assignment(t, n, r), split, d.Input)
				case "run":
					return messages(t, n, codedsgd.Options{Redundancy: r, Split: split})
				}
				t.Fatalf("%s: no command %q", d.Pos, d.Cmd)
				return ""
			})
		})
	}
}

// story exchanges one layer whose gradients are given, a line per block of rows between
// slashes, and says what each packet holds and brings.
func story(t *testing.T, a *codedsgd.Assignment, split, input string) string {
	var b strings.Builder
	var grads [][]int32
	var cut codedsgd.Cut
	for q, line := range strings.Split(strings.TrimSpace(input), "\n") {
		rows := strings.Split(line, "/")
		var g []int32
		for _, f := range strings.Fields(strings.ReplaceAll(line, "/", " ")) {
			v := sure(strconv.ParseInt(f, 10, 32))(t)
			g = append(g, int32(v))
		}
		var err error
		cut, err = codedsgd.NewCut(len(g), [2]int{len(rows), len(g) / len(rows)}, a.Redundancy(), split)
		must(t, err)
		fmt.Fprintf(&b, "block %d, computed by nodes %v:", q, a.Holders(q))
		for k := range a.Redundancy() {
			part := make([]int32, cut.Len(k))
			cut.Gather(part, g, k)
			fmt.Fprintf(&b, " segment %d %v", k, part)
		}
		b.WriteString("\n")
		grads = append(grads, g)
	}
	for _, group := range a.Groups() {
		fmt.Fprintf(&b, "group %v\n", group)
		for _, p := range a.Packets(group) {
			content := make([]int32, cut.Padded(p))
			must(t, codedsgd.Encode(content, p, held{a, p.From, grads, 1}, 0, cut, 1))
			h := sure(a.Header(p))(t)
			var sum []string
			for _, term := range p.Terms {
				sum = append(sum, fmt.Sprintf("segment %d of block %d", term.Position, term.Block))
			}
			fmt.Fprintf(&b, "  node %d to %v: %s = %v, header %v\n", p.From, p.To, strings.Join(sum, " + "), content, h)
			for _, to := range p.To {
				got := slices.Clone(content)
				term := sure(codedsgd.Decode(got, p, held{a, to, grads, 1}, 0, cut, 1))(t)
				fmt.Fprintf(&b, "    node %d gets segment %d of block %d: %v\n", to, term.Position, term.Block, got[:cut.Len(term.Position)])
			}
		}
	}
	return b.String()
}

// messages lists what the nodes send in one iteration of two layers, in order of time.
func messages(t *testing.T, n int, o codedsgd.Options) string {
	layers := newQuadratic(6000, 3000).layers
	_, trace, err := ran(t, network(n), virtual.Config{Trace: true},
		codedsgd.Job{Layers: layers, Batch: 60, Steps: 1, Options: o})
	must(t, err)
	var b strings.Builder
	slices.SortStableFunc(trace.Spans, func(x, y cluster.Span) int { return cmp.Or(cmp.Compare(x.From, y.From), cmp.Compare(x.Rank, y.Rank)) })
	for _, s := range trace.Spans {
		switch s.Kind {
		case cluster.SpanCompute:
			fmt.Fprintf(&b, "%v to %v: node %d computes %s\n", s.From, s.To, s.Rank, s.Name)
		case cluster.SpanSend:
			fmt.Fprintf(&b, "%v to %v: node %d sends %d bytes of layer %s\n", s.From, s.To, s.Rank, s.Bytes, layers[s.Tag].Name)
		}
	}
	return b.String()
}
