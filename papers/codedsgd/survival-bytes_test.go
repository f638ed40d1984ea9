package codedsgd_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
)

// uncoded trains four nodes of which node 3 is lost before the others begin, with six blocks of two micro-blocks, and
// returns what each counts in step 2, when step 0 ends, and the parameters' hashes. change is of what a node sends of
// blocks.
func uncoded(t *testing.T, task, loses bool, o codedsgd.Options, change func(rank int, m *cluster.Msg)) (
	step []codedsgd.Totals, ends []time.Duration, hashes []string, err error) {
	t.Helper()
	o.Redundancy, o.MicroBlocks = 2, 12
	step, ends, hashes = make([]codedsgd.Totals, 4), make([]time.Duration, 4), make([]string, 4)
	_, _, err = cluster.Run(t.Context(), elastic(4, 1), func(p cluster.Proc) (int, error) {
		q, log := newQuadratic(24, 8), &codedsgd.Log{}
		job := codedsgd.Job{Layers: q.layers, Batch: 24, Rate: 0.1, Steps: 3, Options: o, Log: log}
		if task {
			job.Task = q
		}
		var before codedsgd.Totals
		job.OnStep = func(s int64) (bool, error) {
			if s == 1 {
				before = log.Totals
			}
			return false, nil
		}
		if loses && p.Rank() == 3 {
			return 0, cluster.ErrCrashed
		}
		if err := cluster.Sleep(p, 10*time.Millisecond); err != nil {
			return 0, err
		}
		if _, err := codedsgd.Run(&retold{p.(cluster.Survivor), change}, job); err != nil {
			return 0, err
		}
		after := log.Totals
		step[p.Rank()] = codedsgd.Totals{
			Packets: after.Packets - before.Packets, Bytes: after.Bytes - before.Bytes,
			Delivered: after.Delivered - before.Delivered, Useful: after.Useful - before.Useful,
			Received: after.Received - before.Received, CodingBytes: after.CodingBytes - before.CodingBytes,
		}
		ends[p.Rank()], hashes[p.Rank()] = log.Ends[0], digest(q.params)
		return 0, nil
	})
	return step, ends, hashes, err
}

// retold changes what its rank sends of blocks after the first loss: tag 0 of the second epoch, each of which has a tag
// for both layers and two of the crew's.
type retold struct {
	cluster.Survivor
	change func(rank int, m *cluster.Msg)
}

func (r *retold) Isend(to int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	if tag == 4 && r.change != nil {
		r.change(r.Rank(), m)
	}
	return r.Survivor.Isend(to, tag, m)
}

// TestBytesAfterALoss: the blocks 0 … 5 are of nodes 01, 02, 03, 12, 13, 23. Without node 3 the living holders of a
// block take turns by its number: 0 sends 0 to 2 and 2 to both, 1 sends 4 to both, 2 sends 1 to 1, 3 to 0 and 5 to
// both. That is one message to each, and three blocks for each, which quantises its own three and adds all six.
func TestBytesAfterALoss(t *testing.T) {
	const block = 4 * 32 * 2
	for _, task := range []bool{true, false} {
		step, _, hashes, err := uncoded(t, task, true, codedsgd.Options{}, nil)
		must(t, err)
		for k, sent := range []int64{3, 2, 4} {
			want := codedsgd.Totals{Packets: 2, Bytes: sent * block, Delivered: sent * block, CodingBytes: (3 + 6) * block}
			want.Useful, want.Received = 3*block, 3*block
			if step[k] != want {
				t.Errorf("task %v: node %d counts %+v, want %+v", task, k, step[k], want)
			}
		}
		_, _, whole, err := uncoded(t, task, false, codedsgd.Options{}, nil)
		must(t, err)
		if !slices.Equal(hashes[:3], whole[:3]) || whole[0] != whole[3] {
			t.Errorf("task %v: hashes %.9s, of a run that loses nobody %.9s", task, hashes, whole)
		}
	}
}

// TestBlocksSayOfWhichStepTheyAre: and of how many living, and of which job: with another range it is another.
func TestBlocksSayOfWhichStepTheyAre(t *testing.T) {
	var jobs []int64
	for _, o := range []codedsgd.Options{{}, {Range: 11}} {
		var got [][2]int64
		_, _, _, err := uncoded(t, true, true, o, func(rank int, m *cluster.Msg) {
			if rank == 1 {
				got = append(got, [2]int64{m.Meta[0], m.Meta[1]})
				jobs = append(jobs, m.Meta[2])
			}
		})
		if want := [][2]int64{{0, 3}, {0, 3}, {1, 3}, {1, 3}, {2, 3}, {2, 3}}; err != nil || !slices.Equal(got, want) {
			t.Errorf("range %g: %v, %v, want %v", o.Range, got, err, want)
		}
	}
	if len(jobs) != 12 || jobs[0] != jobs[5] || jobs[5] == jobs[6] || jobs[6] != jobs[11] {
		t.Errorf("the jobs are %v", jobs)
	}
}

// TestAddingTakesTimeAfterALoss: three blocks quantised and six added, each of 256 bytes, at 1 MB/s.
func TestAddingTakesTimeAfterALoss(t *testing.T) {
	_, free, _, err := uncoded(t, true, true, codedsgd.Options{}, nil)
	must(t, err)
	_, charged, _, err := uncoded(t, true, true, codedsgd.Options{Charge: true, Rate: 1e6}, nil)
	must(t, err)
	for k := range 3 {
		if got := charged[k] - free[k]; got != 2304*time.Microsecond {
			t.Errorf("node %d's step ends %v later, want 2.304ms", k, got)
		}
	}
}

// TestBlocksOfAnotherStepAreRefused: a message of blocks says of which step, of how many living and of which job it is,
// has as many bytes as its blocks, and contents where gradients are computed.
func TestBlocksOfAnotherStepAreRefused(t *testing.T) {
	type message = cluster.Msg
	for name, change := range map[string]func(m *message){
		"another step":     func(m *message) { m.Meta[0]++ },
		"other living":     func(m *message) { m.Meta[1]++ },
		"another job":      func(m *message) { m.Meta[2] ^= 1 },
		"a word too many":  func(m *message) { m.Meta[3]++ },
		"too short":        func(m *message) { m.Body = m.Body[:len(m.Body)-4] },
		"too long":         func(m *message) { m.Body = append(m.Body, 0, 0, 0, 0) },
		"without contents": func(m *message) { m.Body, m.Declared = nil, len(m.Body) },
	} {
		var said string
		_, _, _, err := uncoded(t, true, true, codedsgd.Options{}, func(rank int, m *message) {
			if rank == 1 && said == "" {
				change(m)
				said = fmt.Sprintf("rank 1 sent %d bytes marked %v, want 256 marked ", m.Size(), m.Meta)
			}
		})
		asks := "do all ranks have the same options?"
		if got := fmt.Sprint(err); said == "" || !strings.Contains(got, said) || !strings.HasSuffix(got, asks) {
			t.Errorf("%s: %v, want it to say %q", name, err, said)
		}
	}
}

// TestABlockLostWithItsHolders: without nodes 1 and 2 nobody has block 3, of the two.
func TestABlockLostWithItsHolders(t *testing.T) {
	hashes, _, err := survive(t, elastic(4, 1), 2, []time.Duration{0, 1, 1, 0})
	want := "codedsgd: block 3 is lost with all nodes that compute it, [1 2]: redundancy 2 survives the loss of 1"
	if !strings.HasSuffix(fmt.Sprint(err), want) || !slices.Equal(hashes, make([]string, 4)) {
		t.Errorf("%v, want %q; hashes %q", err, want, hashes)
	}
}
