package cluster

import (
	"encoding/binary"
	"errors"
	"fmt"

	"gradsync/shared/cluster/internal/crc32c"
)

// HeaderBytes is the length of the header before every piece of a body on the
// wire. The virtual runtime charges one per message: TCP's count for a message
// that goes in one piece.
//
// Source: ours: Header's layout, one cache line
const HeaderBytes = 64

// FrameVersion is the version of the frames and of what control frames mean.
//
// Source: ours: two builds that would misread each other refuse each other
const FrameVersion = 2

// frameMagic begins every header: "GSF", then the version.
const frameMagic = "GSF"

// Bounds of a header's lengths.
const (
	maxBody  = 1 << 40 // bytes of a message's body
	MaxPiece = 1 << 28 // bytes after one header
)

// Flags of a Header.
const (
	FlagDeclared = 1 << iota // no body follows, its length was only declared
	FlagBcast                // part of a broadcast
	FlagMore                 // a later piece: Meta[0] is the message's number, Meta[1] the offset
	FlagControl              // between runtimes, Tag is the kind
	flagEnd
)

var (
	// ErrHeader is wrapped by ParseHeader for bytes that are no header.
	ErrHeader = errors.New("cluster: bad frame header")
	// ErrVersion is wrapped by ParseHeader for a header of another version.
	ErrVersion = errors.New("cluster: frame of another version")
)

// Header stands before each piece of a body.
//
// Source: ours: fixed length, checked before a body is believed
type Header struct {
	Job   uint32 // CRC-32C of the job's name
	Flags uint8
	From  int
	Tag   Tag
	Size  int // of the whole body, or declared
	Piece int // bytes that follow this header
	Meta  [4]int64
	CRC   uint32 // CRC-32C of those bytes
}

// Checksum continues sum, 0 at first, over b: the CRC-32C of frames.
func Checksum(sum uint32, b []byte) uint32 { return crc32c.Update(sum, b) }

// Append appends the header to dst: little-endian
//
//	"GSF" · version u8 · job u32 · tag u24 · flags u8 · from u16 · size u48 ·
//	piece u32 · meta 4×i64 · CRC-32C of the piece u32 · CRC-32C of the header before it u32
//
// Source: ours: one cache line holds all that a receiver needs
func (h *Header) Append(dst []byte) []byte {
	start := len(dst)
	le := binary.LittleEndian
	dst = append(dst, frameMagic...)
	dst = append(dst, FrameVersion)
	dst = le.AppendUint32(dst, h.Job)
	dst = le.AppendUint32(dst, uint32(h.Tag)|uint32(h.Flags)<<24)
	dst = le.AppendUint64(dst, uint64(uint16(h.From))|uint64(h.Size)<<16)
	dst = le.AppendUint32(dst, uint32(h.Piece))
	for _, w := range h.Meta {
		dst = le.AppendUint64(dst, uint64(w))
	}
	dst = le.AppendUint32(dst, h.CRC)
	return le.AppendUint32(dst, Checksum(0, dst[start:]))
}

// ParseHeader reads a header. The error wraps ErrHeader or ErrVersion.
//
// Source: ours: the inverse of Header.Append
func ParseHeader(b []byte) (h Header, err error) {
	if len(b) < HeaderBytes {
		return h, fmt.Errorf("%w: %d bytes, want %d", ErrHeader, len(b), HeaderBytes)
	}
	if string(b[:3]) != frameMagic {
		return h, fmt.Errorf("%w: begins with %q, want %q", ErrHeader, b[:3], frameMagic)
	}
	if b[3] != FrameVersion {
		return h, fmt.Errorf("%w: version %d, want %d", ErrVersion, b[3], FrameVersion)
	}
	le := binary.LittleEndian
	if got, want := le.Uint32(b[60:]), Checksum(0, b[:60]); got != want {
		return h, fmt.Errorf("%w: checksum %#x, want %#x", ErrHeader, got, want)
	}
	h.Job = le.Uint32(b[4:])
	tag, size := le.Uint32(b[8:]), le.Uint64(b[12:])
	h.Flags, h.Tag = uint8(tag>>24), Tag(tag&(1<<24-1))
	h.From, h.Size = int(uint16(size)), int(size>>16)
	h.Piece = int(le.Uint32(b[20:]))
	for i := range h.Meta {
		h.Meta[i] = int64(le.Uint64(b[24+8*i:]))
	}
	h.CRC = le.Uint32(b[56:])
	if !h.plausible() {
		return Header{}, fmt.Errorf("%w: from %d, tag %d, flags %#x, piece of %d in %d body bytes",
			ErrHeader, h.From, h.Tag, h.Flags, h.Piece, h.Size)
	}
	return h, nil
}

// plausible reports whether the fields can stand together.
func (h *Header) plausible() bool {
	if h.Tag < 0 || h.Tag >= MaxTag || h.Flags >= flagEnd || h.Size < 0 || h.Size > maxBody || h.Piece > MaxPiece || h.Piece > h.Size {
		return false
	}
	switch {
	case h.Flags&FlagDeclared != 0:
		return h.Flags&FlagMore == 0 && h.Piece == 0
	case h.Flags&FlagMore != 0:
		return h.Piece > 0 && h.Meta[0] >= 0 && h.Meta[1] > 0 && h.Meta[1] <= int64(h.Size-h.Piece)
	}
	return h.Piece > 0 || h.Size == 0
}
