package platforms

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"gradsync/internal/oktest"
	"gradsync/shared/cluster"
)

// compiled returns the committed schema.
func compiled(t *testing.T) func(raw []byte) error {
	t.Helper()
	text := oktest.Must(os.ReadFile(filepath.Join("schema", "platform.schema.json")))(t)
	doc := oktest.Must(jsonschema.UnmarshalJSON(bytes.NewReader(text)))(t)
	c := jsonschema.NewCompiler()
	oktest.Nil(t, c.AddResource("platform.json", doc))
	s := oktest.Must(c.Compile("platform.json"))(t)
	return func(raw []byte) error {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			return err
		}
		return s.Validate(doc)
	}
}

// Every committed platform, and every one that Make makes of them, is in order by the schema,
// by the reader and by Check.
func TestSchemaTakesEveryPlatform(t *testing.T) {
	oktest.Slow(t)
	valid := compiled(t)
	try := func(name string, raw []byte) {
		if err := valid(raw); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if problems := Check(raw); problems != nil {
			t.Errorf("%s: %v", name, problems)
		}
	}
	made := 0
	for _, name := range Names() {
		try(name, oktest.Must(os.ReadFile(name+".json"))(t))
		for _, plan := range []Plan{{Workers: 1}, {Workers: 8, Slow: 1, Factor: 3}, {Workers: 40, Slow: 40, Factor: 0.1, Link: "1Gb/s", Latency: "1 ms"}} {
			plan.Like = name
			p, err := Make(plan)
			if base, _ := Load(name); len(base.Nodes) > 0 {
				if err == nil {
					t.Errorf("made %d workers like %s, which has nodes", plan.Workers, name)
				}
				continue
			}
			if err != nil {
				t.Error(err)
				continue
			}
			made++
			try(fmt.Sprintf("%+v", plan), cluster.Marshal(p))
			if again, err := cluster.Parse(cluster.Marshal(p)); err != nil || cmp.Diff(p, again) != "" {
				t.Errorf("%+v is not what its file says: %v %s", plan, err, cmp.Diff(p, again))
			}
		}
	}
	if made == 0 {
		t.Error("nothing was made")
	}
}

// complete is a platform with everything that one may have.
const complete = `{
  "name": "all", "note": "n", "decision": "20 us", "multicast": true,
  "server": {"name": "ps", "node": "box1", "flops": "1 TFLOP/s", "bandwidth": "10 Gb/s"},
  "nodes": [{"name": "box", "count": 2, "bandwidth": {"value": "6 GB/s", "why": "stated", "confidence": "high"}, "latency": "1 us", "overhead": "0.5 us"}],
  "codecs": [
    {"name": "bitmap", "encode": "2 GB/s", "decode": "1 GB/s"},
    {"name": "count", "encode": "9 GB/s"}],
  "workers": [
    {"name": "w", "count": 3, "node": "box", "flops": {"value": "13.4 TFLOP/s", "why": "a card's"}, "memory": "616 GB/s",
     "jitter": "5 %", "bandwidth": "1 Gb/s", "latency": "25 us", "overhead": "5 us",
     "slow": [{"at": "1.5 s", "factor": "5"}, {"at": "2 s", "factor": "1"}]},
    {"name": "last", "flops": "+.5e1 kFLOP/s", "memory": "0 B/s", "jitter": "0.1", "bandwidth": "3. MiB/s"}]
}
`

// refusals are changes of complete that make it none. shape: the schema can see it; field and
// line are where Check puts it.
var refusals = []struct {
	old, by, field string
	line           int
	what           string
	shape          bool
}{
	{`"name": "all", `, ``, "name", 1, `is missing, want for example "mine"`, true},
	{`"name": "all"`, `"name": ""`, "name", 2, "missing", true},
	{`"name": "all"`, `"name": 3`, "name", 2, "3 is not a string", true},
	{`"note": "n"`, `"note": null`, "note", 2, "null is not a string", true},
	{`"note"`, `"remark"`, "remark", 2, "unknown field, want one of name, note, decision", true},
	{`"note": "n"`, `"name": "n"`, "name", 2, "is repeated, want it once", false},
	{`"decision": "20 us"`, `"decision": 20`, "decision", 2, "20 is not a string", true},
	{`"20 us"`, `"20 µm"`, "decision", 2, `has unit "µm", want one of s, ns, us`, true},
	{`"20 us"`, `"-20 us"`, "decision", 2, "is not 0 or a number from", true},
	{`"20 us"`, `"25000 min"`, "decision", 2, "more than 24 hours", false},
	{`"multicast": true`, `"multicast": "yes"`, "multicast", 2, `"yes" is not a bool`, true},
	{`"server": {"name": "ps", "node": "box1", "flops": "1 TFLOP/s", "bandwidth": "10 Gb/s"}`, `"server": []`, "server", 3, "not a JSON object", true},
	{`"name": "ps", `, `"name": "ps", "count": 2, `, "server.count", 3, "unknown field, want one of", true},
	{`"flops": "1 TFLOP/s", `, ``, "server.flops", 3, `is missing, want for example "10 TFLOP/s"`, true},
	{`"1 TFLOP/s"`, `"0.00 TFLOP/s"`, "server.flops", 3, "flops = 0 flop/s, want > 0", true},
	{`"10 Gb/s"`, `"10 Gbit"`, "server.bandwidth", 3, `has unit "Gbit", want one of`, true},
	{`"node": "box1"`, `"node": "box"`, "server.node", 3, `there is no node "box"`, false},
	{`"count": 2`, `"count": 0`, "nodes[0].count", 4, "want 1 to 131072", true},
	{`"why": "stated"`, `"reason": "stated"`, "nodes[0].bandwidth", 4, `unknown field "reason"`, true},
	{`"value": "6 GB/s", `, ``, "nodes[0].bandwidth", 4, `has unit ""`, true},
	{`"latency": "1 us"`, `"latency": "1 us", "memory": "1 B/s"`, "nodes[0].memory", 4, "unknown field", true},
	{`"nodes": [{`, `"nodes": [3, {`, "nodes[0]", 4, "is not a JSON object", true},
	{`, "decode": "1 GB/s"`, ``, "codecs[0]", 6, `decode = 0 B/s, want > 0`, true},
	{`"encode": "9 GB/s"`, `"encode": "9 GB/s", "decode": "1 B/s"`, "codecs[1]", 7, "want none", true},
	{`"name": "count"`, `"name": "Count"`, "codecs[1]", 7, `name "Count", want a small letter`, true},
	{`"name": "count"`, `"name": "bitmap"`, "codecs[1]", 7, "decode = 0 B/s, want > 0", true},
	{`"2 GB/s"`, `"0x2 GB/s"`, "codecs[0].encode", 6, "is not a decimal number", true},
	{`"count": 3`, `"count": "3"`, "workers[0].count", 9, `"3" is not a int`, true},
	{`"node": "box", "flops"`, `"node": "attic", "flops"`, "workers[0].node", 9, `there is no node "attic", want a name of nodes`, false},
	{`"node": "box", "flops"`, `"node": 7, "flops"`, "workers[0].node", 9, "7 is not a string", true},
	{`"5 %"`, `"5 percent"`, "workers[0].jitter", 10, `has unit "percent"`, true},
	{`"5 %"`, `"11"`, "workers[0].jitter", 10, "jitter = 11, want between 0 and 10", false},
	{`"at": "2 s"`, `"at": "1 s"`, "workers[0].slow", 11, "want later than 1.5s", false},
	{`"factor": "5"`, `"factor": "0"`, "workers[0].slow", 11, "factor = 0, want > 0", true},
	{`"factor": "5"`, `"speed": "5"`, "workers[0].slow", 11, `unknown field "speed"`, true},
	{`, "factor": "5"`, ``, "workers[0].slow", 11, `field "factor" is missing`, true},
	{`"name": "last"`, `"name": "w1"`, "workers[1]", 12, `name "w1" is taken`, false},
	{`"0 B/s"`, `"-1 B/s"`, "workers[1].memory", 12, "is not 0 or a number", true},
	{`"3. MiB/s"`, `"1e31 MiB/s"`, "workers[1].bandwidth", 12, "is not 0 or a number from 1e-30 to 1e30", false},
	{`"3. MiB/s"`, `["3 MiB/s"]`, "workers[1].bandwidth", 12, "is not a string", true},
	{complete, `{"name": "none", "workers": []}`, "workers", 1, "no workers", true},
	{complete, "{\n\"name\": \"none\",\n\"workers\": [}", "", 3, "not JSON: ", true},
	{complete, "{\n\"name\": \"none\"\n", "", 2, "not JSON: ends within the object", true},
	{complete, complete + "x", "", 14, "not JSON: ", true},
	{complete, "[]", "", 1, "[] is not a JSON object", true},
}

// The schema, the reader and Check refuse the same files, and Check names line, field, what it has and what is wanted.
func TestSchemaReaderAndCheckAgree(t *testing.T) {
	valid := compiled(t)
	if err := valid([]byte(complete)); err != nil || Check([]byte(complete)) != nil {
		t.Fatalf("complete: %v, %v", err, Check([]byte(complete)))
	}
	for _, r := range refusals {
		raw := []byte(strings.Replace(complete, r.old, r.by, 1))
		name := fmt.Sprintf("%.40s → %.40s", r.old, r.by)
		if bytes.Equal(raw, []byte(complete)) {
			t.Errorf("%s changes nothing", name)
		}
		if _, err := cluster.Parse(raw); err == nil {
			t.Errorf("%s: the reader takes it", name)
		}
		if err := valid(raw); (err != nil) != r.shape {
			t.Errorf("%s: the schema says %v", name, err)
		}
		problems := Check(raw)
		if len(problems) != 1 || problems[0].Field != r.field || problems[0].Line != r.line || !strings.Contains(problems[0].What, r.what) {
			t.Errorf("%s: %v, want one: %d: %s: … %s", name, problems, r.line, r.field, r.what)
		}
	}
}

// One mistake hides no other.
func TestCheckListsAll(t *testing.T) {
	raw := complete
	for _, change := range [][2]string{{`"20 us"`, `"20"`}, {`"flops": "1 TFLOP/s", `, ``}, {`"5 %"`, `"5 p"`}, {`"name": "last", `, ``}, {`"9 GB/s"`, `"9"`}} {
		raw = strings.Replace(raw, change[0], change[1], 1)
	}
	var at []string
	for _, p := range Check([]byte(raw)) {
		at = append(at, fmt.Sprintf("%d %s", p.Line, p.Field))
	}
	want := []string{"2 decision", "3 server.flops", "7 codecs[1].encode", "10 workers[0].jitter", "12 workers[1].name"}
	if !slices.Equal(at, want) {
		t.Errorf("found %v, want %v", at, want)
	}
}

// What Check lists as fields the schema has, and every part's example is one the reader takes.
func TestPartsAreTheReaders(t *testing.T) {
	for name, kind := range map[string]part{"worker": workerPart, "server": serverPart, "node": nodePart, "whole": wholePart} {
		if _, err := cluster.Parse(kind.with(kind.example)); err != nil {
			t.Errorf("%s: the example is refused: %v", name, err)
		}
		for _, field := range kind.fields {
			if _, err := cluster.Parse(fmt.Appendf(nil, kind.around, `{"`+field+`":null}`)); err == nil || strings.Contains(err.Error(), "unknown field") {
				t.Errorf("%s: %s is no field of the reader: %v", name, field, err)
			}
		}
	}
}

// A plan's numbers by hand.
func TestMake(t *testing.T) {
	base := oktest.Must(Load("homogeneous6"))(t)
	p := oktest.Must(Make(Plan{Workers: 8, Slow: 1, Factor: 3, Link: "1Gb/s", Latency: "100us"}))(t)
	if len(p.Workers) != 8 || p.Workers[6].Name != "w6" || p.Workers[7].Name != "slow0" || p.Name != "own8-slow1-factor3" {
		t.Errorf("workers %v of %s", p.Workers, p.Name)
	}
	if f := p.Workers[0].FLOPS / p.Workers[7].FLOPS; f < 2.9999 || f > 3.0001 || p.Workers[7].Memory != 183e9 || p.Workers[0].FLOPS != base.Workers[0].FLOPS {
		t.Errorf("the slow one: %+v", p.Workers[7])
	}
	for _, h := range p.Hosts(true) {
		if h.Bandwidth != 0.125e9 || h.Latency != 50*time.Microsecond {
			t.Errorf("%s: link %g B/s, latency %v, want 0.125e9 and 50 µs", h.Name, h.Bandwidth, h.Latency)
		}
		reasons(t, h.Name, h.Assumed, map[string]bool{"flops": true, "memory": true, "bandwidth": true, "latency": true, "overhead": true})
	}
	het, err := Make(Plan{Workers: 8, Like: "heterogeneous6", ServerLink: "40 Gb/s"})
	old, _ := Load("heterogeneous6")
	if err != nil || het.Workers[7].FLOPS != old.Workers[1].FLOPS || het.Server.Bandwidth != 5e9 || het.Workers[0].Bandwidth != old.Workers[0].Bandwidth {
		t.Errorf("eight like heterogeneous6: %v", err)
	}
	if again, _ := Load("homogeneous6"); cmp.Diff(base, again) != "" {
		t.Error("Make changed the platform that its workers are like")
	}
	for want, plan := range map[string]Plan{
		"0 workers, want 1 to":                        {},
		"9 slow workers, want 0 to 8":                 {Workers: 8, Slow: 9, Factor: 2},
		"factor 0, want 0.001":                        {Workers: 8, Slow: 1},
		`--link "1 Gbit": "1 Gbit" has unit "Gbit"`:   {Workers: 8, Link: "1 Gbit"},
		`--link "0 Gb/s": 0 B/s, want > 0`:            {Workers: 8, Link: "0 Gb/s"},
		`--latency "5": "5" has unit "", want one of`: {Workers: 8, Latency: "5"},
		"--server-link 1 Gb/s: sparse32 has no":       {Workers: 8, Like: "sparse32", ServerLink: "1 Gb/s"},
		"no platform \"moon\"":                        {Workers: 8, Like: "moon"},
	} {
		if _, err := Make(plan); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", plan, err, want)
		}
	}
}

// No platform is put in the place of one with fewer workers than a run asks for.
func TestChoose(t *testing.T) {
	if p, err := Choose("", 6); err != nil || p.Name != Default {
		t.Errorf("six workers: %v", err)
	}
	if p, err := Choose("homogeneous10", 0); err != nil || len(p.Workers) != 10 {
		t.Errorf("all workers: %v", err)
	}
	const want = "platforms: 8 workers, platform heterogeneous6 has 6: `gradsync platform new --workers 8 --like heterogeneous6 --out p8.json` " +
		"makes one of its kinds, then --platform p8.json"
	if _, err := Choose("", 8); err == nil || err.Error() != want {
		t.Errorf("eight workers: %v\nwant %s", err, want)
	}
}

// A result's platforms are found by name and by key; one that a result holds in full keeps its
// numbers, one of this package must still be what it was.
func TestInResult(t *testing.T) {
	het, _ := Load("heterogeneous6")
	const form = `{"schema": "gradsync.result/v2", "id": "own/x", "config": {"seed": 1, "platforms": {"a": {"name": "heterogeneous6", "sha256": %q},
		"b": [{"name": "two", "sha256": %q, "platform": {"Name": "two", "Note": "", "Server": null, "Decision": 50000, "Multicast": false, "Assumed": null,
		"Workers": [{"Name": "w", "FLOPS": 1e12, "Memory": 0, "Jitter": 0.05, "Bandwidth": 1e9, "Latency": 25000, "Overhead": 0, "Assumed": null}]}}]}}}`
	file := filepath.Join(t.TempDir(), "x.json")
	put := func(sum string) {
		oktest.Nil(t, os.WriteFile(file, fmt.Appendf(nil, form, sum, strings.Repeat("0", 64)), 0o644))
	}
	put(Sum(het))
	for key, want := range map[string]string{"#heterogeneous6": "heterogeneous6", "#platforms/a": "heterogeneous6", "#two": "two", "#platforms/b/0": "two"} {
		p, err := Load(file + key)
		if err != nil || p.Name != want {
			t.Errorf("%s: %v, want %s", key, err, want)
			continue
		}
		if w := p.Workers[0]; want == "two" && (w.FLOPS != 1e12 || w.Latency != 25*time.Microsecond || w.Jitter != 0.05 || p.Decision != 50*time.Microsecond) {
			t.Errorf("%s: %+v", key, p)
		}
	}
	for key, want := range map[string]string{"": "2 platforms, want FILE#KEY with one of #platforms/a, #platforms/b/0",
		"#c": "no platform #c, want one of #platforms/a"} {
		if _, err := Load(file + key); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", key, err, want)
		}
	}
	put(strings.Repeat("1", 64))
	if _, err := Load(file + "#platforms/a"); err == nil || !strings.Contains(err.Error(), "ran on a heterogeneous6 of sha256 111111111111…, this program has") {
		t.Errorf("another heterogeneous6: %v", err)
	}
	if problems := Check([]byte(fmt.Sprintf(form, "", ""))); len(problems) != 1 || !strings.Contains(problems[0].What, "is a result") {
		t.Errorf("a result as a platform: %v", problems)
	}
	results, err := filepath.Glob("../results/*/*.json")
	if err != nil || len(results) == 0 {
		t.Fatal(err)
	}
	found := 0
	for _, path := range results { // the committed ones can all be given back
		if strings.HasSuffix(path, ".run.json") {
			continue
		}
		raw, _, _, err := Read(path)
		oktest.Nil(t, err)
		all, err := RecordedIn(raw)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		for _, r := range all {
			found++
			if p, err := Load(path + "#" + r.Key); err != nil || p.Name != r.Name {
				t.Errorf("%s#%s: %v", path, r.Key, err)
			}
		}
	}
	if found < 50 {
		t.Errorf("%d platforms in the committed results", found)
	}
}

// The manual's example is in order, and the manual and the schema name every field.
func TestManual(t *testing.T) {
	raw := oktest.Must(os.ReadFile("README.md"))(t)
	text := string(raw)
	_, example, _ := strings.Cut(text, "```json\n")
	example, _, _ = strings.Cut(example, "```")
	if problems := Check([]byte(example)); problems != nil || compiled(t)([]byte(example)) != nil {
		t.Errorf("the manual's example: %v, %v", problems, compiled(t)([]byte(example)))
	}
	schema := oktest.Must(os.ReadFile(filepath.Join("schema", "platform.schema.json")))(t)
	for _, kind := range []part{wholePart, workerPart, serverPart, nodePart, codecPart} {
		for _, field := range kind.fields {
			if !strings.Contains(text, "`"+field+"`") || !strings.Contains(string(schema), `"`+field+`": {`) {
				t.Errorf("manual or schema do not name %s", field)
			}
		}
	}
}

// Where a byte of a file is lost or replaced, Check finds something exactly where the reader
// refuses the file, and the schema takes every file that the reader takes.
func TestCheckAgreesOnEveryByte(t *testing.T) {
	oktest.Slow(t)
	valid, taken := compiled(t), 0
	for i := range len(complete) {
		by := []string{"", `"`, "0", "}", ",", "e", "z"}[i%7]
		raw := []byte(complete[:i] + by + complete[i+1:])
		_, err := cluster.Parse(raw)
		if problems := Check(raw); (err != nil) != (problems != nil) {
			t.Errorf("byte %d → %q: the reader says %v, Check %v", i, by, err, problems)
		}
		if err == nil {
			taken++
			if err := valid(raw); err != nil {
				t.Errorf("byte %d → %q: the reader takes it, the schema says %v", i, by, err)
			}
		}
	}
	if taken < 50 {
		t.Errorf("%d files were taken: nothing was compared with the schema", taken)
	}
}
