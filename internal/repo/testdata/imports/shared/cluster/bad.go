// Package cluster breaks the rule of the cluster's root.
package cluster

import (
	_ "golang.org/x/sys/unix"   // want cluster
	_ "gonum.org/v1/gonum/stat" // want cluster
	_ "time"
)
