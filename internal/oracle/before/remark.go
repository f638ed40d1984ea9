package before

import "strings"

// Derived tells whether the source does not state the claim's number, but what it
// follows from.
func Derived(c Claim) bool { return strings.Contains(c.Source, ", derived") }
