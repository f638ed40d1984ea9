package compare

import (
	"fmt"
	"math"

	result "gradsync/experiments/result1"
)

func trafficTable(counts map[string]counted) result.Table {
	t := result.Table{ID: "traffic", Title: "What a round moves", Kind: result.Counted,
		Caption: fmt.Sprintf("A round is N·b samples: an update of a synchronous method, N gradients of an asynchronous one. Unit: one whole gradient, as large as the weights. Formula and count for N = %d, r = 2, dense gradients: bodies of all messages of %d rounds of LeNet-5, headers not counted. Sent: a multicast once; delivered: once per receiver, all machines together. Off: count over formula − 1; of asynchronous methods the gradients under way at the end.",
			workers, factRounds),
		Columns: []result.Column{{Key: "method", Title: "method"}, {Key: "document", Title: "document"}, {Key: "sends", Title: "sent, all machines"}, {Key: "formula", Title: "formula", Unit: "gradients", Digits: 2},
			{Key: "counted", Title: "counted", Unit: "gradients", Digits: 2}, {Key: "off", Title: "off", Unit: "%", Digits: 2}, {Key: "delivered", Title: "delivered, formula", Unit: "gradients", Digits: 2}, {Key: "received", Title: "delivered, counted", Unit: "gradients", Digits: 2},
			{Key: "each", Title: "taken in by a worker", Unit: "gradients", Digits: 2}, {Key: "work", Title: "times each sample is computed"}}}
	for _, f := range factList() {
		m, c := methodOf(f.Key), counts[f.Key]
		sent, delivered := m.load(workers)
		each := c.Delivered / workers
		if m.Server {
			each /= 2 // half of it goes to the server
		}
		var d any
		if delivered > 0 {
			d = delivered
		}
		t.Rows = append(t.Rows, []any{m.Title, m.Document, f.Sends, sent, c.Sent, 100 * (c.Sent/sent - 1), d, c.Delivered, each, m.redundancy()})
	}
	return t
}

func propertyTable() result.Table {
	t := result.Table{ID: "properties", Title: "What every method asks and promises", Kind: result.Stated,
		Caption: "Stated from the documents and from the code here; nothing in this table was run. Held at once: gradients in a worker's memory beside the weights, whole-gradient messages.",
		Columns: []result.Column{{Key: "method", Title: "method"}, {Key: "document", Title: "document"}, {Key: "talks", Title: "who talks to whom"}, {Key: "holds", Title: "held at once"},
			{Key: "bits", Title: "same bits on all replicas"}, {Key: "stale", Title: "staleness bound"}, {Key: "slow", Title: "a slow node"}, {Key: "dead", Title: "a dead node"}, {Key: "network", Title: "needs"}}}
	for _, f := range factList() {
		m := methodOf(f.Key)
		t.Rows = append(t.Rows, []any{m.Title, m.Document, f.Talks, f.Holds, f.Bits, f.Stale, f.Slow, f.Dead, f.Network})
	}
	return t
}

// factNotes are the sentences, from the counts.
func factNotes(counts map[string]counted) []string {
	worst, agree := 0.0, 0
	least, most := "", ""
	for _, f := range factList() {
		m, c := methodOf(f.Key), counts[f.Key]
		sent, _ := m.load(workers)
		off := math.Abs(c.Sent/sent - 1)
		worst = max(worst, off)
		if off < 1e-3 {
			agree++
		}
		if least == "" || c.Sent < counts[least].Sent {
			least = f.Key
		}
		if most == "" || c.Delivered > counts[most].Delivered {
			most = f.Key
		}
	}
	each := func(k string) float64 { return counts[k].Delivered / workers }
	return []string{
		fmt.Sprintf("Of %d methods, %d send what their formula says to a thousandth; the largest difference is %.1f %%.", len(factList()), agree, 100*worst),
		fmt.Sprintf("With six nodes %s sends least, %.2f gradients per round, and %s has most delivered, %.0f.", methodOf(least).Title, counts[least].Sent, methodOf(most).Title, counts[most].Delivered),
		fmt.Sprintf("What a node takes in decides where links send and receive at once: a round brings it %.2f gradients with the ring, %.2f with SSGD, by unicast or multicast, and %.2f with CSSGD at r = 2. Coding and multicast relieve the sender; a packet still brings each of its receivers one segment.", each("ring"), each("ssgd-multicast"), each("cssgd")),
		"Only the methods of the server survive a dead worker here (with a lease); no document says what its exchange without a server then does. Only the synchronous methods leave the same bits on all replicas; every training of theirs on this page did, or it would have failed.",
	}
}
