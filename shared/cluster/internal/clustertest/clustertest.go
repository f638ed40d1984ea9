// Package clustertest checks a runtime against the contract of cluster.Proc,
// one named subtest per sentence, and runtimes against each other bit for bit.
package clustertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gradsync/shared/cluster"
)

// Make returns a runtime of n ranks with a seed, whose hosts are named host0,
// host1 … and compute 1e9 flop/s.
type Make func(n int, seed uint64) cluster.Runtime

// Host is the host a Make may use for every rank.
var Host = cluster.Host{Name: "host", FLOPS: 1e9, Bandwidth: 125e6, Latency: 10 * time.Microsecond}

// suite is one runtime under test.
type suite struct {
	*testing.T
	make  Make
	apart bool // each rank in a process of its own: errors of others are texts, and results are at rank 0
	rank  int  // of this process, if apart
}

// leads reports whether results and traffic of all ranks are gathered here.
func (s suite) leads() bool { return !s.apart || s.rank == 0 }

// is reports whether err is target, or between processes says what target says.
func (s suite) is(err, target error) bool {
	return errors.Is(err, target) || s.apart && err != nil && strings.Contains(err.Error(), target.Error())
}

// sentences are the contract, by the words of cluster.Proc.
var sentences = []struct {
	name string
	test func(suite)
}{
	{"rank and size name the process", rankAndSize},
	{"Now is the time since the run began", now},
	{"Rand is named by seed, rank, thread and stream; one more stream changes no other", streams},
	{"Start is FIFO on the rank's one device, also between threads", startFIFO},
	{"a stage completes after f really called done", stageAfterDone},
	{"f runs off the process", offProcess},
	{"f may not use a Proc", fUsesProc},
	{"if f returns early its open stages complete with its error", earlyReturn},
	{"f that returns nil with stages open is an error", openStages},
	{"f calls done once per stage", doneOnce},
	{"a nil f is a timing-only computation", timingOnly},
	{"a panic in f carries its stack", panicInF},
	{"an error of f that nobody waits for fails the run", unseenF},
	{"m may change once its send is done", sendDone},
	{"a self-send is free", selfSend},
	{"messages of one from, to and tag never overtake", noOvertaking},
	{"receives match in posting order", postingOrder},
	{"a receive from Any takes a message of any rank", anySource},
	{"a body is received in place if its capacity suffices, else allocated", inPlace},
	{"a body that is given away arrives and is no longer in its message", given},
	{"a body that was received may be given away again", handedOn},
	{"a body that is used after it was given away is found", misuse},
	{"meta, source, tag and declared size arrive", meta},
	{"an empty body is not a declared one", emptyBody},
	{"Ibcast reaches every member and no plain receive", broadcast},
	{"Cancel withdraws a receive and is harmless on one that is done", cancel},
	{"Cancel is for receives only", cancelSend},
	{"WaitAny returns the request completed first", firstCompleted},
	{"expiry of an absolute deadline is -1 and ErrDeadline", deadline},
	{"Go runs another thread of the rank", goThread},
	{"an error of a thread that nobody waits for fails the run", unseenThread},
	{"any number of threads may wait for one request, all wake", manyWaiters},
	{"a run that ends with waiters lists rank, thread, operation, peer and tag", deadlock},
	{"once a body fails every call of every other rank returns AbortError", abort},
	{"panics carry their stack", panics},
	{"a Proc used by a foreign thread panics", foreign},
	{"tags are below MaxTag", tags},
	{"a cancelled context ends the run", cancelled},
	{"stale timers do not lengthen a run", staleTimers},
	{"a run lasts until the last body's return", elapsed},
	{"results are gathered in rank order", results},
	{"bytes are counted as on the wire", traffic},
	{"a wrapper of Proc is a Proc", wrapper},
}

// losses are the contract of cluster.Survivor.
var losses = []struct {
	name string
	test func(suite)
}{
	{"every survivor is told, in one order", toldInOneOrder},
	{"Lost is done until Alive was asked", lostUntilAlive},
	{"a receive from a lost rank ends with its LostError", receiveFromLost},
	{"what had arrived from a lost rank is delivered", arrivedBeforeLoss},
	{"a send to a lost rank completes and is dropped", sendToLost},
	{"a receive from Any goes on with the living", anyOfTheLiving},
	{"Ibcast with a lost root ends with the error, one with a lost member goes on", broadcastOfTheLiving},
	{"a panic with ErrCrashed in a thread loses the rank, its own calls fail", crashInThread},
	{"a deadlock is one of the living", deadlockOfTheLiving},
	{"the outcome names the lost, and an error of theirs counts for nothing", outcomeOfTheLiving},
	{"any rank may be lost, rank 0 too, and all but one", allButOne},
	{"a run that loses all its ranks fails", allLost},
}

// Survival runs the contract of cluster.Survivor against an elastic runtime.
//
// Source: ours: the contract at cluster.Survivor, sentence by sentence
func Survival(t *testing.T, make Make) {
	for _, s := range losses {
		t.Run(s.name, func(t *testing.T) { s.test(suite{T: t, make: make}) })
	}
}

// Conformance runs the contract against a runtime.
//
// Source: ours: the contract at cluster.Proc, sentence by sentence
func Conformance(t *testing.T, make Make) {
	for _, s := range sentences {
		t.Run(s.name, func(t *testing.T) { s.test(suite{T: t, make: make}) })
	}
}

// Sentences returns the number of sentences of the contract.
//
// Source: ours: the contract at cluster.Proc, sentence by sentence
func Sentences() int { return len(sentences) }

// Apart runs the contract against a runtime whose ranks are processes, each of which calls it with its rank. make gets
// a name that all ranks of a run have, and no other run. It returns how many sentences this rank was part of that passed:
// of rank 0 all Sentences.
//
// Source: ours: what travels between processes is the contract's too
func Apart(t *testing.T, rank int, make func(job string, n int, seed uint64) cluster.Runtime) (passed int) {
	for _, s := range sentences {
		t.Run(s.name, func(t *testing.T) {
			runs := 0
			s.test(suite{T: t, apart: true, rank: rank, make: func(n int, seed uint64) cluster.Runtime {
				if rank >= n {
					t.Skipf("has %d ranks, this is rank %d", n, rank)
				}
				runs++
				return make(fmt.Sprint(s.name, " ", runs), n, seed)
			}})
			if !t.Failed() { // nor skipped: else it is not here
				passed++
			}
		})
	}
	return passed
}

// CheckSameBits runs body on every runtime and reports ranks whose result
// differs from the first runtime's.
//
// Source: ours: where the order of summation is fixed, all runtimes agree
func CheckSameBits(t *testing.T, body func(cluster.Proc) ([]byte, error), runtimes ...cluster.Runtime) {
	t.Helper()
	var first [][]byte
	for i, rt := range runtimes {
		out, err := rt.Run(t.Context(), body)
		if err != nil {
			t.Fatalf("runtime %d (%T): %v", i, rt, err)
		}
		if i == 0 {
			first = out.Results
			continue
		}
		if len(out.Results) != len(first) {
			t.Fatalf("runtime %d (%T) has %d ranks, want %d", i, rt, len(out.Results), len(first))
		}
		for rank := range first {
			if !bytes.Equal(out.Results[rank], first[rank]) {
				t.Errorf("rank %d: %T and %T differ in their bits", rank, runtimes[0], rt)
			}
		}
	}
}

// limit ends a test that hangs, and nothing else: no machine is so loaded that it comes to it.
const limit = 2 * time.Minute

// run runs body on n ranks and returns what the run returned.
func (s suite) run(n int, body func(cluster.Proc) error) (cluster.Outcome, error) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), limit)
	defer cancel()
	return s.make(n, 1).Run(ctx, func(p cluster.Proc) ([]byte, error) { return nil, body(p) })
}

// ok runs body and fails the test if the run does.
func (s suite) ok(n int, body func(cluster.Proc) error) cluster.Outcome {
	s.Helper()
	out, err := s.run(n, body)
	if err != nil {
		s.Fatal(err)
	}
	return out
}
