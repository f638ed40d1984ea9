package dasp

// For tests that play a worker by hand.
const (
	TagWeights = tagWeights
	TagPush    = tagPush
)

var PushMeta = pushMeta

// OtherWords makes the package treat memory as a machine does whose words are not the
// wire's, until the function returned is called.
func OtherWords() (back func()) {
	old := floats
	floats = func([]byte) []float32 { return nil }
	return func() { floats = old }
}
