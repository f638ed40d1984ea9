// Package unix stands for the system calls.
package unix
