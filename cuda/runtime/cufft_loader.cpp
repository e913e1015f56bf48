// SPDX-License-Identifier: BSD-2-Clause
// Finds cuFFT with dlopen, once per process.
#include "cuda/runtime/cufft_loader.h"

#include <dlfcn.h>
#include <pthread.h>

// If cuFFT's header is available, the compiler checks our declarations against it.
#if __has_include(<cufft.h>)
#include <cufft.h>
#define XNCC_SONAME_TEXT(major) "libcufft.so." #major
#define XNCC_SONAME(major) XNCC_SONAME_TEXT(major)
#endif

namespace xncc {

namespace {

#ifdef CUFFT_VER_MAJOR
static_assert(sizeof(cufftHandle) == sizeof(int) && sizeof(cufftResult) == sizeof(int) &&
                  sizeof(cufftType) == sizeof(int) && sizeof(cufftDoubleComplex) == sizeof(double2),
              "cuFFT's types differ from those of FftLibrary");
static_assert(CUFFT_SUCCESS == FFT_SUCCESS && CUFFT_ALLOC_FAILED == FFT_ALLOC_FAILED &&
                  CUFFT_FORWARD == FFT_FORWARD && CUFFT_INVERSE == FFT_INVERSE &&
                  CUFFT_Z2Z == FFT_Z2Z,
              "cuFFT's constants differ from those of cufft_loader.h");
static_assert(sizeof(cufftCreate((int *)nullptr)) + sizeof(cufftDestroy(0)) +
                      sizeof(cufftSetAutoAllocation(0, 0)) +
                      sizeof(cufftSetWorkArea(0, (void *)nullptr)) +
                      sizeof(cufftSetStream(0, cudaStream_t())) +
                      sizeof(cufftExecZ2Z(0, (double2 *)nullptr, (double2 *)nullptr, 0)) +
                      sizeof(cufftMakePlanMany64(0, 0, (long long *)nullptr, (long long *)nullptr,
                                                 0ll, 0ll, (long long *)nullptr, 0ll, 0ll,
                                                 CUFFT_Z2Z, 0ll, (size_t *)nullptr)) >
                  0,
              "cuFFT's functions differ from those of FftLibrary");
#endif

FftLibrary table; // valid once `usable` is true
bool usable = false;
std::atomic<bool> missing{ false };
pthread_once_t once = PTHREAD_ONCE_INIT;

// The names to try, in order: the version that the build saw, the known versions from the newest to
// the oldest, and the default path of the toolkit's installer.
const char *const names[] = {
#ifdef CUFFT_VER_MAJOR
    XNCC_SONAME(CUFFT_VER_MAJOR),
#endif
    "libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "/usr/local/cuda/lib64/libcufft.so"
};

template <class Function> bool find_symbol(void *library, const char *name, Function *function)
{
    *function = reinterpret_cast<Function>(dlsym(library, name));
    return *function != nullptr;
}

bool fill_table(void *library)
{
    return find_symbol(library, "cufftCreate", &table.create) &&
           find_symbol(library, "cufftDestroy", &table.destroy) &&
           find_symbol(library, "cufftSetAutoAllocation", &table.set_auto_allocation) &&
           find_symbol(library, "cufftMakePlanMany64", &table.make_plan) &&
           find_symbol(library, "cufftSetWorkArea", &table.set_area) &&
           find_symbol(library, "cufftSetStream", &table.set_stream) &&
           find_symbol(library, "cufftExecZ2Z", &table.execute);
}

// A library that is newer than the driver loads without an error but cannot create a handle.
bool works()
{
    int handle = 0;
    return table.create(&handle) == FFT_SUCCESS && table.destroy(handle) == FFT_SUCCESS;
}

void load()
{
    for (const char *name : names) {
        void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
        if (!library)
            continue;
        usable = fill_table(library) && works();
        if (usable)
            return;
        (void)dlclose(library);
    }
    missing.store(true);
}

} // namespace

const FftLibrary *fft_library()
{
    (void)pthread_once(&once, load);
    return usable ? &table : nullptr;
}

bool fft_library_missing()
{
    return missing.load();
}

} // namespace xncc
