#include "bank.cuh"

namespace xncc {

namespace {

constexpr int MOST_DEVICES = 64;
pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
Bank table[FAMILY_COUNT][MOST_DEVICES];
std::atomic<uint64_t> serials{ 0 };

} // namespace

uint64_t next_serial()
{
    return serials.fetch_add(1) + 1;
}

cudaError_t bank_open(Family family, int device, const void *symbol, Bank **result)
{
    if (device >= MOST_DEVICES)
        return cudaErrorInvalidDevice;
    Bank *bank = &table[family][device];
    cudaError_t code = cudaSuccess;
    (void)pthread_mutex_lock(&table_lock);
    if (!bank->data) {
        void *data = nullptr;
        code = cudaGetSymbolAddress(&data, symbol);
        if (code == cudaSuccess)
            code = cudaEventCreateWithFlags(&bank->idle, cudaEventDisableTiming);
        if (code == cudaSuccess && pthread_mutex_init(&bank->lock, nullptr) != 0)
            code = cudaErrorMemoryAllocation;
        if (code == cudaSuccess)
            bank->data = static_cast<unsigned char *>(data);
    }
    (void)pthread_mutex_unlock(&table_lock);
    *result = bank;
    return code;
}

BankTurn::BankTurn(Bank *of, cudaStream_t on) : bank(of), stream(on)
{
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    (void)pthread_mutex_lock(&bank->lock);
    waited = cudaStreamIsCapturing(stream, &capture);
    // a graph would run without a turn
    if (waited == cudaSuccess && capture != cudaStreamCaptureStatusNone)
        waited = cudaErrorStreamCaptureUnsupported;
    if (waited == cudaSuccess)
        waited = cudaStreamWaitEvent(stream, bank->idle, 0);
}

BankTurn::~BankTurn()
{
    // Where the event cannot be recorded the device has failed, and every later call on it reports
    // that.
    if (waited == cudaSuccess && cudaEventRecord(bank->idle, stream) != cudaSuccess)
        bank->content = BankContent{ 0, 0, 0 };
    (void)pthread_mutex_unlock(&bank->lock);
}

cudaError_t BankTurn::load(const BankContent &content, const void *source, size_t pitch,
                           size_t bytes, size_t rows)
{
    if (waited != cudaSuccess)
        return waited;
    BankContent &held = bank->content;
    if (held.serial == content.serial && held.row == content.row && held.layout == content.layout)
        return cudaSuccess;
    held.serial = 0;
    cudaError_t code = bytes == pitch ? cudaMemcpyAsync(bank->data, source, bytes * rows,
                                                        cudaMemcpyDeviceToDevice, stream)
                                      : cudaMemcpy2DAsync(bank->data, bytes, source, pitch, bytes,
                                                          rows, cudaMemcpyDeviceToDevice, stream);
    if (code == cudaSuccess)
        held = content;
    return code;
}

} // namespace xncc
