//go:build race

package race

// Enabled says that this program was built with -race.
const Enabled = true
