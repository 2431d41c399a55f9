// What a library that is loaded into the process may do to its arithmetic, on purpose: preloaded
// before the program (LD_PRELOAD).
//
// TALUS_ARITHMETIC is one of
//   main      as the library is loaded: round upward, FTZ, DAZ
//   ftz       as the library is loaded: FTZ, DAZ, as code does that was linked with -ffast-math
//   threads   each thread that is started, as it begins: round upward, FTZ, DAZ
//   sometimes every second thread that is started

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <pthread.h>
#include <xmmintrin.h>

namespace {

constexpr unsigned flush = 0x8040, upward = 0x4000;

bool wanted(const char* fault) {
  const char* given = std::getenv("TALUS_ARITHMETIC");
  return given != nullptr && std::strcmp(given, fault) == 0;
}

void spoil(unsigned bits) {
  _mm_setcsr(_mm_getcsr() | bits);
}

[[gnu::constructor]] void spoil_at_start() {
  if (wanted("main")) spoil(flush | upward);
  if (wanted("ftz")) spoil(flush);
}

struct Begin {
  void* (*routine)(void*);
  void* argument;
};

void* begin_spoilt(void* given) {
  static std::atomic<int> started{0};
  const std::unique_ptr<Begin> begin(static_cast<Begin*>(given));
  if (wanted("threads") || started.fetch_add(1) % 2 == 0) spoil(flush | upward);
  return begin->routine(begin->argument);
}

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*routine)(void*), void* argument) noexcept {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (!wanted("threads") && !wanted("sometimes"))
    return create(thread, attributes, routine, argument);
  auto begin = std::make_unique<Begin>(Begin{routine, argument});
  const int status = create(thread, attributes, begin_spoilt, begin.get());
  if (status == 0) static_cast<void>(begin.release());  // the thread has it now
  return status;
}
