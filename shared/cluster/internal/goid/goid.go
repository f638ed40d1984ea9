// Package goid tells goroutines apart, to catch a Proc in foreign hands.
package goid
