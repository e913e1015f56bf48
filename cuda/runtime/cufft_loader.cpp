#include "cuda/runtime/cufft_loader.h"

#include <dlfcn.h>
#include <pthread.h>

// Where the header is at hand, the compiler compares our prototypes with cuFFT's.
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
              "cuFFT's types are not those of FftLibrary");
static_assert(CUFFT_SUCCESS == FFT_SUCCESS && CUFFT_ALLOC_FAILED == FFT_ALLOC_FAILED &&
                  CUFFT_FORWARD == FFT_FORWARD && CUFFT_INVERSE == FFT_INVERSE &&
                  CUFFT_Z2Z == FFT_Z2Z,
              "cuFFT's numbers are not those of FftLibrary");
static_assert(sizeof(cufftCreate((int *)nullptr)) + sizeof(cufftDestroy(0)) +
                      sizeof(cufftSetAutoAllocation(0, 0)) +
                      sizeof(cufftSetWorkArea(0, (void *)nullptr)) +
                      sizeof(cufftSetStream(0, cudaStream_t())) +
                      sizeof(cufftExecZ2Z(0, (double2 *)nullptr, (double2 *)nullptr, 0)) +
                      sizeof(cufftMakePlanMany64(0, 0, (long long *)nullptr, (long long *)nullptr,
                                                 0ll, 0ll, (long long *)nullptr, 0ll, 0ll,
                                                 CUFFT_Z2Z, 0ll, (size_t *)nullptr)) >
                  0,
              "cuFFT's functions are not those of FftLibrary");
#endif

FftLibrary table;
bool usable = false;
std::atomic<bool> missing{ false };
pthread_once_t once = PTHREAD_ONCE_INIT;

// The build's own version first, then by name, newest first, then where the toolkit's installer
// puts it.
const char *const names[] = {
#ifdef CUFFT_VER_MAJOR
    XNCC_SONAME(CUFFT_VER_MAJOR),
#endif
    "libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "/usr/local/cuda/lib64/libcufft.so"
};

template <class Function> bool find(void *library, const char *name, Function *function)
{
    *function = reinterpret_cast<Function>(dlsym(library, name));
    return *function != nullptr;
}

bool take(void *library)
{
    return find(library, "cufftCreate", &table.create) &&
           find(library, "cufftDestroy", &table.destroy) &&
           find(library, "cufftSetAutoAllocation", &table.set_auto_allocation) &&
           find(library, "cufftMakePlanMany64", &table.make_plan) &&
           find(library, "cufftSetWorkArea", &table.set_area) &&
           find(library, "cufftSetStream", &table.set_stream) &&
           find(library, "cufftExecZ2Z", &table.execute);
}

// A library that is newer than the driver loads, and refuses to make a handle.
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
        usable = take(library) && works();
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
