// Runs a grid: every thread of a block is a fiber with a stack of its own, a warp runs to
// its next shuffle or barrier, the block's warps in turn. Strict: what not all threads
// reach is a fault.
#pragma once
#include "shim.h"
#include <cstdlib>
#include <string>
#include <vector>
#if !defined(__x86_64__)
#error "the fake driver switches fibers on amd64 alone"
#endif

Index shim_thread, shim_block, shim_grid;

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
  ret
)");

namespace fibers {
enum State { ready, at_barrier, at_warp, finished };
struct Fiber { void* sp; char* stack; State state; };
static const size_t stack_bytes = 64 << 10;
static std::vector<Fiber> all;
static void* home;
static int current;
static void (*body)(void*);
static void* env;
static uint32_t slot[1024];
static std::string fault; // of the launch under way

static void leave(State s) {
  Fiber& f = all[current];
  f.state = s;
  shim_switch(&f.sp, home);
}

static void entry() {
  body(env);
  leave(finished);
  abort();
}

static void arm(Fiber& f) {
  void** p = (void**)(((uintptr_t)f.stack + stack_bytes) & ~(uintptr_t)15);
  *--p = nullptr;
  *--p = (void*)entry;
  for (int i = 0; i < 6; i++) *--p = nullptr;
  f.sp = p;
  f.state = ready;
}

static void resume(int i) {
  current = i;
  shim_thread = Index{i, 0, 0};
  shim_switch(&home, all[i].sp);
}

static bool run_block(int threads) {
  for (int i = 0; i < threads; i++) arm(all[i]);
  for (;;) {
    int ended = 0, waiting = 0;
    for (int w = 0; w < threads; w += 32) {
      const int end = w + 32 < threads ? w + 32 : threads;
      for (;;) {
        int meet = 0;
        for (int i = w; i < end; i++) {
          if (all[i].state == finished || all[i].state == at_barrier) continue;
          resume(i);
          meet += all[i].state == at_warp;
        }
        if (meet == 0) break;
        if (meet != end - w) {
          fault = "shuffle or vote not reached by all threads of a warp";
          return false;
        }
      }
      for (int i = w; i < end; i++) {
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
  while ((int)all.size() < threads) all.push_back(Fiber{nullptr, (char*)malloc(stack_bytes), ready});
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

void shim_barrier() {
  const Index me = shim_thread;
  fibers::leave(fibers::at_barrier);
  shim_thread = me;
}

// meet lets all threads of the warp put v into their slots before any goes on.
static void shim_meet(uint32_t v) {
  const Index me = shim_thread;
  fibers::slot[me.x] = v;
  fibers::leave(fibers::at_warp);
  shim_thread = me;
}

uint32_t shim_shuffle_xor(uint32_t v, int d) {
  shim_meet(v);
  const uint32_t r = fibers::slot[shim_thread.x ^ d];
  shim_meet(v); // slots may not change before all have read
  return r;
}

uint32_t shim_ballot(bool v) {
  shim_meet(v);
  uint32_t r = 0;
  for (int i = 0; i < 32; i++) r |= fibers::slot[(shim_thread.x & ~31) + i] << i;
  shim_meet(v);
  return r;
}
