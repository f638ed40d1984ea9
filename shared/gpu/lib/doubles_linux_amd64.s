//go:build !nodl

#include "textflag.h"

GLOBL ·doublesAt(SB), NOPTR|RODATA, $8
DATA ·doublesAt(SB)/8, $doubles(SB)

// doubles has C's calling convention: DI holds *[25]uintptr, a function, two doubles and
// 22 other arguments, six of which go to registers and the rest to the stack.
TEXT doubles(SB), NOSPLIT, $128
	MOVQ DI, R11
	MOVSD 8(R11), X0
	MOVSD 16(R11), X1
	MOVQ 72(R11), AX
	MOVQ AX, 0(SP)
	MOVQ 80(R11), AX
	MOVQ AX, 8(SP)
	MOVQ 88(R11), AX
	MOVQ AX, 16(SP)
	MOVQ 96(R11), AX
	MOVQ AX, 24(SP)
	MOVQ 104(R11), AX
	MOVQ AX, 32(SP)
	MOVQ 112(R11), AX
	MOVQ AX, 40(SP)
	MOVQ 120(R11), AX
	MOVQ AX, 48(SP)
	MOVQ 128(R11), AX
	MOVQ AX, 56(SP)
	MOVQ 136(R11), AX
	MOVQ AX, 64(SP)
	MOVQ 144(R11), AX
	MOVQ AX, 72(SP)
	MOVQ 152(R11), AX
	MOVQ AX, 80(SP)
	MOVQ 160(R11), AX
	MOVQ AX, 88(SP)
	MOVQ 168(R11), AX
	MOVQ AX, 96(SP)
	MOVQ 176(R11), AX
	MOVQ AX, 104(SP)
	MOVQ 184(R11), AX
	MOVQ AX, 112(SP)
	MOVQ 192(R11), AX
	MOVQ AX, 120(SP)
	MOVQ 24(R11), DI
	MOVQ 32(R11), SI
	MOVQ 40(R11), DX
	MOVQ 48(R11), CX
	MOVQ 56(R11), R8
	MOVQ 64(R11), R9
	MOVL $2, AX
	MOVQ 0(R11), R10
	CALL R10
	RET
