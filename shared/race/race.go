// Package race tells tests whether the race detector looks on, under which code
// runs five to twenty times slower. It looks at threads: a test of numbers takes
// fewer of them then, and its full size without.
package race

// Less returns full, or small under the race detector.
func Less[T any](full, small T) T {
	if Enabled {
		return small
	}
	return full
}
