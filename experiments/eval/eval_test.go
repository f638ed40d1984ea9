package eval

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// compute evaluates a line such as "ring.bytes --n 7 --k 8", with the defaults of what it leaves out.
func compute(t *testing.T, line string) (Answer, error) {
	t.Helper()
	words := strings.Fields(line)
	at := slices.IndexFunc(Formulas(), func(f Formula) bool { return f.Name == words[0] })
	if at < 0 {
		t.Fatalf("no formula %s", words[0])
	}
	f, texts := Formulas()[at], map[string]string{}
	for _, p := range f.Params {
		texts[p.Name] = p.Default
	}
	for i := 1; i < len(words); i += 2 {
		name := strings.TrimPrefix(words[i], "--")
		if _, known := texts[name]; !known {
			t.Fatalf("%s has no parameter %s", f.Name, name)
		}
		texts[name] = words[i+1]
	}
	return f.Evaluate(texts)
}

// evaluate computes a line that must have a value.
func evaluate(t *testing.T, line string) (value float64, exact, text string) {
	t.Helper()
	got, err := compute(t, line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	if got.Exact != nil {
		exact = got.Exact.String()
	}
	return got.Value, exact, got.Text
}

// refuses checks that arguments are refused as input, in one line with these words.
func refuses(t *testing.T, wants map[string]string) {
	t.Helper()
	for line, want := range wants {
		_, err := compute(t, line)
		var input *InputError
		if !errors.As(err, &input) || !strings.HasPrefix(err.Error(), "eval: ") || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") || len(err.Error()) > 250 {
			t.Errorf("%s: %v, want one line with %q", line, err, want)
		}
	}
}

// Every number stands in one of the two documents, or was worked by hand as the remark says.
func TestRingFormulas(t *testing.T) {
	for _, test := range []struct {
		args  string
		value float64
		exact string
	}{
		{"ring.bytes --n 7 --k 1000003", 12000036. / 7, "12000036/7"},                     // 2·6·1000003/7
		{"ring.bytes --n 1 --k 8", 0, "0/1"},                                              // nobody to send to
		{"ring.seconds --n 1000000000 --k 1.2e9 --bandwidth 6e9", 0.4 * (1 - 1e-9), ""},   // B13: 400 ms in the limit
		{"ring.seconds --n 5 --k 1000 --bandwidth 100 --latency 1", 24, "24/1"},           // 8·(1 + 1000/500)
		{"ring.steps --n 5", 8, "8/1"},                                                    // B09: 4 + 4
		{"ring.limit --k 1.2e9", 2.4e9, "2400000000/1"},                                   // B10: 2.4 GB
		{"ring.break-even --n 4 --bandwidth 9 --latency 2", 16, "16/1"},                   // 18·4·2/9
		{"ring.break-even --n 2 --bandwidth 9 --latency 2", 0, "0/1"},                     // two ranks: never worse
		{"ring.busbw --n 4 --bytes 8 --seconds 2", 6, "6/1"},                              // 4·6/4
		{"naive.bytes --n 10 --k 1.2e9", 10.8e9, "10800000000/1"},                         // B05 at 1 GB/s
		{"naive.seconds --n 2 --k 1.2e9 --bandwidth 1e9", 1.2, "6/5"},                     // B04
		{"naive.both-seconds --n 10 --k 1.2e9 --bandwidth 1e9", 21.6, "108/5"},            // B05, there and back
		{"naive.both-seconds --n 2 --k 1.2e9 --bandwidth 1e9 --latency 0.05", 2.5, "5/2"}, // 2·(0.05 + 1.2)
		{"naive.both-seconds --n 1 --k 1.2e9 --bandwidth 1e9 --latency 0.05", 0, "0/1"},   // nobody to send to
		{"halving-doubling.bytes --n 4 --k 8", 12, "12/1"},                                // 2·3/4·8
		{"halving-doubling.bytes --n 5 --k 8", 20, "20/1"},                                // the fold sends K more
		{"halving-doubling.seconds --n 4 --k 8 --bandwidth 2 --latency 1", 10, "10/1"},    // 4·1 + 12/2
		{"halving-doubling.seconds --n 6 --k 8 --bandwidth 2 --latency 1", 22, "22/1"},    // 10 + 2 + 2.5·4
		{"hierarchical.bytes --nodes 5 --per-node 8 --k 1.2e9", 2.34e9, "2340000000/1"},   // as the ring of 40
		{"hierarchical.node-bytes --nodes 5 --k 10", 16, "16/1"},                          // 2·4/5·10
		// 2·(1+1) + 2·max(4, 5) + min(3, 2)
		{"hierarchical.seconds --nodes 2 --per-node 2 --k 8 --bandwidth 4 --latency 1 --node-bandwidth 1 --node-latency 3", 16, "16/1"},
		// one node: 6·(1 + 1)
		{"hierarchical.seconds --nodes 1 --per-node 4 --k 8 --bandwidth 2 --latency 1 --node-bandwidth 1", 12, "12/1"},
		{"ringsparse.all-gather --n 5 --size 3", 12, "12/1"},                                                  // 4·3
		{"ringsparse.conversion-error --m 2 --eta 0.5 --w0 -1 --g 2", 84.084 / (1 << 24), "21021/4194304000"}, // 1.001ε·(15 + 6)·(1 + 1)/0.5
		{"ringsparse.T --n 4 --d 1000 --bandwidth 100", 15, "15/1"},                                           // 2·3/4·10
		{"ringsparse.Ta --d 1000 --bandwidth 100", 10, "10/1"},                                                // the block itself
		{"ringsparse.Ta --d 1000 --n 4 --bandwidth 100", 2.5, "5/2"},                                          // a quarter of the layer
		{"ringsparse.Ta --d 1000 --n 4 --bandwidth 100 --size layer", 10, "10/1"},                             // as printed
		{"ringsparse.Tb --compressed 50 --bandwidth 100 --tc 0.25 --td 1/8", 0.875, "7/8"},                    // 1/4 + 1/2 + 1/8
		{"ringsparse.choose --sw 0.5 --sg 1/2", 0, "0/1"},                                                     // P05: a tie is the weights'
		{"ringsparse.choose --sw 0.5 --sg 1/2 --tie gradients", 1, "1/1"},                                     // the other rule
		{"ringsparse.choose --sw 0.5 --sg 0.6", 1, "1/1"},                                                     // the sparser
		{"ringsparse.zeros --zeros 3 --elements 8", 0.375, "3/8"},                                             // counted
		{"ringsparse.pw --k 1 --eta 0.1 --w0 1/2 --own 0.25 --received -0.5", 1.025, "41/40"},                 // 1 − 0.1·(−0.25)
		// 1 + 0.1·(−0.25)
		{"ringsparse.pw --k 1 --eta 0.1 --w0 1/2 --own 0.25 --received -0.5 --sign printed", 0.975, "39/40"},
		{"ringsparse.pg --k 1 --eta 0.1 --w0 1/2 --own 0.475 --received 0.55", -0.25, "-1/4"}, // the way back: 0.475 = 1/2 − 0.1·0.25
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
		if value, exact, _ := evaluate(t, test.args); value != test.value || exact != test.exact && test.exact != "" {
			t.Errorf("%s = %v (%s), want %v (%s)", test.args, value, exact, test.value, test.exact)
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
	const noLink = "hierarchical.seconds --nodes 1 --per-node 1 --k 1 --bandwidth 1 --node-bandwidth 0"
	refuses(t, map[string]string{
		noLink: "--node-bandwidth is 0",
		"ring.break-even --n 1 --bandwidth 1 --latency 1":                     "--n is 1, want a whole number from 2",
		"ring.seconds --n 2 --k -1 --bandwidth 1":                             "--k is -1, want 0 or more",
		"ring.seconds --n 2 --k 1 --bandwidth 1 --latency -1":                 "--latency is -1",
		"naive.both-seconds --n 2 --k 1 --bandwidth 0":                        "--bandwidth is 0, want more than 0",
		"halving-doubling.seconds --n 0 --k 1 --bandwidth 1":                  "--n is 0",
		"hierarchical.bytes --nodes 0 --per-node 1 --k 1":                     "--nodes is 0",
		"ringsparse.all-gather --n 2 --size -1":                               "--size is -1",
		"ringsparse.conversion-error --m 0 --eta 1 --w0 0 --g 1":              "--m is 0",
		"ringsparse.T --n 0 --d 1 --bandwidth 1":                              "--n is 0",
		"ringsparse.T --n 2 --d -1 --bandwidth 1":                             "--d is -1",
		"ringsparse.Ta --d 1 --bandwidth 1 --size word":                       `--size "word", want block, layer`,
		"ringsparse.Tb --compressed 1 --bandwidth 1 --tc -1":                  "--tc is -1",
		"ringsparse.compress --d 1 --bandwidth 1 --compressed 1 --rule other": `--rule "other", want corrected, printed`,
		"ringsparse.choose --sw 2 --sg 0":                                     "--sw is 2, want 0 to 1",
		"ringsparse.zeros --zeros 3 --elements 2":                             "at most --elements 2",
		"ringsparse.pw --k 0 --eta 1 --w0 0 --own 0 --received 0":             "--k is 0, want a whole number from 1",
		"ringsparse.pg --k 1 --eta 0 --w0 0 --own 0 --received 0":             "--eta is 0, want more than 0",
		"ringsparse.pg --k 1 --eta 1 --w0 0 --own 0":                          "needs --received",
		"ringsparse.final --n 2 --sum 1 --kind gradients --eta -1":            "--eta is -1",
		"ringsparse.fillin --density 1.5 --k 1":                               "--density is 3/2",
		"ringsparse.fillin --density 0.5 --k 1e9":                             "at most 4096",
		"ringsparse.bitmap --elements 1.5 --density 0":                        "--elements is 3/2",
		"ringsparse.coo --elements 1 --density -1":                            "--density is -1",
		"ringsparse.break-even --d 0 --bandwidth 1":                           "--d is 0",
		"dasp.twait --fi 1 --fj 1 --form other":                               `--form "other", want difference, absolute, convex, oldest`,
	})
}

// What a reader may leave out has a default, and every formula says where it stands.
func TestFormulasAreComplete(t *testing.T) {
	var names []string
	for _, f := range Formulas() {
		if slices.Contains(names, f.Name) || f.Equation == "" || f.Source == "" || f.compute == nil {
			t.Errorf("%s stands twice or lacks a part", f.Name)
		}
		names = append(names, f.Name)
		for _, p := range f.Params {
			if p.Doc == "" || p.words != nil && p.Default != p.words[0] {
				t.Errorf("%s --%s: %+v", f.Name, p.Name, p)
			}
		}
	}
	for _, want := range []string{"ring.bytes", "ring.seconds", "naive.seconds", "ringsparse.T", "ringsparse.Ta", "ringsparse.Tb", "ringsparse.pw",
		"ringsparse.pg"} {
		if !slices.Contains(names, want) {
			t.Errorf("no formula %s", want)
		}
	}
}

// Loads by hand from the equations; r* and the model's least r as in the design.
func TestCodedFormulas(t *testing.T) {
	for _, test := range []struct {
		args  string
		value float64
		exact string
	}{
		{"codedsgd.blocks --n 8 --r 3", 56, "56/1"},
		{"codedsgd.have --n 8 --r 3", 21, "21/1"},                                   // C(7,2)
		{"codedsgd.left --n 8 --r 3", 35, "35/1"},                                   // C(7,3)
		{"codedsgd.groups --n 8 --r 3", 70, "70/1"},                                 // C(8,4)
		{"codedsgd.packets --n 8 --r 3", 280, "280/1"},                              // 70·4
		{"codedsgd.combinations --n 8 --r 3", 1330, "1330/1"},                       // C(21,3)
		{"codedsgd.literal-packets --n 8 --r 3", 8680, "8680/1"},                    // C27
		{"codedsgd.literal-packets --n 6 --r 3", 600, "600/1"},                      // C27
		{"codedsgd.literal-repeats --n 8 --r 3", 15, "15/1"},                        // C(C(6,1),2)
		{"codedsgd.load --n 9 --r 4", 157.5, "315/2"},                               // 126·5/4
		{"codedsgd.load --n 9 --r 4 --accounting coded-unicast", 630, "630/1"},      // 126·5
		{"codedsgd.load --n 9 --r 3 --accounting replicated", 3, "3/1"},             // 9/3
		{"codedsgd.load --n 9 --r 4 --accounting ring", 16, "16/1"},                 // 2·8
		{"codedsgd.uncoded --n 9 --r 4", 630, "630/1"},                              // 5·126
		{"codedsgd.normal --n 9 --r 4", 1008, "1008/1"},                             // 8·126
		{"codedsgd.ratio --n 9 --r 4", 5. / 32, "5/32"},                             // 5/(8·4)
		{"codedsgd.like-for-like --n 9 --r 4", 1.25, "5/4"},                         // 5/4
		{"codedsgd.bound --n 10 --r 5", 0.1, "1/10"},                                // (1/5)(1/2)
		{"codedsgd.compressed --n 6 --r 3 --t 1", 4, "4/1"},                         // 6−3+1
		{"codedsgd.compressed --n 6 --r 3 --t 3", 13. / 3, "13/3"},                  // 15·4/3/6 + 1
		{"codedsgd.time --n 8 --r 3 --tcalc 2 --tcomm 21", 11, "11/1"},              // 6 + 5/21·21
		{"codedsgd.time --n 8 --r 3 --tcalc 2 --tcomm 21 --form short", 13, "13/1"}, // 6 + 7
		{"codedsgd.rstar --n 9 --tcomm 16 --tcalc 2", 3, ""},                        // √(9/8·8)
		{"codedsgd.rstar --n 9 --tcomm 18 --tcalc 2 --form short", 3, ""},           // √9
		{"codedsgd.best --n 8 --tcomm 8 --tcalc 1", 3, "3/1"},                       // the DNN
		{"codedsgd.best --n 8 --tcomm 3 --tcalc 1", 2, "2/1"},                       // the CNN
		{"codedsgd.rho --n 8 --r 3", 5.25, "21/4"},                                  // C25
		{"codedsgd.rho --n 8 --r 3 --end high", 10.5, "21/2"},                       // C25
		{"codedsgd.rho --n 8 --r 2 --form short --end high", 6, "6/1"},              // C26
		{"codedsgd.load --n 1 --r 1", 0, "0/1"},                                     // as train: one block, nothing sent
		{"codedsgd.blocks --n 1 --r 1", 1, "1/1"},                                   // the same
		{"codedsgd.best --n 1 --tcomm 8 --tcalc 1", 1, "1/1"},                       // there is no other
		{"codedsgd.blocks --n 010/1 --r 3", 120, "120/1"},                           // ten, not eight
		{"codedsgd.line --n 8 --r 3", 40. / 7, "40/7"},                              // 8·5/7
		{"codedsgd.load --n 1000 --r 2", 249250500, "249250500/1"},                  // 499500·998/2
	} {
		if value, exact, _ := evaluate(t, test.args); value != test.value || exact != test.exact {
			t.Errorf("%s = %v (%s), want %v (%s)", test.args, value, exact, test.value, test.exact)
		}
	}
	for args, want := range map[string]string{
		"codedsgd.rstar --n 8 --tcomm 8 --tcalc 1":     "its square is 64/7; the best whole r is 3",
		"codedsgd.literal-packets --n 8 --r 3":         "280 of them useful, of 10640 combinations",
		"codedsgd.compressed --n 6 --r 5":              "t = 5",
		"codedsgd.load --n 4 --r 2 --accounting ssgd":  "SSGD, multicast: n",
		"codedsgd.load --n 4 --r 2":                    "CSSGD, multicast: C(n,r)(n−r)/r, (28)",
		"codedsgd.load --n 4 --r 4 --accounting coded": "CSSGD, multicast: C(n,r)(n−r)/r, (28)",
	} {
		if _, _, text := evaluate(t, args); text != want {
			t.Errorf("%s says %q, want %q", args, text, want)
		}
	}
}

// What cannot be computed is one line that says why.
func TestCodedFormulasRefuse(t *testing.T) {
	refuses(t, map[string]string{
		"codedsgd.load --n 0 --r 1":                                "--n is 0, want a whole number from 1",
		"codedsgd.load --n 0x8 --r 1":                              `--n "0x8" is no number`,
		"codedsgd.load --n 1_0 --r 1":                              `--n "1_0" is no number`,
		"codedsgd.load --n 8 --r 0b1":                              `--r "0b1" is no number`,
		"codedsgd.load --n 8 --r 1p1":                              `--r "1p1" is no number`,
		"codedsgd.load --n 8 --r 1/0":                              "--r 1/0 divides by 0",
		"codedsgd.ratio --n 1 --r 1":                               "it is not defined for n = 1, r = 1",
		"codedsgd.time --n 1 --r 1 --tcalc 1 --tcomm 1":            "not defined for n = 1: (19) divides by n − 1",
		"codedsgd.rstar --n 1 --tcalc 1 --tcomm 1":                 "not defined for n = 1",
		"codedsgd.rho --n 1 --r 1":                                 "not defined for n = 1",
		"codedsgd.load --n 1001 --r 1":                             "--n is 1001, want at most 1000",
		"codedsgd.load --n 3 --r 4":                                "--r is 4, want at most --n 3",
		"codedsgd.load --n 3 --r 2 --accounting moon":              `--accounting "moon", want coded, coded-unicast`,
		"codedsgd.load --n 5 --r 2 --accounting replicated":        "not defined for n = 5, r = 2",
		"codedsgd.like-for-like --n 5 --r 5":                       "not defined for n = 5, r = 5",
		"codedsgd.compressed --n 5 --r 2 --t 3":                    "--t is 3, want at most --r 2",
		"codedsgd.literal-packets --n 9 --r 5":                     "not enumerated: 12103014 combinations on each of 9 nodes, want at most 10000000",
		"codedsgd.literal-packets --n 100 --r 1":                   "--n is 100, want at most 62",
		"codedsgd.combinations --n 62 --r 31":                      "combinations are more than a float64 holds",
		"codedsgd.combinations --n 63 --r 1":                       "--n is 63, want at most 62",
		"codedsgd.literal-repeats --n 4 --r 4":                     "for r = n = 4 nothing is sent",
		"codedsgd.time --n 8 --r 3 --tcalc -1 --tcomm 1":           "--tcalc is -1",
		"codedsgd.rstar --n 8 --tcalc 0 --tcomm 1":                 "--tcalc is 0, want more than 0",
		"codedsgd.rho --n 8 --r 8 --end high":                      "there is no high end",
		"codedsgd.best --n 8 --tcalc 1 --tcomm 1 --form quadratic": `--form "quadratic", want exact, short`,
	})
}
