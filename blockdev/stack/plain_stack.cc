// compose_plain: everything but encryption, and nothing that knows headers or keys.
#include <utility>

#include "blockdev/stack/stack_layers.h"

namespace volt {

Result<DevicePtr> compose_plain(DevicePtr container, const StackOptions& options,
                                StatsDevice** stats) {
  const std::uint64_t size = container->size();
  auto window = add_window(std::move(container), 0, size, options);
  if (!window.ok()) return window;
  return add_stats(add_guard(*std::move(window), 0, options), stats);
}

}  // namespace volt
