package asm

// elementTasks are the element-wise passes, pools, norms and losses.
type elementTasks struct{}
