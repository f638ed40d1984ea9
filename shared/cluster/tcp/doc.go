// Package tcp runs a cluster as processes that talk over TCP.
package tcp
