package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// features writes the two instructions that say what the CPU and the operating
// system support.
func features() {
	TEXT("cpuid", NOSPLIT, "func(leaf uint32) (eax uint32, ebx uint32, ecx uint32)")
	Doc("cpuid returns a leaf's words (subleaf 0).")
	Load(Param("leaf"), reg.EAX)
	XORL(reg.ECX, reg.ECX)
	CPUID()
	Store(reg.EAX, Return("eax"))
	Store(reg.EBX, Return("ebx"))
	Store(reg.ECX, Return("ecx"))
	RET()

	TEXT("xgetbv", NOSPLIT, "func() uint32")
	Doc("xgetbv returns the register states that the operating system saves.")
	XORL(reg.ECX, reg.ECX)
	XGETBV()
	Store(reg.EAX, ReturnIndex(0))
	RET()
}
