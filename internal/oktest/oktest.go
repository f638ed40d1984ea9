// Package oktest ends or skips a test in one word.
package oktest

import "testing"

// Must returns v, and ends the test where there is an error: oktest.Must(os.ReadFile(name))(t).
func Must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		Nil(t, err)
		return v
	}
}

// Nil ends the test where there is an error.
func Nil(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Slow skips a test that takes a second, or much of one, where tests are to be short.
func Slow(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
}
