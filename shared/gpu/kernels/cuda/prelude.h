// What a build for the device needs and CUDA's headers would give: ours, so that clang
// alone makes the PTX. shim.h of the fake driver gives the same names to a C++ compiler.
#pragma once
#define device_fn __attribute__((device)) static inline __attribute__((always_inline))
#define device_method __attribute__((device)) inline __attribute__((always_inline))
#define shared_mem __attribute__((shared)) static
#define UNROLL _Pragma("unroll")
// Every kernel runs with blocks of 256 threads.
#define KERNEL(name) extern "C" __attribute__((global)) __attribute__((launch_bounds(256))) void name

device_fn int thread_x() { return __nvvm_read_ptx_sreg_tid_x(); }
device_fn int block_x() { return __nvvm_read_ptx_sreg_ctaid_x(); }
device_fn int block_y() { return __nvvm_read_ptx_sreg_ctaid_y(); }
device_fn int block_z() { return __nvvm_read_ptx_sreg_ctaid_z(); }
device_fn int grid_x() { return __nvvm_read_ptx_sreg_nctaid_x(); }

device_fn void barrier() { __syncthreads(); }
device_fn float shuffle_xor(float v, int d) { return __nvvm_shfl_sync_bfly_f32(0xffffffffu, v, d, 0x1f); }
device_fn int shuffle_xor(int v, int d) { return __nvvm_shfl_sync_bfly_i32(0xffffffffu, v, d, 0x1f); }
device_fn unsigned ballot(bool v) { return __nvvm_vote_ballot_sync(0xffffffffu, v); }

// Rounded once, as the compiler may not contract (-ffp-contract=off).
device_fn float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
device_fn float root(float v) { return __nvvm_sqrt_rn_f(v); }
