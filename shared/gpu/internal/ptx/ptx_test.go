package ptx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// program wraps a body: %rd1 is the address of the first parameter, %rd2 this
// thread's word of it, %rd3 this thread's word of shared variable s of 1024 bytes.
func program(body string) string {
	return `.version 7.0
.target sm_75
.address_size 64
.visible .entry k(
	.param .u64 k_param_0,
	.param .u32 k_param_1
)
.maxntid 256, 1, 1
{
	.reg .pred 	%p<9>;
	.reg .b16 	%rs<3>;
	.reg .b32 	%r<20>;
	.reg .f32 	%f<20>;
	.reg .f64 	%fd<20>;
	.reg .b64 	%rd<20>;
	.shared .align 4 .b8 s[1024];
	.shared .align 4 .b8 other[16];
	.local .align 16 .b8 l[16];
	.reg .b64 	%SP;
	ld.param.u64 	%rd1, [k_param_0];
	ld.param.u32 	%r2, [k_param_1];
	mov.u32 	%r1, %tid.x;
	mul.wide.u32 	%rd4, %r1, 4;
	add.s64 	%rd2, %rd1, %rd4;
	mov.u64 	%rd5, s;
	add.s64 	%rd3, %rd5, %rd4;
` + body + `
	ret;
}
`
}

// run launches a body with 256 threads a block on memory that begins with words.
func run(t *testing.T, body string, blocks, workers int, memory []uint32) (Stats, error) {
	t.Helper()
	m, err := Parse(program(body))
	if err != nil {
		t.Fatal(err)
	}
	dev := NewMemory(1<<40, 1<<41, 1<<30)
	at, _, ok := dev.Alloc(4 * len(memory))
	if !ok {
		t.Fatal("no memory")
	}
	data := dev.Bytes(at, 4*len(memory))
	for i, v := range memory {
		binary.LittleEndian.PutUint32(data[4*i:], v)
	}
	stats, err := m.Kernel("k").Launch(dev, Dim{uint32(blocks), 1, 1}, Dim{256, 1, 1}, []uint64{at, 7}, Options{Workers: workers})
	for i := range memory {
		memory[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return stats, err
}

// TestFaults: every mistake is found, and named with instruction and thread.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name, body, text, what string
		thread                 int
	}{
		{"read of another thread's word", "st.shared.u32 [%rd3], %r1;\nld.shared.u32 %r3, [%rd5+4];", "ld.shared.u32 %r3, [%rd5+4]",
			"race with the write of thread 1", 0},
		{"two writes", "and.b32 %r3, %r1, 1;\nst.shared.u32 [s], %r3;", "st.shared.u32 [s], %r3", "race with the write of thread 0", 1},
		{
			"write after read", "st.shared.u32 [%rd3], %r1;\nbar.sync 0;\nld.shared.u32 %r3, [s+8];\nst.shared.u32 [%rd3], %r3;",
			"st.shared.u32 [%rd3], %r3", "race with the read of several threads", 2,
		},
		{"nothing written", "ld.shared.u32 %r3, [%rd3];", "ld.shared.u32 %r3, [%rd3]", "read before it is written", 0},
		{"behind a shared variable", "st.shared.u32 [%rd3+16], %r1;", "st.shared.u32 [%rd3+16], %r1", "is in no variable", 252},
		{"far out of shared memory", "st.shared.u32 [%rd3+99996], %r1;", "st.shared.u32 [%rd3+99996], %r1", "is in no variable", 0},
		{"behind an allocation", "ld.global.u32 %r3, [%rd2+4];", "ld.global.u32 %r3, [%rd2+4]", "in no allocation: 0 bytes behind the end of one of 1024 bytes", 255},
		{"before an allocation", "st.global.u32 [%rd2+-4], %r1;", "st.global.u32 [%rd2+-4], %r1", "in no allocation", 0},
		{"null", "mov.b64 %rd6, 0;\nst.global.u32 [%rd6], %r1;", "st.global.u32 [%rd6], %r1", "address 0x0 is in no allocation", 0},
		{"behind a local variable", "st.local.u32 [l+16], %r1;", "st.local.u32 [l+16], %r1", "local address 0x10 is in no variable", 0},
		{"half a word on", "ld.global.u32 %r3, [%rd2+2];", "ld.global.u32 %r3, [%rd2+2]", "misaligned address", 0},
		{"four words at once", "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd2];", "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd2]", "want a multiple of 16", 1},
		{"barrier for some threads", "setp.lt.s32 %p1, %r1, 40;\n@%p1 bra L;\nbra.uni M;\nL:\nbar.sync 0;\nM:", "bar.sync 0",
			"divergent barrier: reached by 8 of 32", 40},
		{"barrier for some warps", "setp.lt.s32 %p1, %r1, 64;\n@%p1 bra L;\nbra.uni M;\nL:\nbar.sync 0;\nM:", "bar.sync 0",
			"divergent barrier: thread 64 has returned", 0},
		{
			"two barriers", "setp.lt.s32 %p1, %r1, 64;\n@%p1 bra L;\nbar.sync 0;\nbra.uni M;\nL:\nbar.sync 0;\nM:",
			"bar.sync 0", "divergent barrier: other threads of the block wait at another one", 64,
		},
		{"guarded barrier", "setp.lt.s32 %p1, %r1, 31;\n@%p1 bar.sync 0;", "@%p1 bar.sync 0", "divergent barrier", 31},
		{
			"shuffle for some threads", "setp.lt.s32 %p1, %r1, 5;\n@%p1 bra L;\nshfl.sync.bfly.b32 %r3|%p2, %r1, 1, 31, -1;\nL:",
			"shfl.sync.bfly.b32 %r3|%p2, %r1, 1, 31, -1", "shuffle reached by 27 of 32 threads", 0,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, workers := range []int{1, 3} {
				_, err := run(t, c.body, 5, workers, make([]uint32, 256))
				var f *Fault
				if !errors.As(err, &f) {
					t.Fatalf("%v, want a fault", err)
				}
				if f.Kernel != "k" || f.Text != c.text || !strings.Contains(f.What, c.what) || f.Thread != c.thread || f.Block != (Dim{}) || f.Line < 23 {
					t.Errorf("%v\nwant %q of thread %d, saying %q", f, c.text, c.thread, c.what)
				}
			}
		})
	}
}

// TestWatch: threads that touch a word of global memory, one writing, are found in any
// order and across blocks; those that keep to their own words are not.
func TestWatch(t *testing.T) {
	own := "mov.u32 %r3, %ctaid.x;\nmad.lo.s32 %r4, %r3, 256, %r1;\nmul.wide.u32 %rd6, %r4, 4;\nadd.s64 %rd6, %rd1, %rd6;\n"
	for _, c := range []struct {
		name, body, what string
		block            uint32
		thread           int
	}{
		{"own words", own + "ld.global.u32 %r5, [%rd6];\nst.global.u32 [%rd6], %r5;\nld.global.u32 %r5, [%rd6];", "", 0, 0},
		{"one word", own + "st.global.u32 [%rd1+8], %r4;", "with the write of thread 0 of block 0", 0, 1},
		{"one word per thread", "st.global.u32 [%rd2], %r1;", "with the write of thread 0 of block 0", 1, 0},
		{"a word that others read", own + "ld.global.u32 %r5, [%rd1];\nst.global.u32 [%rd6], %r5;", "with the read of several threads", 0, 0},
		{
			"a word that another block reads", own + "ld.global.u32 %r5, [%rd6+1024];\nsetp.eq.s32 %p1, %r3, 1;\n@%p1 st.global.u32 [%rd6], %r5;",
			"with the read of thread 0 of block 0", 1, 0,
		},
		{"a word that another block wrote", own + "st.global.u32 [%rd6], %r1;\nld.global.u32 %r5, [%rd1];", "with the write of thread 0 of block 0", 0, 1},
	} {
		m, err := Parse(program(c.body))
		if err != nil {
			t.Fatal(err)
		}
		dev := NewMemory(1<<40, 1<<41, 1<<20)
		at, _, _ := dev.Alloc(3 * 1024)
		for round := range 2 { // the launch before is no other thread
			_, err := m.Kernel("k").Launch(dev, Dim{2, 1, 1}, Dim{256, 1, 1}, []uint64{at, 7}, Options{Workers: 3, Watch: true})
			var f *Fault
			if c.what == "" && err == nil {
				continue
			}
			if !errors.As(err, &f) || !strings.Contains(f.What, "race in global memory "+c.what) || c.what == "" || f.Block.X != c.block || f.Thread != c.thread {
				t.Errorf("%s, round %d: %v, want %q of block %d, thread %d", c.name, round, err, c.what, c.block, c.thread)
			}
		}
	}
}

// TestFirstFault: of several blocks that fail, the first in order is named, whoever ran it.
func TestFirstFault(t *testing.T) {
	body := "mov.u32 %r3, %ctaid.x;\nsetp.lt.s32 %p1, %r3, 3;\n@%p1 bra L;\nst.global.u32 [%rd2+1024], %r1;\nL:"
	for _, workers := range []int{1, 2, 8} {
		_, err := run(t, body, 40, workers, make([]uint32, 256))
		var f *Fault
		if !errors.As(err, &f) || f.Block.X != 3 {
			t.Errorf("%d workers: %v, want a fault of block 3", workers, err)
		}
	}
}

// TestWays: threads that go different ways meet again, however the code lies.
func TestWays(t *testing.T) {
	body := `
	mov.b32 %r3, 0;
	and.b32 %r4, %r1, 3;
	bra.uni LOOP;
JOIN:
	bar.sync 0;
	st.shared.u32 [%rd3], %r3;
	bar.sync 0;
	xor.b32 %r6, %r1, 1;
	mul.wide.u32 %rd6, %r6, 4;
	add.s64 %rd6, %rd5, %rd6;
	ld.shared.u32 %r3, [%rd6];
	st.global.u32 [%rd2], %r3;
	ret;
LOOP:
	setp.gt.s32 %p1, %r4, 0;
	@!%p1 bra JOIN;
	sub.s32 %r4, %r4, 1;
	setp.eq.s32 %p2, %r4, 1;
	@%p2 bra EXTRA;
	add.s32 %r3, %r3, 1;
	bra.uni LOOP;
EXTRA:
	add.s32 %r3, %r3, 100;
	bra.uni LOOP;
	`
	memory := make([]uint32, 256)
	if _, err := run(t, body, 1, 1, memory); err != nil {
		t.Fatal(err)
	}
	for i, got := range memory {
		if want := []uint32{0, 1, 101, 102}[(i^1)%4]; got != want {
			t.Errorf("thread %d: %d, want %d", i, got, want)
		}
	}
}

// TestUnknown: what the interpreter does not know is an error that names the line.
func TestUnknown(t *testing.T) {
	for _, body := range []string{
		"add.f32 %f1, %f2, %f3;", "sin.approx.f32 %f1, %f2;", "atom.global.add.u32 %r3, [%rd2], 1;", "add.s32 %r3, %r1;", "add.s32 %r3, %r1, %rd1;",
		"add.s32 %r3, %r1, nobody;", "add.s32 %tid.x, %r1, 1;", "bra NOWHERE;", "ld.global.f32 %f1, [%f2];", "ld.param.u64 %rd6, [k_param_7];",
		"ld.param.u64 %rd6, [k_param_1];", "@%p99 bra L;", "setp.lt.f16 %p1, %r1, %r2;", "shfl.sync.idx.b32 %r3, %r1, 1, 31, -1;",
		"shfl.sync.bfly.b32 %r3, %r1, 1, 15, -1;", "bar.sync 1;", "st.param.u32 [k_param_1], %r1;", "ld.const.u32 %r3, [%rd2];",
		"add.s32 %r3, %r1, 4294967296;", "ld.global.v4.f32 {%f1, %f2}, [%rd2];", "mov.u32 %r3, %laneid;", "cvt.rn.f16.f32 %rs1, %f1;",
	} {
		_, err := Parse(program(body))
		if err == nil || !strings.Contains(err.Error(), "ptx: line 2") && !strings.Contains(err.Error(), "ptx: line 26") {
			t.Errorf("%s: %v, want an error that names line 24 or the end", body, err)
		}
	}
	for _, text := range []string{"", ".version 7.0\n.func f\n", program("")[:500], program("") + program(""), strings.Replace(program(""),
		".b8 s[1024]", ".f32 s", 1)} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%.40q … passes", text)
		}
	}
}

// TestLaunchArguments: a launch that no card would run is refused.
func TestLaunchArguments(t *testing.T) {
	m, err := Parse(program(""))
	if err != nil {
		t.Fatal(err)
	}
	k, dev, block := m.Kernel("k"), NewMemory(1<<40, 1<<41, 1<<20), Dim{256, 1, 1}
	for _, c := range []struct {
		grid, block Dim
		args        []uint64
	}{
		{Dim{1, 1, 1}, block, []uint64{1}}, {Dim{0, 1, 1}, block, []uint64{1, 2}}, {Dim{1, 1, 1}, Dim{128, 1, 1}, []uint64{1, 2}},
		{Dim{1, 65536, 1}, block, []uint64{1, 2}}, {Dim{1, 1, 1}, Dim{2048, 1, 1}, []uint64{1, 2}},
	} {
		if _, err := k.Launch(dev, c.grid, c.block, c.args, Options{}); err == nil {
			t.Errorf("%+v passes", c)
		}
	}
	if m.Kernel("other") != nil || fmt.Sprint(m.Names()) != "[k]" || fmt.Sprint(k.Params) != "[8 4]" || k.Block != block {
		t.Errorf("%v, %+v", m.Names(), k.Params)
	}
}

// TestMemory: addresses are apart, used again only when all others are, and the limit holds.
func TestMemory(t *testing.T) {
	m := NewMemory(1<<40, 1<<40+4*(apart+alignment), 1000)
	var at []uint64
	for range 4 {
		a, _, ok := m.Alloc(100)
		if !ok || a%alignment != 0 || len(at) > 0 && a < at[len(at)-1]+100+apart {
			t.Fatalf("%#x behind %#x (%t)", a, at, ok)
		}
		at = append(at, a)
	}
	if _, _, ok := m.Alloc(100); ok {
		t.Error("there are five allocations in four places")
	}
	if !m.Free(at[1]) || m.Free(at[1]) || m.Free(at[0]+4) {
		t.Error("an allocation is freed twice, or by another address")
	}
	if a, _, ok := m.Alloc(50); !ok || a != at[1] {
		t.Errorf("%#x (%t), want %#x again", a, ok, at[1])
	}
	if _, free, ok := NewMemory(1<<40, 1<<41, 1000).Alloc(1001); ok || free != 1000 {
		t.Errorf("1001 of 1000 bytes (%t), %d free", ok, free)
	}
	if b := m.Bytes(at[0], 100); len(b) != 100 || b[0] != 0xff || m.Bytes(at[0], 101) != nil || m.Bytes(at[0]+99, 1) == nil || m.Bytes(at[0]-1, 1) != nil {
		t.Error("bytes of an allocation")
	}
	if n, used := m.Live(); n != 4 || used != 350 {
		t.Errorf("%d allocations of %d bytes, want 4 of 350", n, used)
	}
}

// TestRenumbered: races are found also when the numbers of barriers begin anew.
func TestRenumbered(t *testing.T) {
	b := &block{wrote: []uint32{maxEpoch - 1<<threadBits | 3, 0}, read: make([]uint32, 2), epoch: maxEpoch - 1}
	b.pass()
	if b.epoch != 1 || b.wrote[0] != 1 || b.wrote[1] != 0 {
		t.Errorf("epoch %d, written %v", b.epoch, b.wrote)
	}
}

// TestWorkers: results and counts do not hang on how many goroutines run.
func TestWorkers(t *testing.T) {
	body := "mov.u32 %r3, %ctaid.x;\nmad.lo.s32 %r4, %r3, 256, %r1;\nmul.wide.u32 %rd6, %r4, 4;\nadd.s64 %rd6, %rd1, %rd6;\nmul.lo.s32 %r5, %r4, " +
		"%r2;\nst.global.u32 [%rd6], %r5;"
	for _, workers := range []int{0, 1, 5} {
		memory := make([]uint32, 20*256)
		if stats, err := run(t, body, 20, workers, memory); err != nil || stats.Instructions != 20*256*14 {
			t.Errorf("%d workers: %d instructions, want %d (%v)", workers, stats.Instructions, 20*256*14, err)
		}
		for i, v := range memory {
			if v != uint32(7*i) {
				t.Fatalf("%d workers: word %d is %d", workers, i, v)
			}
		}
	}
}

func float(v float32) uint32 { return math.Float32bits(v) }
