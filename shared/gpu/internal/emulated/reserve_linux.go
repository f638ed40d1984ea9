package emulated

import "syscall"

const noReserve = syscall.MAP_NORESERVE
