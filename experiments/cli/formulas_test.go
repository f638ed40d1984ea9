package cli

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// evaluate runs eval with --json.
func evaluate(t *testing.T, args string) (value float64, exact, text string) {
	t.Helper()
	rc, out, msg := gradsync(append(strings.Fields("eval "+args), "--json")...)
	var got struct {
		Value float64
		Exact *string
		Text  string
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || rc != exitOK {
		t.Fatalf("eval %s: exit code %d, %v, %s", args, rc, err, msg)
	}
	if got.Exact != nil {
		exact = *got.Exact
	}
	return got.Value, exact, got.Text
}

// Every number stands in one of the two documents, or was worked by hand as the
// remark says.
func TestRingFormulas(t *testing.T) {
	for _, test := range []struct {
		args  string
		value float64
		exact string
	}{
		{"ring.bytes --n 7 --k 1000003", 12000036. / 7, "12000036/7"},                                                                   // 2·6·1000003/7
		{"ring.bytes --n 1 --k 8", 0, "0/1"},                                                                                            // nobody to send to
		{"ring.seconds --n 1000000000 --k 1.2e9 --bandwidth 6e9", 0.4 * (1 - 1e-9), ""},                                                 // B13: 400 ms in the limit
		{"ring.seconds --n 5 --k 1000 --bandwidth 100 --latency 1", 24, "24/1"},                                                         // 8·(1 + 1000/500)
		{"ring.steps --n 5", 8, "8/1"},                                                                                                  // B09: 4 + 4
		{"ring.limit --k 1.2e9", 2.4e9, "2400000000/1"},                                                                                 // B10: 2.4 GB
		{"ring.break-even --n 4 --bandwidth 9 --latency 2", 16, "16/1"},                                                                 // 18·4·2/9
		{"ring.break-even --n 2 --bandwidth 9 --latency 2", 0, "0/1"},                                                                   // two ranks: never worse
		{"ring.busbw --n 4 --bytes 8 --seconds 2", 6, "6/1"},                                                                            // 4·6/4
		{"naive.bytes --n 10 --k 1.2e9", 10.8e9, "10800000000/1"},                                                                       // B05 at 1 GB/s
		{"naive.seconds --n 2 --k 1.2e9 --bandwidth 1e9", 1.2, "6/5"},                                                                   // B04
		{"naive.both-seconds --n 10 --k 1.2e9 --bandwidth 1e9", 21.6, "108/5"},                                                          // B05, there and back
		{"naive.both-seconds --n 2 --k 1.2e9 --bandwidth 1e9 --latency 0.05", 2.5, "5/2"},                                               // 2·(0.05 + 1.2)
		{"naive.both-seconds --n 1 --k 1.2e9 --bandwidth 1e9 --latency 0.05", 0, "0/1"},                                                 // nobody to send to
		{"halving-doubling.bytes --n 4 --k 8", 12, "12/1"},                                                                              // 2·3/4·8
		{"halving-doubling.bytes --n 5 --k 8", 20, "20/1"},                                                                              // the fold sends K more
		{"halving-doubling.seconds --n 4 --k 8 --bandwidth 2 --latency 1", 10, "10/1"},                                                  // 4·1 + 12/2
		{"halving-doubling.seconds --n 6 --k 8 --bandwidth 2 --latency 1", 22, "22/1"},                                                  // 10 + 2 + 2.5·4
		{"hierarchical.bytes --nodes 5 --per-node 8 --k 1.2e9", 2.34e9, "2340000000/1"},                                                 // as the ring of 40
		{"hierarchical.node-bytes --nodes 5 --k 10", 16, "16/1"},                                                                        // 2·4/5·10
		{"hierarchical.seconds --nodes 2 --per-node 2 --k 8 --bandwidth 4 --latency 1 --node-bandwidth 1 --node-latency 3", 16, "16/1"}, // 2·(1+1) + 2·max(4, 5) + min(3, 2)
		{"hierarchical.seconds --nodes 1 --per-node 4 --k 8 --bandwidth 2 --latency 1 --node-bandwidth 1", 12, "12/1"},                  // one node: 6·(1 + 1)
		{"ringsparse.all-gather --n 5 --size 3", 12, "12/1"},                                                                            // 4·3
		{"ringsparse.conversion-error --m 2 --eta 0.5 --w0 -1 --g 2", 84.084 / (1 << 24), "21021/4194304000"},                           // 1.001ε·(15 + 6)·(1 + 1)/0.5
		{"ringsparse.T --n 4 --d 1000 --bandwidth 100", 15, "15/1"},                                                                     // 2·3/4·10
		{"ringsparse.Ta --d 1000 --bandwidth 100", 10, "10/1"},                                                                          // the block itself
		{"ringsparse.Ta --d 1000 --n 4 --bandwidth 100", 2.5, "5/2"},                                                                    // a quarter of the layer
		{"ringsparse.Ta --d 1000 --n 4 --bandwidth 100 --size layer", 10, "10/1"},                                                       // as printed
		{"ringsparse.Tb --compressed 50 --bandwidth 100 --tc 0.25 --td 1/8", 0.875, "7/8"},                                              // 1/4 + 1/2 + 1/8
		{"ringsparse.choose --sw 0.5 --sg 1/2", 0, "0/1"},                                                                               // P05: a tie is the weights'
		{"ringsparse.choose --sw 0.5 --sg 1/2 --tie gradients", 1, "1/1"},                                                               // the other rule
		{"ringsparse.choose --sw 0.5 --sg 0.6", 1, "1/1"},                                                                               // the sparser
		{"ringsparse.zeros --zeros 3 --elements 8", 0.375, "3/8"},                                                                       // counted
		{"ringsparse.pw --k 1 --eta 0.1 --w0 1/2 --own 0.25 --received -0.5", 1.025, "41/40"},                                           // 1 − 0.1·(−0.25)
		{"ringsparse.pw --k 1 --eta 0.1 --w0 1/2 --own 0.25 --received -0.5 --sign printed", 0.975, "39/40"},                            // 1 + 0.1·(−0.25)
		{"ringsparse.pg --k 1 --eta 0.1 --w0 1/2 --own 0.475 --received 0.55", -0.25, "-1/4"},                                           // the way back: 0.475 = 1/2 − 0.1·0.25
		{"ringsparse.pg --k 1 --eta 0.1 --w0 1/2 --own 0.525 --received 0.45 --sign printed", -0.25, "-1/4"},
		{"ringsparse.final --n 4 --sum 6", 1.5, "3/2"},                                            // ΣW/N
		{"ringsparse.final --n 4 --sum 6 --kind gradients --eta 0.1 --w0 2", 1.85, "37/20"},       // 2 − 0.1·1.5
		{"ringsparse.fillin --density 0.5 --k 2", 0.875, "7/8"},                                   // 1 − 1/8
		{"ringsparse.bitmap --elements 100 --density 0.25", 113, "113/1"},                         // 13 bytes of bits, 25 values
		{"ringsparse.coo --elements 100 --density 0.25", 200, "200/1"},                            // 25 pairs
		{"ringsparse.bitmap --elements 3200 --density 1/32", 800, "800/1"},                        // both wire forms
		{"ringsparse.coo --elements 3200 --density 1/32", 800, "800/1"},                           // are equal at 1/32
		{"ringsparse.break-even --d 1e9 --bandwidth 0.125e9 --tc 0.5 --td 0.5", 0.84375, "27/32"}, // 1 Gb/s and 2 GB/s each way
		{"ringsparse.break-even --d 32 --bandwidth 1 --codec coo", 0.5, "1/2"},                    // free packing
	} {
		value, exact, _ := evaluate(t, test.args)
		if value != test.value || exact != test.exact && test.exact != "" {
			t.Errorf("eval %s = %v (%s), want %v (%s)", test.args, value, exact, test.value, test.exact)
		}
	}
	// 1 % at 8 nodes: 7.7 %; 8 %: 49 % (the design's table).
	for args, want := range map[string]string{"--density 0.01 --k 7": "0.0773", "--density 0.01 --k 15": "0.1485", "--density 0.08 --k 7": "0.4868"} {
		if v, _, _ := evaluate(t, "ringsparse.fillin "+args); want != fourPlaces(v) {
			t.Errorf("fill-in %s = %v, want %s", args, v, want)
		}
	}
}

func fourPlaces(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }

// Where the layer's size stands for the block's, the rule compresses what is
// sooner sent as it is; the printed rule does the opposite of the corrected one.
func TestCompressRules(t *testing.T) {
	const block = "ringsparse.compress --d 400 --n 4 --bandwidth 100 --compressed 50 --tc 0.3 --td 0.3 " // Ta 1 s, Tb 1.1 s
	for flags, want := range map[string]string{
		"":                            "send directly: Ta 1 s, Tb 1.1 s",
		"--rule printed":              "compress: Ta 1 s, Tb 1.1 s",
		"--size layer":                "compress: Ta 4 s, Tb 1.1 s",
		"--size layer --rule printed": "send directly: Ta 4 s, Tb 1.1 s",
		"--td 0.2 --rule printed":     "send directly: Ta 1 s, Tb 1 s", // equal: both send
		"--td 0.2":                    "send directly: Ta 1 s, Tb 1 s",
		"--td 0.1":                    "compress: Ta 1 s, Tb 0.9 s",
	} {
		if _, _, text := evaluate(t, block+flags); text != want {
			t.Errorf("%s%s: %q, want %q", block, flags, text, want)
		}
	}
	if _, _, text := evaluate(t, "ringsparse.break-even --d 1e9 --bandwidth 1.25e9 --tc 0.5 --td 0.5"); text != "compressing never pays" {
		t.Errorf("at 10 Gb/s: %q", text)
	}
	if _, _, text := evaluate(t, "ringsparse.choose --sw 0 --sg 0"); text != "weights, by the tie rule alone" {
		t.Errorf("two dense blocks: %q", text)
	}
}

// A wrong argument is one line that names it and says what is allowed.
func TestFormulasRefuse(t *testing.T) {
	for args, want := range map[string]string{
		"ring.break-even --n 1 --bandwidth 1 --latency 1":                                    "--n is 1, want a whole number from 2",
		"ring.seconds --n 2 --k -1 --bandwidth 1":                                            "--k is -1, want 0 or more",
		"ring.seconds --n 2 --k 1 --bandwidth 1 --latency -1":                                "--latency is -1",
		"naive.both-seconds --n 2 --k 1 --bandwidth 0":                                       "--bandwidth is 0, want more than 0",
		"halving-doubling.seconds --n 0 --k 1 --bandwidth 1":                                 "--n is 0",
		"hierarchical.bytes --nodes 0 --per-node 1 --k 1":                                    "--nodes is 0",
		"hierarchical.seconds --nodes 1 --per-node 1 --k 1 --bandwidth 1 --node-bandwidth 0": "--node-bandwidth is 0",
		"ringsparse.all-gather --n 2 --size -1":                                              "--size is -1",
		"ringsparse.conversion-error --m 0 --eta 1 --w0 0 --g 1":                             "--m is 0",
		"ringsparse.T --n 0 --d 1 --bandwidth 1":                                             "--n is 0",
		"ringsparse.T --n 2 --d -1 --bandwidth 1":                                            "--d is -1",
		"ringsparse.Ta --d 1 --bandwidth 1 --size word":                                      `--size "word", want block, layer`,
		"ringsparse.Tb --compressed 1 --bandwidth 1 --tc -1":                                 "--tc is -1",
		"ringsparse.compress --d 1 --bandwidth 1 --compressed 1 --rule other":                `--rule "other", want corrected, printed`,
		"ringsparse.choose --sw 2 --sg 0":                                                    "--sw is 2, want 0 to 1",
		"ringsparse.zeros --zeros 3 --elements 2":                                            "at most --elements 2",
		"ringsparse.pw --k 0 --eta 1 --w0 0 --own 0 --received 0":                            "--k is 0, want a whole number from 1",
		"ringsparse.pg --k 1 --eta 0 --w0 0 --own 0 --received 0":                            "--eta is 0, want more than 0",
		"ringsparse.pg --k 1 --eta 1 --w0 0 --own 0":                                         "needs --received",
		"ringsparse.final --n 2 --sum 1 --kind gradients --eta -1":                           "--eta is -1",
		"ringsparse.fillin --density 1.5 --k 1":                                              "--density is 3/2",
		"ringsparse.fillin --density 0.5 --k 1e9":                                            "at most 4096",
		"ringsparse.bitmap --elements 1.5 --density 0":                                       "--elements is 3/2",
		"ringsparse.coo --elements 1 --density -1":                                           "--density is -1",
		"ringsparse.break-even --d 0 --bandwidth 1":                                          "--d is 0",
		"ringsparse.none --d 0":                                                              "known are ringsparse.T, .Ta",
		"moon.phase":                                                                         "ring, naive",
		"dasp.twait --fi 1 --fj 1 --form other":                                              `--form "other", want difference, absolute, convex, oldest`,
	} {
		rc, out, msg := gradsync(strings.Fields("eval " + args)...)
		if rc != exitUsage || out != "" || !strings.Contains(msg, want) || strings.Count(msg, "\n") != 1 || len(msg) > 250 {
			t.Errorf("eval %s: exit code %d, %q; want %d and one line with %q", args, rc, msg, exitUsage, want)
		}
	}
}

// A fraction too long to read is left out; its value is not.
func TestLongFractionsAreLeftOut(t *testing.T) {
	v, exact, _ := evaluate(t, "ringsparse.fillin --density 0.001 --k 4096")
	if exact != "" || v < 0.98 || v > 0.99 { // 1 − 0.999^4097 = 1 − e^(−4.099)
		t.Errorf("fill-in of 4096 exchanges: %v, exactly %q", v, exact)
	}
}

// What a reader may leave out has a default, and every formula says where it
// stands.
func TestFormulasAreComplete(t *testing.T) {
	var names []string
	for _, f := range formulas {
		if slices.Contains(names, f.name) || f.equation == "" || f.source == "" || f.eval == nil {
			t.Errorf("%s stands twice or lacks a part", f.name)
		}
		names = append(names, f.name)
		for _, p := range f.params {
			if p.doc == "" || p.words != nil && p.fallback != p.words[0] {
				t.Errorf("%s --%s: %+v", f.name, p.name, p)
			}
		}
	}
	for _, want := range []string{"ring.bytes", "ring.seconds", "naive.seconds", "ringsparse.T", "ringsparse.Ta", "ringsparse.Tb", "ringsparse.pw", "ringsparse.pg"} {
		if !slices.Contains(names, want) {
			t.Errorf("no formula %s", want)
		}
	}
}
