// Package below breaks the rule of the wire below its folder.
package below

import _ "gradsync/shared/cluster/virtual" // want cluster-mpi
