package driver

import "syscall"

const noReserve = syscall.MAP_NORESERVE
