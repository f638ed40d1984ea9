// A libcuda.so.1 of ours: the calls that the project makes, kernels compiled for the CPU
// from the same text, device memory that the host cannot touch.
#include "fibers.h"
#include "kernels.cu"
#include <chrono>
#include <deque>
#include <fcntl.h>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sys/mman.h>
#include <tuple>
#include <unistd.h>
#include <utility>

// The device: one file mapped twice. Programs get addresses of the mapping that nobody may
// read; kernels use the other one.
static const size_t space = 1ull << 33, guard = 512;
static char *device, *inside;
static std::recursive_mutex lock;
static const int most_devices = 16;
struct Block { size_t bytes; int device; };
static std::map<uint64_t, Block> live; // by address
static std::map<uint64_t, size_t> pinned;
static size_t used[most_devices], top;

// A process that a test starts has as many devices as the environment says.
static long first_devices() { const char* n = getenv("FAKE_CUDA_DEVICES"); return n ? atol(n) : 1; }

static struct {
  long lazy, memory = (long)space, version = 12090, devices = first_devices(), capability = 90, fail_at = -1, fail_code;
  long broken = -1; // the number of a device that does not tell its memory
} config;
static std::map<std::string, long> counts; // calls, bytes and what is open
static long calls;
static int sticky;
static bool ready;
static thread_local int current = -1; // the device whose context the thread has
static char contexts[most_devices];

static bool setup() {
  int fd = memfd_create("fake-cuda", 0);
  if (fd < 0 || ftruncate(fd, space)) return false;
  inside = (char*)mmap(nullptr, space, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  device = (char*)mmap(nullptr, space, PROT_NONE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  close(fd);
  return inside != MAP_FAILED && device != MAP_FAILED;
}

static char* at(uint64_t p) { return inside + (p - (uint64_t)device); }

// Whether n bytes from p on are all in one allocation of the thread's device.
static bool valid(uint64_t p, size_t n) {
  auto i = live.upper_bound(p);
  return i != live.begin() && (--i, p + n <= i->first + i->second.bytes && i->second.device == current);
}

static bool is_pinned(const void* p, size_t n) {
  auto i = pinned.upper_bound((uint64_t)p);
  return i != pinned.begin() && (--i, (uint64_t)p + n <= i->first + i->second);
}

// The space behind an allocation keeps a pattern; a kernel that wrote there is found out.
static void put_guard(uint64_t p, size_t n) { memset(at(p) + n, 0xa5, guard); }
static bool guard_kept(uint64_t p, size_t n) {
  for (size_t i = 0; i < guard; i++) if ((unsigned char)at(p)[n + i] != 0xa5) return false;
  return true;
}

// Kernels, by name: how to call one with the cells of a launch.
struct Kernel { std::string name; std::vector<int> sizes; std::function<void(Index, int, const uint64_t*)> run; };
static std::vector<Kernel>& kernels() {
  static std::vector<Kernel> all;
  return all;
}

template <class T> static T argument(uint64_t cell) {
  T v;
  memcpy(&v, &cell, sizeof v);
  if constexpr (std::is_pointer_v<T>) {
    if (!v) return v;
    if (!valid(cell, 1)) {
      fibers::fault = "a pointer argument is in no allocation";
      return nullptr;
    }
    v = (T)at(cell);
  }
  return v;
}

template <class... A, size_t... I> static void call(void (*f)(A...), Index grid, int threads, const uint64_t* cells, std::index_sequence<I...>) {
  fibers::fault.clear();
  auto args = std::make_tuple(argument<A>(cells[I])...);
  if (!fibers::fault.empty()) return;
  struct Env { void (*f)(A...); decltype(args)* a; } env{f, &args};
  fibers::run(grid, threads, [](void* e) { auto* v = (Env*)e; std::apply(v->f, *v->a); }, &env);
  if (!fibers::fault.empty()) return;
  auto check = [](auto v, uint64_t cell) {
    if constexpr (std::is_pointer_v<decltype(v)>) {
      auto i = live.upper_bound(cell);
      if (!v || i == live.begin()) return;
      if (--i; !guard_kept(i->first, i->second.bytes)) fibers::fault = "wrote behind an allocation of " + std::to_string(i->second.bytes) + " bytes";
    }
  };
  (check(std::get<I>(args), cells[I]), ...);
}

template <class... A> static int add_kernel(const char* name, void (*f)(A...)) {
  kernels().push_back({name, {(int)sizeof(A)...}, [f](Index g, int n, const uint64_t* c) { call(f, g, n, c, std::index_sequence_for<A...>{}); }});
  return 0;
}
#define REGISTER(k) static int registered_##k = add_kernel(#k, k);
#include "register.h"

// Streams hold work until somebody waits for it; unless the device is lazy, that is at once.
// Work that other ranks must come to first is pending, and what is behind it waits too.
enum { PENDING = -1 };
struct Stream;
struct Work { std::function<int()> run; Stream* other; long upto; };
struct Stream { int device; std::deque<Work> queue; long done = 0, put = 0; bool capturing = false; std::vector<std::function<int()>> captured; };
struct Event { Stream* stream = nullptr; long at = 0; std::chrono::steady_clock::time_point when; bool passed = false; };
struct Graph { std::vector<std::function<int()>> work; };
struct Module { std::string text; };
static Stream null_streams[most_devices];
static std::set<Stream*> streams;
static std::set<Event*> events;
static std::set<Graph*> graphs;
static std::set<Module*> modules;

static int drain(Stream* s, long upto) {
  int code = 0;
  while (s->done < upto && !s->queue.empty()) {
    Work w = std::move(s->queue.front());
    s->queue.pop_front();
    int r = w.other ? drain(w.other, w.upto) : sticky ? sticky : w.run();
    if (r == PENDING) {
      s->queue.push_front(std::move(w));
      return PENDING;
    }
    s->done++;
    if (r && !code) code = r;
  }
  return code;
}

// Waits for work; others may come with theirs meanwhile.
static int wait_for(Stream* s, long upto) {
  int r;
  while ((r = drain(s, upto)) == PENDING) {
    lock.unlock();
    usleep(20);
    lock.lock();
  }
  return r;
}

// Waits for all of the thread's device.
static int wait_for_all() {
  int code = wait_for(&null_streams[current], null_streams[current].put);
  const std::set<Stream*> all = streams;
  for (Stream* s : all) if (s->device == current) if (int r = wait_for(s, s->put)) code = r;
  return code;
}

static Stream* of(void* s) {
  if (!s) return &null_streams[current];
  return streams.count((Stream*)s) && ((Stream*)s)->device == current ? (Stream*)s : nullptr;
}

// Does what can be done now of a stream's work.
static int begin(Stream* s) {
  if (config.lazy) return 0;
  int r = drain(s, s->put);
  return r == PENDING ? 0 : r;
}

static int submit(Stream* s, std::function<int()> f) {
  if (s->capturing) {
    s->captured.push_back(std::move(f));
    return 0;
  }
  s->queue.push_back({std::move(f), nullptr, 0});
  s->put++;
  return begin(s);
}

#define API extern "C" __attribute__((visibility("default"))) int
static int enter(const char* name) {
  counts[name]++;
  long c = ++calls;
  if (sticky) return sticky;
  if (c == config.fail_at) {
    if (config.fail_code >= 700 || config.fail_code == 214 || config.fail_code == 220) sticky = config.fail_code;
    return config.fail_code;
  }
  return 0;
}
#define ENTER std::lock_guard<std::recursive_mutex> hold(lock); if (int r = enter(__func__)) return r
#define IN_CONTEXT ENTER; if (current < 0) return 201
#define STREAM(s) Stream* stream = of(s); if (!stream) return 400

API fakeConfigure(const char* key, long value) {
  std::map<std::string, long*> keys = {{"lazy", &config.lazy}, {"memory", &config.memory}, {"version", &config.version}, {"devices", &config.devices},
                                       {"capability", &config.capability}, {"broken", &config.broken}, {"fail_at", &config.fail_at}, {"fail_code", &config.fail_code}};
  if (!keys.count(key)) return 1;
  if (!strcmp(key, "devices") && value > most_devices) return 1;
  *keys[key] = value;
  if (!strcmp(key, "fail_at")) calls = 0;
  return 0;
}
extern "C" __attribute__((visibility("default"))) long fakeCount(const char* key) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  if (!strcmp(key, "calls")) return calls;
  if (!strcmp(key, "open")) return (long)(live.size() + pinned.size() + streams.size() + events.size() + graphs.size() + modules.size());
  if (!strcmp(key, "kernels")) return (long)kernels().size();
  return counts[key];
}

// What fake libraries of CUDA ask: is there a context, are bytes in one allocation, where
// do kernels find them, and put work on a stream.
extern "C" __attribute__((visibility("default"))) int fakeContext() { return current >= 0; }
extern "C" __attribute__((visibility("default"))) int fakeDevice() { return current; }
extern "C" __attribute__((visibility("default"))) int fakeValid(uint64_t p, size_t n) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  return valid(p, n);
}
extern "C" __attribute__((visibility("default"))) char* fakeAt(uint64_t p) { return at(p); }
extern "C" __attribute__((visibility("default"))) int fakeSubmit(void* s, const std::function<int()>* work) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  STREAM(s);
  counts["library work"]++;
  return submit(stream, [f = *work] { int r = f(); return r && r != PENDING ? sticky = r : r; });
}

API cuInit(unsigned) {
  ENTER;
  if (!config.devices) return 100;
  static bool once = setup();
  ready = once;
  return once ? 0 : 999;
}
API cuDriverGetVersion(int* v) { *v = (int)config.version; return 0; }
API cuDeviceGetCount(int* n) { ENTER; if (!ready) return 3; *n = (int)config.devices; return 0; }
API cuDeviceGet(int* d, int i) { ENTER; if (i < 0 || i >= config.devices) return 101; *d = i; return 0; }
API cuDeviceGetName(char* s, int n, int) { ENTER; strncpy(s, "fake GPU on the CPU", n); return 0; }
API cuDeviceGetPCIBusId(char* s, int n, int d) { ENTER; snprintf(s, n, "0000:00:%02x.0", d); return 0; }
API cuDeviceTotalMem_v2(size_t* n, int d) { ENTER; if (d == config.broken) return 999; *n = config.memory; return 0; }
API cuDeviceGetAttribute(int* v, int a, int) { ENTER; *v = a == 75 ? config.capability / 10 : a == 76 ? config.capability % 10 : a == 16 ? 132 : 0; return 0; }
API cuDevicePrimaryCtxRetain(void** c, int d) {
  ENTER;
  if (d < 0 || d >= config.devices) return 101;
  *c = &contexts[d];
  null_streams[d].device = d;
  counts["contexts"]++;
  return 0;
}
API cuDevicePrimaryCtxRelease_v2(int) { ENTER; counts["contexts"]--; return 0; }
API cuCtxSetCurrent(void* c) { current = c ? (int)((char*)c - contexts) : -1; return 0; }

// As on a card what is free is told by the large pages that are.
API cuMemGetInfo_v2(size_t* f, size_t* t) {
  IN_CONTEXT;
  const size_t page = 32ul << 20;
  *t = config.memory;
  *f = config.memory - used[current] / page * page;
  return 0;
}
API cuMemAlloc_v2(uint64_t* p, size_t n) {
  IN_CONTEXT;
  if (!n) return 1;
  const size_t whole = (n + 511) / 512 * 512 + guard;
  if (used[current] + n > (size_t)config.memory || top + whole > space) return 2;
  *p = (uint64_t)device + top;
  top += whole; // an address is never given twice
  used[current] += n;
  live[*p] = {n, current};
  memset(at(*p), 0xff, n);
  put_guard(*p, n);
  return 0;
}
API cuMemFree_v2(uint64_t p) {
  IN_CONTEXT;
  if (int r = wait_for_all()) return r; // as the real one does
  auto i = live.find(p);
  if (i == live.end() || i->second.device != current) return 1;
  const bool kept = guard_kept(p, i->second.bytes);
  used[current] -= i->second.bytes;
  memset(at(p), 0xff, i->second.bytes);
  live.erase(i);
  return kept ? 0 : sticky = 700;
}
API cuMemHostAlloc(void** p, size_t n, unsigned) {
  IN_CONTEXT;
  *p = malloc(n);
  pinned[(uint64_t)*p] = n;
  return 0;
}
API cuMemFreeHost(void* p) {
  IN_CONTEXT;
  if (int r = wait_for_all()) return r;
  if (!pinned.erase((uint64_t)p)) return 1;
  free(p);
  return 0;
}

API cuMemcpyHtoDAsync_v2(uint64_t d, const void* s, size_t n, void* st) {
  IN_CONTEXT;
  STREAM(st);
  if (!valid(d, n)) return 1;
  counts["bytes up"] += n;
  if (is_pinned(s, n)) return submit(stream, [=] { if (!valid(d, n)) return 700; memcpy(at(d), s, n); return 0; });
  if (stream->capturing) return 900;
  auto staged = std::make_shared<std::vector<char>>((const char*)s, (const char*)s + n); // the caller may change it now
  return submit(stream, [=] { if (!valid(d, n)) return 700; memcpy(at(d), staged->data(), n); return 0; });
}
API cuMemcpyDtoHAsync_v2(void* d, uint64_t s, size_t n, void* st) {
  IN_CONTEXT;
  STREAM(st);
  if (!valid(s, n)) return 1;
  counts["bytes down"] += n;
  const bool quick = is_pinned(d, n);
  if (!quick && stream->capturing) return 900;
  int r = submit(stream, [=] { if (!valid(s, n)) return 700; memcpy(d, at(s), n); return 0; });
  return r || quick ? r : wait_for(stream, stream->put);
}
API cuMemcpyDtoDAsync_v2(uint64_t d, uint64_t s, size_t n, void* st) {
  IN_CONTEXT;
  STREAM(st);
  if (!valid(d, n) || !valid(s, n)) return 1;
  return submit(stream, [=] { if (!valid(d, n) || !valid(s, n)) return 700; memmove(at(d), at(s), n); return 0; });
}
API cuMemsetD32Async(uint64_t d, unsigned v, size_t n, void* st) {
  IN_CONTEXT;
  STREAM(st);
  if (!valid(d, 4 * n)) return 1;
  return submit(stream, [=] { if (!valid(d, 4 * n)) return 700; for (size_t i = 0; i < n; i++) memcpy(at(d) + 4 * i, &v, 4); return 0; });
}

API cuModuleLoadData(void** m, const void* text) {
  IN_CONTEXT;
  if (!strstr((const char*)text, ".entry")) return 218;
  auto* x = new Module{(const char*)text};
  modules.insert(x);
  *m = x;
  return 0;
}
API cuModuleUnload(void* m) { IN_CONTEXT; if (!modules.erase((Module*)m)) return 400; delete (Module*)m; return 0; }
// The entry must be in the PTX with the parameters that the kernel has here.
API cuModuleGetFunction(void** f, void* m, const char* name) {
  IN_CONTEXT;
  if (!modules.count((Module*)m)) return 400;
  const std::string& text = ((Module*)m)->text;
  size_t from = text.find(std::string(".entry ") + name + "(");
  if (from == std::string::npos) return 500;
  const size_t end = text.find(')', from);
  std::vector<int> sizes;
  for (size_t p = from; (p = text.find(".param .", p)) < end; p++) sizes.push_back(text.compare(p + 9, 2, "64") ? 4 : 8);
  for (auto& k : kernels()) if (k.name == name) {
    if (k.sizes != sizes) return 500;
    *f = &k;
    return 0;
  }
  return 500;
}
API cuLaunchKernel(void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned, void* st, void** args, void**) {
  IN_CONTEXT;
  STREAM(st);
  if (!gx || !gy || !gz || gy > 65535 || gz > 65535 || bx != THREADS || by != 1 || bz != 1) return 1;
  auto* k = (Kernel*)f;
  std::vector<uint64_t> cells(k->sizes.size());
  for (size_t i = 0; i < cells.size(); i++) memcpy(&cells[i], args[i], k->sizes[i]);
  return submit(stream, [=] {
    k->run(Index{(int)gx, (int)gy, (int)gz}, (int)bx, cells.data());
    if (fibers::fault.empty()) return 0;
    fprintf(stderr, "fake cuda: kernel %s: %s\n", k->name.c_str(), fibers::fault.c_str());
    return sticky = fibers::fault.find("allocation") == std::string::npos ? 719 : 700;
  });
}

API cuStreamCreate(void** s, unsigned) { IN_CONTEXT; auto* x = new Stream; x->device = current; streams.insert(x); *s = x; return 0; }
API cuStreamDestroy_v2(void* s) {
  IN_CONTEXT;
  STREAM(s);
  int r = wait_for(stream, stream->put);
  for (Event* e : events) if (e->stream == stream) e->stream = nullptr;
  streams.erase(stream); // it stays in memory: work of others may name it
  return r;
}
API cuStreamSynchronize(void* s) { IN_CONTEXT; STREAM(s); return stream->capturing ? 900 : wait_for(stream, stream->put); }
API cuStreamWaitEvent(void* s, void* e, unsigned) {
  IN_CONTEXT;
  STREAM(s);
  if (!events.count((Event*)e)) return 400;
  if (stream->capturing) return 900;
  auto* v = (Event*)e;
  if (!v->stream) return 0;
  stream->queue.push_back({nullptr, v->stream, v->at});
  stream->put++;
  return begin(stream);
}
API cuEventCreate(void** e, unsigned) { IN_CONTEXT; auto* x = new Event; events.insert(x); *e = x; return 0; }
API cuEventDestroy_v2(void* e) { IN_CONTEXT; return events.erase((Event*)e) ? 0 : 400; }
API cuEventRecord(void* e, void* s) {
  IN_CONTEXT;
  STREAM(s);
  if (!events.count((Event*)e)) return 400;
  if (stream->capturing) return 900;
  auto* v = (Event*)e;
  v->stream = stream;
  v->passed = false;
  v->at = stream->put + 1;
  return submit(stream, [=] { v->when = std::chrono::steady_clock::now(); v->passed = true; return 0; });
}
API cuEventSynchronize(void* e) {
  IN_CONTEXT;
  if (!events.count((Event*)e)) return 400;
  auto* v = (Event*)e;
  return v->stream ? wait_for(v->stream, v->at) : 0;
}
API cuEventElapsedTime(float* ms, void* a, void* b) {
  IN_CONTEXT;
  if (!events.count((Event*)a) || !events.count((Event*)b)) return 400;
  auto *x = (Event*)a, *y = (Event*)b;
  if (!x->stream || !y->stream) return 400;
  if (!x->passed || !y->passed) return 600;
  *ms = std::chrono::duration<float, std::milli>(y->when - x->when).count();
  return 0;
}

API cuStreamBeginCapture_v2(void* s, int) { IN_CONTEXT; STREAM(s); if (!s || stream->capturing) return 401; stream->capturing = true; return 0; }
API cuStreamEndCapture(void* s, void** g) {
  IN_CONTEXT;
  STREAM(s);
  if (!stream->capturing) return 401;
  stream->capturing = false;
  *g = new Graph{std::move(stream->captured)};
  stream->captured.clear();
  graphs.insert((Graph*)*g);
  return 0;
}
API cuGraphInstantiate_v2(void** x, void* g, void*, char*, size_t) {
  IN_CONTEXT;
  if (!graphs.count((Graph*)g)) return 400;
  auto* copy = new Graph(*(Graph*)g);
  graphs.insert(copy);
  *x = copy;
  return 0;
}
API cuGraphLaunch(void* x, void* s) {
  IN_CONTEXT;
  STREAM(s);
  if (!graphs.count((Graph*)x)) return 400;
  auto work = ((Graph*)x)->work;
  return submit(stream, [work] {
    for (auto& w : work) if (int r = w()) return r;
    return 0;
  });
}
API cuGraphDestroy(void* g) { IN_CONTEXT; return graphs.erase((Graph*)g) ? 0 : 400; }
API cuGraphExecDestroy(void* x) { IN_CONTEXT; return graphs.erase((Graph*)x) ? 0 : 400; }

#include "stubs.h"

API cuGetErrorName(int e, const char** s) { static thread_local char text[32]; snprintf(text, sizeof text, "FAKE_ERROR_%d", e); *s = text; return 0; }
