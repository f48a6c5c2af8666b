// Data-parallel loops on the host.
#pragma once

#include <cstddef>
#include <functional>

namespace gridstride {

unsigned hardware_threads();  ///< at least 1

/// Calls body(begin, end) over disjoint ranges that cover [0, count), on all cores; on the calling thread
/// alone when count <= grain. The first exception thrown by a body is rethrown once all have ended.
void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body);

}  // namespace gridstride
