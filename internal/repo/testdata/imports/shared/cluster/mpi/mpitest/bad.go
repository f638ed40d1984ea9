// Package mpitest breaks the rule of the wire below its folder.
package mpitest

import _ "gradsync/shared/cluster/virtual" // want cluster-mpi
