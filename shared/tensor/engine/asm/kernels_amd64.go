package asm

// kernels are one instruction set's inner loops by rows and columns.
type kernels struct {
	rows  int // most rows of a tile
	lanes int // of one register; a 16-lane vector is 16/lanes runs of a kernel
	tile  [9][columns + 1]func(args *int)
	sums  [9][columns + 1]func(args *int)
}

// columns is the most vectors of a tile.
const columns = 3

var packs = [columns + 1]func(args *int){1: pack1, 2: pack2, 3: pack3}

var sets = [...]kernels{
	avx2: {
		rows: 4, lanes: 8,
		tile: [9][columns + 1]func(*int){
			1: {1: tile2_1x1, 2: tile2_1x2, 3: tile2_1x3},
			2: {1: tile2_2x1, 2: tile2_2x2, 3: tile2_2x3},
			3: {1: tile2_3x1, 2: tile2_3x2, 3: tile2_3x3},
			4: {1: tile2_4x1, 2: tile2_4x2, 3: tile2_4x3},
		},
		sums: [9][columns + 1]func(*int){
			1: {1: sums2_1x1, 2: sums2_1x2, 3: sums2_1x3},
			2: {1: sums2_2x1, 2: sums2_2x2, 3: sums2_2x3},
			3: {1: sums2_3x1, 2: sums2_3x2, 3: sums2_3x3},
			4: {1: sums2_4x1, 2: sums2_4x2, 3: sums2_4x3},
		},
	},
	avx512: {
		rows: 8, lanes: 16,
		tile: [9][columns + 1]func(*int){
			1: {1: tile512_1x1, 2: tile512_1x2, 3: tile512_1x3},
			2: {1: tile512_2x1, 2: tile512_2x2, 3: tile512_2x3},
			3: {1: tile512_3x1, 2: tile512_3x2, 3: tile512_3x3},
			4: {1: tile512_4x1, 2: tile512_4x2, 3: tile512_4x3},
			5: {1: tile512_5x1, 2: tile512_5x2, 3: tile512_5x3},
			6: {1: tile512_6x1, 2: tile512_6x2, 3: tile512_6x3},
			7: {1: tile512_7x1, 2: tile512_7x2, 3: tile512_7x3},
			8: {1: tile512_8x1, 2: tile512_8x2, 3: tile512_8x3},
		},
		sums: [9][columns + 1]func(*int){
			1: {1: sums512_1x1, 2: sums512_1x2, 3: sums512_1x3},
			2: {1: sums512_2x1, 2: sums512_2x2, 3: sums512_2x3},
			3: {1: sums512_3x1, 2: sums512_3x2, 3: sums512_3x3},
			4: {1: sums512_4x1, 2: sums512_4x2, 3: sums512_4x3},
			5: {1: sums512_5x1, 2: sums512_5x2, 3: sums512_5x3},
			6: {1: sums512_6x1, 2: sums512_6x2, 3: sums512_6x3},
			7: {1: sums512_7x1, 2: sums512_7x2, 3: sums512_7x3},
			8: {1: sums512_8x1, 2: sums512_8x2, 3: sums512_8x3},
		},
	},
}
