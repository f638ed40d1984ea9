package widget

import (
	"fmt"
	"strings"
	"testing"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

// exampleExchange has the packets of three nodes that compute two of three blocks each, as
// codedsgd/fig2 records them; its times are invented.
func exampleExchange() worded {
	r := example("codedsgd/fig2", "CSSGD, Fig. 2", result.Counted)
	s := kit.NewSheet("packets-3-2", "step from to begin/ms.3 end/ms.3 content decoded bytes subtracted")
	s.Add(1, 0, "1,2", 1.11, 2.22, "G{0,1}[0]+G{0,2}[0]", "1:G{0,2}[0];2:G{0,1}[0]", 111, "1:G{0,1}[0];2:G{0,2}[0]")
	s.Add(2, 1, "0,2", 1.11, 2.22, "G{0,1}[1]+G{1,2}[0]", "0:G{1,2}[0];2:G{0,1}[1]", 111, "0:G{0,1}[1];2:G{1,2}[0]")
	s.Add(3, 2, "0,1", 1.11, 3.33, "G{0,2}[1]+G{1,2}[1]", "0:G{1,2}[1];1:G{0,2}[1]", 111, "0:G{0,2}[1];1:G{1,2}[1]")
	lacks := kit.NewSheet("complete-3-2", "node block holders")
	lacks.Add(0, 2, "{1,2}")
	lacks.Add(1, 1, "{0,2}")
	lacks.Add(2, 0, "{0,1}")
	r.Frames = []result.Frame{s.Frame, lacks.Frame}
	return worded{Result: r}
}

func exchangeExample(t *testing.T) *packetWalk {
	t.Helper()
	l := exampleExchange()
	return oktest.Must(exchangeOf(l.Result, &l.Frames[0]))(t)
}

// What the picture shows after each packet, by hand: blocks 0, 1, 2 are of nodes
// {0,1}, {0,2}, {1,2}; node 0 lacks 2, node 1 lacks 1, node 2 lacks 0.
func TestTheExchangeStepByStep(t *testing.T) {
	x := exchangeExample(t)
	for k, want := range []string{
		"[[own own [false false]] [own [false false] own] [[false false] own own]]",
		"[[own own [false false]] [own [true false] own] [[true false] own own]]",
		"[[own own [true false]] [own [true false] own] [[true true] own own]]",
		"[[own own [true true]] [own [true true] own] [[true true] own own]]",
	} {
		if got := fmt.Sprint(worked(t, "held", x, k)); got != want {
			t.Errorf("after %d packets %s, want %s", k, got, want)
		}
	}
	for got, want := range map[string]string{
		fmt.Sprint(worked(t, "packet", x, 1, "en")):                    "Packet 2 of 3: node 1 sends G{0,1}[1] + G{1,2}[0] to nodes 0, 2.",
		fmt.Sprint(worked(t, "decoded", x, x.Packets[2].Got[1], "en")): "Node 1 subtracts G{1,2}[1], which it computed, and has G{0,2}[1].",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := worked(t, "end", x, "en"); got != "Every node has every block." {
		t.Errorf("the end is told as %v", got)
	}
	less := *x
	less.Packets = x.Packets[:2]
	if got := worked(t, "end", &less, "en"); got != "Missing segments: 2." {
		t.Errorf("without the last packet the end is told as %v", got)
	}
	for nodes := 2; nodes <= 6; nodes++ {
		for node := range nodes {
			at, _ := worked(t, "place", node, nodes).(map[string]any)
			if px, _ := at["x"].(float64); px < 77 || px > 315 {
				t.Errorf("node %d of %d stands at %v, outside the picture", node, nodes, at)
			}
		}
	}
}

// Frames of packets that tell less than the picture shows are refused.
func TestUnreadableExchangesAreRefused(t *testing.T) {
	for want, harm := range map[string]func(r *result.Result, packets *frame){
		"no nodes and redundancy":       func(r *result.Result, _ *frame) { r.Frames = r.Frames[:1] },
		"names no node and segment":     func(_ *result.Result, f *frame) { f.Rows[1][6] = "0:block2;2:G{0,1}[1]" },
		"nobody lacks a block":          func(_ *result.Result, f *frame) { f.Rows[1][6] = "0:G{7,8}[0];2:G{0,1}[1]" },
		"2 receivers, 1 of them decode": func(_ *result.Result, f *frame) { f.Rows[1][6] = "0:G{1,2}[0]" },
		"node 7 of 3":                   func(_ *result.Result, f *frame) { f.Rows[1][2] = "0,7" },
		"has 2 segments":                func(_ *result.Result, f *frame) { f.Rows[1][6] = "0:G{1,2}[2];2:G{0,1}[1]" },
		"not by 2 nodes":                func(r *result.Result, _ *frame) { r.Frames[1].Rows[0][2] = "{1,2,3}" },
		"no columns block and holders":  func(r *result.Result, _ *frame) { r.Frames[1].Columns[1].Key = "lacks" },
		"no packet":                     func(_ *result.Result, f *frame) { f.Rows = nil },
	} {
		l := exampleExchange()
		harm(l.Result, &l.Frames[0])
		if _, err := widgetOf(l, "packets-3-2"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// What has to fit a picture is cut, by letters and not by bytes; nothing else is.
func TestLongWordsAreCut(t *testing.T) {
	for text, want := range map[string]string{"G{0,1}[0]": "G{0,1}[0]", "0123456789": "0123456789", "0123456789a": "012345678…", "节点节点节点节点节点节": "节点节点节点节点节…"} {
		if got := worked(t, "fit", text, 10); got != want {
			t.Errorf("%q is cut to %v, want %q", text, got, want)
		}
	}
}

// An arrow begins and ends beside its cards, 3 units clear: of width 20 and height 10,
// 100 apart, from 13 to 87; upright, from 8 to 92.
func TestArrowsAreClearOfCards(t *testing.T) {
	at := func(x, y int) map[string]int { return map[string]int{"x": x, "y": y} }
	for want, to := range map[string]map[string]int{"[map[x:13 y:0] map[x:87 y:0]]": at(100, 0), "[map[x:0 y:8] map[x:0 y:92]]": at(0, 100)} {
		if got := fmt.Sprint(worked(t, "between", at(0, 0), to, 20, 10)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
