package asm

// productTasks are the convolutions, linear layers and matrix products.
type productTasks struct{}
