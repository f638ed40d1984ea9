// Package cpu stands for what else that module has.
package cpu
