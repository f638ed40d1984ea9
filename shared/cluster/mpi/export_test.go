//go:build linux && (amd64 || arm64) && !nodl

package mpi

import (
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/tcp"
)

// Repeat makes the tags of bodies begin again after n; every rank calls it before its first run.
func (w *World) Repeat(n int) { w.engine.tags = n }

// Part returns a runtime of the world's first cfg.Size processes.
func (w *World) Part(cfg tcp.Config) cluster.Runtime {
	cfg.Rank = w.Rank
	return tcp.Over(cfg, w.engine)
}
