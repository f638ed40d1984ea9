// Package mpi breaks the rule of the wire under the runtime of processes.
package mpi

import (
	_ "golang.org/x/sys/unix"
	_ "gradsync/shared/cluster"
	_ "gradsync/shared/cluster/local" // want cluster-mpi
	_ "gradsync/shared/cluster/tcp"
)
