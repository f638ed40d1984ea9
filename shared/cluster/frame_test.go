package cluster

import (
	"errors"
	"testing"
)

func TestHeaderComesBack(t *testing.T) {
	for _, h := range []Header{
		{Job: 7, From: 3, Tag: MaxTag - 1, Meta: [4]int64{1, -2, 1 << 62, 4}, Size: 8, Piece: 8, CRC: 9},
		{From: 65535, Size: maxBody, Flags: FlagDeclared | FlagBcast},
		{Size: maxBody, Piece: MaxPiece, Flags: FlagMore, Meta: [4]int64{5, maxBody - MaxPiece}},
		{},
	} {
		b := h.Append([]byte("before"))[len("before"):]
		if len(b) != HeaderBytes {
			t.Fatalf("header of %d bytes, want %d", len(b), HeaderBytes)
		}
		if got, err := ParseHeader(b); err != nil || got != h {
			t.Errorf("%+v came back as %+v, %v", h, got, err)
		}
		for i := range b { // every flipped bit is noticed
			b[i] ^= 1 << (i % 8)
			if _, err := ParseHeader(b); !errors.Is(err, ErrHeader) && (i != 3 || !errors.Is(err, ErrVersion)) {
				t.Fatalf("byte %d changed: %v", i, err)
			}
			b[i] ^= 1 << (i % 8)
		}
	}
}

// Fields that cannot stand together are refused, whatever the checksum says.
func TestImplausibleHeaders(t *testing.T) {
	for _, h := range []Header{
		{Tag: MaxTag}, {Flags: 1 << 4}, {Size: maxBody + 1, Piece: 1}, {Size: 1, Piece: 2}, {Size: 1 << 30, Piece: MaxPiece + 1},
		{Size: 8, Piece: 8, Flags: FlagDeclared}, {Size: 8, Flags: FlagDeclared | FlagMore}, {Size: 8},
		{Size: 8, Piece: 4, Flags: FlagMore}, {Size: 8, Piece: 4, Flags: FlagMore, Meta: [4]int64{0, 5}},
		{Size: 8, Piece: 4, Flags: FlagMore, Meta: [4]int64{-1, 4}}, {Size: 8, Flags: FlagMore, Meta: [4]int64{0, 4}},
	} {
		if got, err := ParseHeader(h.Append(nil)); !errors.Is(err, ErrHeader) {
			t.Errorf("%+v accepted as %+v, %v", h, got, err)
		}
	}
}

func FuzzParseHeader(f *testing.F) {
	h := Header{From: 1, Tag: 2, Size: 1, Piece: 1}
	f.Add(h.Append(nil))
	f.Add(make([]byte, HeaderBytes-1))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= HeaderBytes { // make the checksum right, to get beyond it
			sum := Checksum(0, b[:60])
			b[60], b[61], b[62], b[63] = byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24)
		}
		h, err := ParseHeader(b)
		if err != nil {
			return
		}
		if h.Tag < 0 || h.Tag >= MaxTag || h.Piece < 0 || h.Piece > h.Size || h.Size > maxBody || h.Piece > MaxPiece {
			t.Fatalf("accepted %+v", h)
		}
		if string(h.Append(nil)) != string(b[:HeaderBytes]) {
			t.Fatalf("%+v does not come back", h)
		}
	})
}
