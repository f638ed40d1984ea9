package ring

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gradsync/experiments/claims"
	result "gradsync/experiments/result1"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

const (
	complete   = "complete"
	unfinished = "incomplete"
)

// The blog's network, as it states it.
const (
	blogParams = 300_000_000
	blogBytes  = 4 * blogParams
	blogLink   = 1e9 // bytes per second of its first example
)

// exchange is one rank's part of an all-reduce.
type exchange func(p cluster.Proc) error

// timed is a run of one exchange on a fresh virtual cluster: when the last rank
// had its result, and what each sent.
type timed struct {
	Seconds float64
	Sent    []cluster.Traffic
}

// busiest is the bytes of the rank that sent most.
func (t timed) busiest() (most int64) {
	for _, s := range t.Sent {
		most = max(most, s.Bytes)
	}
	return most
}

// onVirtual runs x on the first n workers of p.
func onVirtual(ctx context.Context, p *cluster.Platform, n int, x exchange) (timed, error) {
	ends, trace, err := cluster.Run(ctx, virtual.New(p, virtual.Config{Workers: n}), func(p cluster.Proc) (time.Duration, error) {
		err := x(p)
		return p.Now(), err
	})
	if err != nil {
		return timed{}, fmt.Errorf("ring: %d ranks of %s: %w", n, p.Name, err)
	}
	t := timed{Sent: trace.Sent}
	for _, end := range ends {
		t.Seconds = max(t.Seconds, end.Seconds())
	}
	return t, nil
}

// ideal is a platform of n equal hosts whose links have a bandwidth in bytes per
// second and nothing else: no latency, no cost per message.
func ideal(n int, bandwidth float64) *cluster.Platform {
	p := cluster.Uniform(n, cluster.Host{Name: "gpu", FLOPS: 1e12, Bandwidth: bandwidth}, nil)
	p.Name = fmt.Sprintf("ideal%d", n)
	return p
}

// holds judges a qualitative claim from so many seeds (0: deterministic);
// measured is what was found, in a few words.
func holds(id string, ok bool, seeds int, measured any, note string) result.Claim {
	return claims.Judge(id, claims.Evidence{Value: measured, Holds: &ok, Seeds: seeds, Note: note})
}

// input is what tells a number that goes into the runs from one that comes out of
// them; it keeps a verdict from being better than the same sign.
const input = claims.TakenOver

// taken judges a number that a platform takes over from the blog: the run shows
// that a transfer gets it.
func taken(id string, measured float64, note string) result.Claim {
	return claims.Judge(id, claims.Evidence{Value: measured, Differs: []string{input}, Note: note})
}

// small spells a small number: 9.4·10⁻⁷; one from a hundredth on as it is.
func small(x float64) string {
	if x >= 0.01 || x <= 0 {
		return fmt.Sprintf("%.2g", x)
	}
	digits, exponent, _ := strings.Cut(fmt.Sprintf("%.1e", x), "e-")
	out := digits + "·10⁻"
	for _, d := range strings.TrimLeft(exponent, "0") {
		out += string([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[d-'0'])
	}
	return out
}
