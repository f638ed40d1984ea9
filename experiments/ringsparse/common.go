package ringsparse

import (
	"fmt"

	"gradsync/experiments/claims"
	"gradsync/experiments/platforms"
	result "gradsync/experiments/result1"
	"gradsync/shared/cluster"
)

const (
	complete   = "complete"
	unfinished = "incomplete"
)

// reference is the platform of every timed run here.
const reference = "sparse32"

// gigabit is 1 Gb/s in bytes per second.
const gigabit = 1e9 / 8

// links are the bandwidths of the experiments' axis in Gb/s, fixed before their first
// run; the first is the platform's own.
var links = []float64{1, 10, 25}

// referencePlatform loads it; it is embedded, so a failure is a programmer's mistake.
func referencePlatform() *cluster.Platform {
	p, err := platforms.Load(reference)
	if err != nil {
		panic(err)
	}
	return p
}

// withLink is p without jitter and with links of so many Gb/s: the same work
// always takes the same time, so that differences are the exchange's.
func withLink(p *cluster.Platform, gbps float64) *cluster.Platform {
	return p.WithHosts(func(h *cluster.Host, _ bool) { h.Bandwidth, h.Jitter = gbps*gigabit, 0 })
}

// holds judges a qualitative claim from so many seeds (0: deterministic);
// measured is what was found, in a few words.
func holds(id string, ok bool, seeds int, measured any, note string) result.Claim {
	return claims.Judge(id, claims.Evidence{Value: measured, Holds: &ok, Seeds: seeds, Note: note})
}

// identity judges a claim whose value is a formula or a rule in words: it is equal
// if ok, and otherwise differs with the sentence found.
func identity(id string, ok bool, found, note string) result.Claim {
	c, known := claims.Get(id)
	if !known {
		panic("ringsparse: no claim " + id)
	}
	if ok {
		found = c.Value
	}
	return claims.Judge(id, claims.Evidence{Value: found, Note: note})
}

// linkName spells a bandwidth.
func linkName(gbps float64) string { return fmt.Sprintf("%g Gb/s", gbps) }
