// The host arrays that a plan's downloads and host steps write.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/array.h"
#include "launch/plan.h"
#include "lesson/experiment.h"

namespace gridstride {

/// Reports may hold arrays of earlier passes, and those must not change. So a download gets an array that
/// nobody else holds, from an earlier pass if possible: the system allocates new memory page by page at first
/// touch, which took half as long as the work itself for 16 MiB.
class HostArrays {
 public:
    /// Prepares an array for each download of the plan and drops those of the last pass. Call it before a
    /// pass, outside its timed part.
    void prepare_pass(const Plan& plan);

    /// Returns the array for this download; find() then returns it under the buffer's name.
    Array& acquire(const BufferSpec& buffer);
    /// Stores a host step's output and replaces an array of the same name.
    void store(const std::string& name, Array array);

    const Array* find(const std::string& name) const;  ///< null if this pass has none
    /// Returns all arrays of this pass. They do not change while they are held.
    Outputs outputs() const;

    /// Removes the arrays of outputs() from the pool for good, because another process now uses them.
    void release();

 private:
    using NamedArrayPtr = std::pair<std::string, std::shared_ptr<Array>>;

    /// Returns an array of the pool that nobody else holds, with all pages in memory; adds one if necessary.
    std::shared_ptr<Array> acquire_free_array(const BufferSpec& buffer);

    std::vector<NamedArrayPtr> pool_;     ///< of downloads, also those that others hold
    std::vector<NamedArrayPtr> current_;  ///< in this pass
};

}  // namespace gridstride
