package setup

import (
	"gradsync/experiments/kit"
	"gradsync/experiments/platforms"
	"gradsync/shared/cluster"
)

// Sweep returns the plausible platforms around an embedded one.
func Sweep(platform string) []platforms.Variant { return kit.Must(platforms.Sweep(platform)) }

// OnLinks returns an embedded platform's own workers on other links.
func OnLinks(workers, link string) *cluster.Platform {
	return kit.Find(Sweep(workers), func(v platforms.Variant) bool { return v.Workers == workers && v.Link == link }).Platform
}

// Gigabits returns the bandwidth of p's links.
func Gigabits(p *cluster.Platform) float64 { return p.Workers[0].Bandwidth * 8 / 1e9 }
