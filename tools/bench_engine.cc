#include "tools/bench_engine.h"

#include <algorithm>

namespace volt {

const char* engine_name(EngineKind kind) noexcept {
  return kind == EngineKind::io_uring ? "io_uring" : "threads";
}

std::unique_ptr<IoEngine> make_engine(EngineKind kind) {
  return kind == EngineKind::io_uring ? make_uring_engine() : make_thread_engine();
}

Result<AlignedBuffer> make_job_buffer(const EngineJob& job) {
  auto buffer = AlignedBuffer::create(static_cast<std::size_t>(job.block_bytes) * job.depth);
  if (buffer && job.read_percent < 100) {
    fill_incompressible({buffer->data(), buffer->size()}, job.data_seed);
  }
  return buffer;
}

}  // namespace volt
