// A libnccl.so.2 of ours: sums over ranks by plain loops over the fake driver's memory. Ranks,
// threads of one process or processes, meet in a file beside this library that the unique id
// names. As with the real one a call for a sum returns before the others come, and the stream
// waits for them.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int (*device)(), (*valid)(uint64_t, size_t), (*submit)(void*, const std::function<int()>*);
static char* (*at)(uint64_t);
static std::string folder;
static std::mutex lock;
static struct {
  long fail_at = -1, fail_code, version = 22803;
} config;
static std::map<std::string, long> counts;
static long calls, open_things;

#define EXPORT extern "C" __attribute__((visibility("default")))
#define API EXPORT int
enum { CUDA = 1, SYSTEM = 2, ARGUMENT = 4, USAGE = 5, REMOTE = 6, PENDING = -1 };

API fakeConfigure(const char* key, long value) {
  std::map<std::string, long*> keys = {{"fail_at", &config.fail_at}, {"fail_code", &config.fail_code}, {"version", &config.version}};
  if (!keys.count(key)) return 1;
  *keys[key] = value;
  if (!strcmp(key, "fail_at")) calls = 0;
  return 0;
}
EXPORT long fakeCount(const char* key) {
  std::lock_guard<std::mutex> hold(lock);
  return !strcmp(key, "calls") ? calls : !strcmp(key, "open") ? open_things : counts[key];
}

// Finds the driver beside this library, which the process has opened.
static bool attach() {
  if (at) return true;
  Dl_info self;
  if (!dladdr((void*)&fakeCount, &self)) return false;
  folder = self.dli_fname;
  folder.resize(folder.rfind('/'));
  void* cuda = dlopen((folder + "/libcuda.so.1").c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (!cuda) return false;
  device = (decltype(device))dlsym(cuda, "fakeDevice");
  valid = (decltype(valid))dlsym(cuda, "fakeValid");
  submit = (decltype(submit))dlsym(cuda, "fakeSubmit");
  at = (decltype(at))dlsym(cuda, "fakeAt");
  return device && valid && submit && at;
}

static int enter(const char* name) {
  std::lock_guard<std::mutex> hold(lock);
  counts[name]++;
  if (!attach()) return CUDA;
  return ++calls == config.fail_at ? (int)config.fail_code : 0;
}
#define ENTER if (int r = enter(__func__)) return r

// What ranks share: who is there, and how many sums each has put its vector of and has read.
static const int most = 8;
static const size_t room = 1 << 22; // values of a vector
struct Rank { std::atomic<int> here; std::atomic<long> put, read; int device; size_t values; };
struct Group { std::atomic<int> ranks, broken, left; Rank of[most]; float vectors[most][room]; };
struct Id { char text[128]; };

static std::string path(const Id& id) { return folder + "/" + id.text; }

static Group* map(const Id& id, int flags) {
  int fd = open(path(id).c_str(), O_RDWR | flags, 0600);
  if (fd < 0) return nullptr;
  void* p = ftruncate(fd, sizeof(Group)) ? MAP_FAILED : mmap(nullptr, sizeof(Group), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  close(fd);
  return p == MAP_FAILED ? nullptr : (Group*)p;
}

struct Comm {
  Id id;
  Group* group = nullptr;
  int rank, ranks, device;
  long sums = 0;
  std::atomic<bool> aborted{false};
  ~Comm() { if (group) munmap((void*)group, sizeof(Group)); }
};
static std::map<void*, std::shared_ptr<Comm>> comms;

static std::shared_ptr<Comm> find(void* c) {
  std::lock_guard<std::mutex> hold(lock);
  auto i = comms.find(c);
  return i == comms.end() ? nullptr : i->second;
}
static void forget(void* c) {
  std::lock_guard<std::mutex> hold(lock);
  comms.erase(c);
  open_things--;
}

API ncclGetVersion(int* v) { ENTER; *v = (int)config.version; return 0; }
EXPORT const char* ncclGetErrorString(int) { return "a result of the fake NCCL"; }
EXPORT const char* ncclGetLastError(void*) { return "what it has\nto say"; }

API ncclGetUniqueId(Id* id) {
  ENTER;
  static std::atomic<long> made;
  memset(id, 0, sizeof *id);
  snprintf(id->text, sizeof id->text, "nccl-%d-%ld", (int)getpid(), ++made);
  memset(id->text + 100, 0x5a, 28); // all of it must come
  Group* g = map(*id, O_CREAT | O_EXCL);
  if (!g) return SYSTEM;
  munmap((void*)g, sizeof(Group));
  return 0;
}

// Waits for all ranks, as the real one does; a group that one of them could not join is broken.
static int meet(Comm& c) {
  Group& g = *c.group;
  int none = 0;
  if (!g.ranks.compare_exchange_strong(none, c.ranks) && none != c.ranks) return ARGUMENT;
  g.of[c.rank].device = c.device;
  if (g.of[c.rank].here.exchange(1)) return USAGE;
  for (int tries = 0, there = 0; there < c.ranks; usleep(50)) {
    if (g.broken) return REMOTE;
    if (++tries > 400000) return SYSTEM; // nobody comes
    there = 0;
    for (int r = 0; r < c.ranks; r++) there += g.of[r].here;
  }
  for (int r = 0; r < c.ranks; r++) if (r != c.rank && g.of[r].device == c.device) return USAGE; // two ranks on one device
  return 0;
}

API ncclCommInitRank(void** to, int ranks, Id id, int rank) {
  int r = enter(__func__);
  if (!at) return r;
  auto c = std::make_shared<Comm>();
  id.text[99] = 0;
  for (int i = 100; i < 128; i++) if (id.text[i] != 0x5a) return ARGUMENT;
  if (!(c->group = map(id, 0))) return SYSTEM;
  c->id = id;
  c->rank = rank;
  c->ranks = ranks;
  c->device = device();
  if (!r && c->device < 0) r = CUDA;
  if (!r && (ranks < 1 || ranks > most || rank < 0 || rank >= ranks)) r = ARGUMENT;
  if (!r) r = meet(*c);
  if (r) {
    c->group->broken = 1;
    unlink(path(id).c_str());
    return r;
  }
  std::lock_guard<std::mutex> hold(lock);
  *to = c.get();
  comms[*to] = c;
  open_things++;
  return 0;
}

// One rank's part in a sum; PENDING until all have come with theirs. It is in rank order.
struct Sum {
  std::shared_ptr<Comm> comm;
  uint64_t from, to;
  size_t values;
  long number;
  bool put = false;

  int step() {
    Group& g = *comm->group;
    Rank& me = g.of[comm->rank];
    if (comm->aborted) return 0; // and nothing is written
    if (!valid(from, 4 * values) || !valid(to, 4 * values)) return 700;
    for (int r = 0; r < comm->ranks; r++) if (!put && g.of[r].read < number - 1) return PENDING;
    if (!put) {
      memcpy(g.vectors[comm->rank], at(from), 4 * values);
      me.values = values;
      me.put = number;
      put = true;
    }
    for (int r = 0; r < comm->ranks; r++) if (g.of[r].put < number) return PENDING;
    for (int r = 0; r < comm->ranks; r++) if (g.of[r].values != values) return 719; // the real one would hang
    float* out = (float*)at(to);
    memcpy(out, g.vectors[0], 4 * values);
    for (int r = 1; r < comm->ranks; r++) for (size_t i = 0; i < values; i++) out[i] += g.vectors[r][i];
    me.read = number;
    return 0;
  }
};

API ncclAllReduce(uint64_t from, uint64_t to, size_t values, int type, int operation, void* comm, void* stream) {
  ENTER;
  auto c = find(comm);
  if (!c || device() != c->device || type != 7 || operation != 0 || !stream || !values || values > room) return ARGUMENT;
  if (!valid(from, 4 * values) || !valid(to, 4 * values)) return ARGUMENT;
  {
    std::lock_guard<std::mutex> hold(lock);
    counts["bytes summed"] += 4 * values;
  }
  auto sum = std::make_shared<Sum>(Sum{c, from, to, values, ++c->sums});
  std::function<int()> work = [sum] { return sum->step(); };
  return submit(stream, &work) ? CUDA : 0;
}

API ncclCommDestroy(void* comm) {
  ENTER;
  auto c = find(comm);
  if (!c || device() != c->device) return ARGUMENT;
  if (c->group->of[c->rank].read != c->sums) return USAGE; // sums are under way
  if (++c->group->left == c->ranks) unlink(path(c->id).c_str());
  forget(comm);
  return 0;
}
API ncclCommAbort(void* comm) {
  ENTER;
  auto c = find(comm);
  if (!c) return ARGUMENT;
  c->aborted = true;
  c->group->broken = 1;
  unlink(path(c->id).c_str());
  forget(comm);
  return 0;
}
