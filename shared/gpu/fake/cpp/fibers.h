// Runs a grid: every thread of a block is a fiber, a warp runs to its next shuffle or
// barrier, the block's warps in turn. A thread that stops switches to the next of its warp,
// and one that ends leaves its stack to the next that begins. Strict: what not all threads
// reach is a fault.
#pragma once
#include "shim.h"
#include <cstdlib>
#include <string>
#include <utility>
#if !defined(__x86_64__)
#error "the fake driver switches fibers on amd64 alone"
#endif

Index shim_thread, shim_block, shim_grid;

// It ends with a jump: a return would go elsewhere than processors foretell.
extern "C" void shim_switch(void** save, void* load);
asm(R"(
.text
.globl shim_switch
.hidden shim_switch
shim_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmp *%rcx
)");

namespace fibers {
enum State { fresh, ready, at_barrier, at_warp, finished };
struct Fiber { void* sp; char* stack; State state; int meets; };
static const size_t stack_bytes = 64 << 10;
static const int most = 1024;
static Fiber all[most];
static void* home;
static int current, last; // the thread that runs, the end of its warp
static void (*body)(void*);
static void* env;
static uint32_t slot[2][most];
static std::string fault; // of the launch under way

// advance makes the warp's next thread that can run the current one.
static bool advance() {
  for (int i = current + 1; i < last; i++) {
    if (all[i].state == at_barrier || all[i].state == finished) continue;
    current = i;
    shim_thread = Index{i, 0, 0};
    return true;
  }
  return false;
}

static void entry() {
  for (;;) {
    body(env);
    Fiber& f = all[current];
    f.state = finished;
    if (!advance()) shim_switch(&f.sp, home);
    Fiber& next = all[current];
    if (next.state != fresh) shim_switch(&f.sp, next.sp);
    std::swap(f.stack, next.stack);
    next.state = ready;
  }
}

// begin returns the stack pointer with which the current thread goes on.
static void* begin() {
  Fiber& f = all[current];
  if (f.state != fresh) return f.sp;
  f.state = ready;
  void** p = (void**)(((uintptr_t)f.stack + stack_bytes) & ~(uintptr_t)15);
  *--p = nullptr;
  *--p = (void*)entry;
  return p - 6; // registers, of which none is read
}

static void leave(State s) {
  Fiber& f = all[current];
  f.state = s;
  shim_switch(&f.sp, advance() ? begin() : home);
}

static bool run_block(int threads) {
  for (int i = 0; i < threads; i++) all[i].state = fresh, all[i].meets = 0;
  for (;;) {
    int ended = 0, waiting = 0;
    for (int w = 0; w < threads; w += 32) {
      last = w + 32 < threads ? w + 32 : threads;
      for (current = w - 1; advance(); current = w - 1) {
        shim_switch(&home, begin());
        int meet = 0;
        for (int i = w; i < last; i++) meet += all[i].state == at_warp;
        if (meet != 0 && meet != last - w) {
          fault = "shuffle or vote not reached by all threads of a warp";
          return false;
        }
      }
      for (int i = w; i < last; i++) {
        ended += all[i].state == finished;
        waiting += all[i].state == at_barrier;
      }
    }
    if (ended == threads) return true;
    if (waiting != threads) {
      fault = "divergent barrier: reached by " + std::to_string(waiting) + " of " + std::to_string(threads) + " threads";
      return false;
    }
    for (int i = 0; i < threads; i++) all[i].state = ready;
  }
}

// run executes f(e) for every thread of the grid; what went wrong is in fault.
static void run(Index grid, int threads, void (*f)(void*), void* e) {
  for (int i = 0; i < threads; i++) if (!all[i].stack) all[i].stack = (char*)malloc(stack_bytes);
  body = f;
  env = e;
  fault.clear();
  shim_grid = grid;
  for (int z = 0; z < grid.z; z++) for (int y = 0; y < grid.y; y++) for (int x = 0; x < grid.x; x++) {
    shim_block = Index{x, y, z};
    if (!run_block(threads)) return;
  }
}
} // namespace fibers

void shim_barrier() { fibers::leave(fibers::at_barrier); }

// meet lets all threads of the warp put v into their slots before any goes on, and returns
// the slots. The next time these are others, so that all can still read.
static const uint32_t* shim_meet(uint32_t v) {
  uint32_t* slots = fibers::slot[fibers::all[fibers::current].meets++ & 1];
  slots[shim_thread.x] = v;
  fibers::leave(fibers::at_warp);
  return slots;
}

uint32_t shim_shuffle_xor(uint32_t v, int d) {
  const uint32_t* slots = shim_meet(v);
  return slots[shim_thread.x ^ d];
}

uint32_t shim_ballot(bool v) {
  const uint32_t* slots = shim_meet(v);
  uint32_t r = 0;
  for (int i = 0; i < 32; i++) r |= slots[(shim_thread.x & ~31) + i] << i;
  return r;
}
