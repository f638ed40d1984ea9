#include "go_asm.h"
#include "textflag.h"

// func multiplies() bool
TEXT ·multiplies(SB), NOSPLIT, $0-1
	MOVL  $7, AX
	XORL  CX, CX
	CPUID
	SHRL  $10, CX
	ANDL  $1, CX
	MOVB  CX, ret+0(FP)
	RET

// One register's 64 bytes, 256 bytes further: both words of each 16 bytes times their power, and what stands there.
#define FURTHER(at, Z, T) \
	VPCLMULQDQ $0x00, Z8, Z, T \
	VPCLMULQDQ $0x11, Z8, Z, Z \
	VPTERNLOGQ $0x96, at(SI), T, Z

// func fold(text *[block]byte, b []byte, powers *[2]uint64)
TEXT ·fold(SB), NOSPLIT, $0-40
	MOVQ text+0(FP), DI
	MOVQ b_base+8(FP), SI
	MOVQ b_len+16(FP), CX
	MOVQ powers+32(FP), DX
	VBROADCASTI32X4 (DX), Z8
	VMOVDQU64 (DI), Z0
	VMOVDQU64 64(DI), Z1
	VMOVDQU64 128(DI), Z2
	VMOVDQU64 192(DI), Z3

loop:
	CMPQ CX, $256
	JLT  done
	FURTHER(0, Z0, Z4)
	FURTHER(64, Z1, Z5)
	FURTHER(128, Z2, Z6)
	FURTHER(192, Z3, Z7)
	ADDQ $256, SI
	SUBQ $256, CX
	JMP  loop

done:
	VMOVDQU64 Z0, (DI)
	VMOVDQU64 Z1, 64(DI)
	VMOVDQU64 Z2, 128(DI)
	VMOVDQU64 Z3, 192(DI)
	VZEROUPPER
	RET

// What follows does the same in 256 bits: FURTHER32 takes 32 bytes.
#define FURTHER32(at, Y, T) \
	VPCLMULQDQ $0x00, Y15, Y, T \
	VPCLMULQDQ $0x11, Y15, Y, Y \
	VPXOR at(SI), T, T \
	VPXOR T, Y, Y

#define LOAD \
	VMOVDQU (DI), Y0 \
	VMOVDQU 32(DI), Y1 \
	VMOVDQU 64(DI), Y2 \
	VMOVDQU 96(DI), Y3 \
	VMOVDQU 128(DI), Y4 \
	VMOVDQU 160(DI), Y5 \
	VMOVDQU 192(DI), Y6 \
	VMOVDQU 224(DI), Y7

#define STORE \
	VMOVDQU Y0, (DI) \
	VMOVDQU Y1, 32(DI) \
	VMOVDQU Y2, 64(DI) \
	VMOVDQU Y3, 96(DI) \
	VMOVDQU Y4, 128(DI) \
	VMOVDQU Y5, 160(DI) \
	VMOVDQU Y6, 192(DI) \
	VMOVDQU Y7, 224(DI) \
	VZEROUPPER

// func move(text, b *[block]byte, powers *[2]uint64)
TEXT ·move(SB), NOSPLIT, $0-24
	MOVQ text+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ powers+16(FP), DX
	VBROADCASTI128 (DX), Y15
	LOAD
	FURTHER32(0, Y0, Y8)
	FURTHER32(32, Y1, Y9)
	FURTHER32(64, Y2, Y10)
	FURTHER32(96, Y3, Y11)
	FURTHER32(128, Y4, Y12)
	FURTHER32(160, Y5, Y13)
	FURTHER32(192, Y6, Y14)
	FURTHER32(224, Y7, Y8)
	STORE
	RET

// The next 8 bytes of each of the three texts that follow what is folded.
#define SUMS(at) \
	CRC32Q at(BX), R8 \
	CRC32Q at+const_stride(BX), R9 \
	CRC32Q at+2*const_stride(BX), R10

// func foldAndSum(text *[block]byte, b []byte, powers *[2]uint64) (sums [3]uint32)
TEXT ·foldAndSum(SB), NOSPLIT, $0-52
	MOVQ text+0(FP), DI
	MOVQ b_base+8(FP), SI
	MOVQ powers+32(FP), DX
	LEAQ const_folded(SI), BX
	MOVQ BX, CX
	XORL R8, R8
	XORL R9, R9
	XORL R10, R10
	VBROADCASTI128 (DX), Y15
	LOAD

loopSum:
	FURTHER32(0, Y0, Y8)
	SUMS(0)
	FURTHER32(32, Y1, Y9)
	SUMS(8)
	FURTHER32(64, Y2, Y10)
	SUMS(16)
	FURTHER32(96, Y3, Y11)
	SUMS(24)
	FURTHER32(128, Y4, Y12)
	SUMS(32)
	FURTHER32(160, Y5, Y13)
	SUMS(40)
	FURTHER32(192, Y6, Y14)
	SUMS(48)
	FURTHER32(224, Y7, Y8)
	SUMS(56)
	ADDQ $256, SI
	ADDQ $64, BX
	CMPQ SI, CX
	JLT  loopSum
	STORE
	MOVL R8, sums_0+40(FP)
	MOVL R9, sums_1+44(FP)
	MOVL R10, sums_2+48(FP)
	RET

// func register(text *[block]byte) uint32
TEXT ·register(SB), NOSPLIT, $0-12
	MOVQ text+0(FP), SI
	LEAQ const_block(SI), CX
	XORL R8, R8

loopText:
	CRC32Q (SI), R8
	CRC32Q 8(SI), R8
	ADDQ $16, SI
	CMPQ SI, CX
	JLT  loopText
	MOVL R8, ret+8(FP)
	RET
