// Package embedded holds the images that are compiled into the program: 10,000
// training and 1,000 test images of Fashion-MNIST, balanced over its ten classes,
// so that every experiment runs on real images without a network. See README.md
// for how they were chosen and LICENSE for Zalando's MIT notice.
package embedded

import "embed"

// Files holds the four IDX files, gzipped, and two lists of original positions,
// one decimal number per line, in the order of the images.
//
//go:embed *.gz *.txt LICENSE
var Files embed.FS

// Sizes of the subset.
const (
	TrainCount = 10000
	TestCount  = 1000
)

// Names of the files; IDX files as the official ones, with ".gz".
const (
	TrainImages = "train-images-idx3-ubyte.gz"
	TrainLabels = "train-labels-idx1-ubyte.gz"
	TestImages  = "t10k-images-idx3-ubyte.gz"
	TestLabels  = "t10k-labels-idx1-ubyte.gz"
	TrainIndex  = "train-index.txt"
	TestIndex   = "t10k-index.txt"
)
