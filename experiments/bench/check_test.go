package bench

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// slower returns a book whose contender of that name has speeds times the factor in one case.
func slower(t *testing.T, chapter, title, contender string, factor float64) *Book {
	t.Helper()
	b := fakeBook(t)
	r := b.Find(chapter).Case(title).Find(contender)
	for i := range r.Speeds {
		r.Speeds[i] *= factor
	}
	return b
}

// A ratio that fell by 30 % is named, one that fell by 10 % or rose is not; a peer that became faster is as bad as we
// that became slower.
func TestCompare(t *testing.T) {
	const ring = "all-reduce of 1 MiB, 2 processes"
	for _, c := range []struct {
		chapter, title, contender string
		factor                    float64
		fell                      []string
	}{
		{ChapterSteps, "lenet5, batch 64, 2 threads", "ours", 0.7, []string{"ours × pytorch"}},
		{ChapterSteps, "lenet5, batch 64, 2 threads", "ours", 0.9, nil},
		{ChapterSteps, "lenet5, batch 64, 2 threads", "ours", 0.76, nil},
		{ChapterSteps, "lenet5, batch 64, 2 threads", "ours", 2, nil},
		{ChapterSteps, "lenet5, batch 64, 2 threads", "pytorch", 1.5, []string{"ours × pytorch"}},
		{ChapterVec, "64 MiB of float32", "quantise", 0.7, []string{"quantise × copy"}},
		{ChapterMessages, "a ring of 256 ranks in virtual time", VirtualRing, 0.7, []string{"virtual × channels"}},
		{ChapterRing, ring, OurRing, 0.7, []string{"gradsync × openmpi-allreduce", "gradsync × mpich-allreduce", "gradsync × openmpi-ring"}},
		{ChapterRing, ring, MPICHReduce, 1.5, []string{"gradsync × mpich-allreduce"}},
		{ChapterMPI, ring, MPIRing, 1.5, []string{"gradsync-mpi × openmpi-ring"}},
		{ChapterTLS, ring, TLSRing, 0.7, []string{"gradsync-tls × gradsync"}},
	} {
		was := fakeBook(t)
		changes := Compare(was, slower(t, c.chapter, c.title, c.contender, c.factor))
		var fell []string
		for _, one := range changes {
			if one.Skipped != "" {
				t.Errorf("skipped: %+v", one)
			}
			if one.Fell {
				fell = append(fell, one.Contender+" × "+one.Peer)
				if one.Case != c.title {
					t.Errorf("%+v", one)
				}
			}
		}
		if !slices.Equal(fell, c.fell) {
			t.Errorf("%+v: fell %q", c, fell)
		}
		text := ChangesText(changes)
		if strings.Count(text, "fell: ") != len(c.fell) || !strings.HasSuffix(text, " not compared\n") {
			t.Error(text)
		}
		if raw, err := json.Marshal(changes); err != nil || strings.Count(string(raw), `"fell":true`) != len(c.fell) {
			t.Errorf("%v %s", err, raw)
		}
	}
	text := ChangesText(Compare(fakeBook(t), slower(t, ChapterTLS, "all-reduce of 1 MiB, 2 processes", TLSRing, 0.7)))
	if !strings.HasPrefix(text, "fell: TLS over clear: all-reduce of 1 MiB, 2 processes: gradsync-tls × gradsync: 0.1 → 0.07 (-30 %)\n") {
		t.Error(text)
	}
}

// Contenders of another version, kernels, or that are missing, are not compared and say why; our rings' settings are
// no version. What was not measured again is not in the list.
func TestCompareTheSameContenders(t *testing.T) {
	const step, ring = "lenet5, batch 64, 2 threads", "all-reduce of 1 MiB, 2 processes"
	was, now := fakeBook(t), slower(t, ChapterSteps, step, "ours", 0.1)
	now.Find(ChapterSteps).Case(step).Find("pytorch").Facts = []string{"pytorch 2.0"}
	now.Find(ChapterRing).Case(ring).Find(OurRing).Facts = []string{"2 connections"}
	o := now.Find(ChapterRing).Case(ring)
	o.Results = slices.DeleteFunc(o.Results, func(r *Result) bool { return r.Contender == MPICHReduce })
	now.Find(ChapterGemm).Outcomes[0].Results[0].Class = "avx2"
	now.Find(ChapterVec).Outcomes[0].Title = "128 MiB of float32"
	now.Sections = slices.DeleteFunc(now.Sections, func(s *Section) bool { return s.Name == ChapterCoded })
	changes := Compare(was, now)
	why := map[string]string{}
	for _, c := range changes {
		if c.Fell || c.Chapter == "Coded exchange" {
			t.Errorf("%+v", c)
		}
		if c.Skipped != "" {
			why[c.Contender+" "+c.Peer+" "+c.Case] = c.Skipped
		}
	}
	for pair, want := range map[string]string{
		"ours pytorch " + step: "pytorch is another: pytorch 2.0, not pytorch 1.0", "gradsync mpich-allreduce " + ring: "mpich-allreduce is not here",
		"ours openblas 512×512×512, 1 thread": "ours is another: avx2, not k", "quantise copy 128 MiB of float32": "the case is not among the committed ones",
	} {
		if why[pair] != want {
			t.Errorf("%s: %q, want %q", pair, why[pair], want)
		}
	}
	if n := len(Kernels()) - 1 + 3; len(why) != n {
		t.Errorf("%d skipped, want %d: %q", len(why), n, why)
	}
	if !strings.Contains(ChangesText(changes), "not compared: pytorch is another: pytorch 2.0, not pytorch 1.0\n") {
		t.Error(ChangesText(changes))
	}
}

// A machine of another kind says so; other versions on the same one do not.
func TestStrange(t *testing.T) {
	b := &Book{Machine: [][2]string{{"processor", "abacus"}, {"cores", "2"}, {"Go", "go1.1"}}}
	if got := b.Strange([][2]string{{"processor", "abacus"}, {"cores", "2"}, {"Go", "go1.2"}}); got != "" {
		t.Error(got)
	}
	if got := b.Strange([][2]string{{"processor", "slide rule"}, {"cores", "4"}}); !strings.Contains(got, "processor slide rule, not abacus; cores 4, not 2") {
		t.Error(got)
	}
}
