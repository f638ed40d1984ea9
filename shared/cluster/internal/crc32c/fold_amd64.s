#include "textflag.h"

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
