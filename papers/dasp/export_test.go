package dasp

// For tests that play a worker by hand.
const (
	TagWeights = tagWeights
	TagPush    = tagPush
)

var PushMeta = pushMeta
