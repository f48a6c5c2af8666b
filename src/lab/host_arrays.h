// The arrays on the host that a plan's downloads fill and its host steps make.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/array.h"
#include "launch/plan.h"
#include "lesson/experiment.h"

namespace gridstride::lab {

/// A report may hold the arrays of an earlier pass, and those stay as they are. So a download is given an
/// array that nobody else holds, one of an earlier pass where there is such: the system gives out new memory
/// page by page as it is first touched, which took half as long as the work itself for 16 MiB.
class HostArrays {
 public:
    /// Sees to it that there is an array for each download of the plan. What the pass before made is no
    /// longer found. To be called before a pass, off its clock.
    void make_ready(const Plan& plan);

    /// The array that this download fills: from now on found by the buffer's name.
    Array& take(const BufferSpec& buffer);
    /// What a host step made, in place of what had that name.
    void put(const std::string& name, Array array);

    /// Null when this pass has made none of this name.
    const Array* find(const std::string& name) const;
    /// All that this pass has made. They stay as they are as long as they are held.
    Outputs outputs() const;

    /// None of what outputs() gives is ever written again, even when nobody here holds it any more: it is in
    /// another process's hands.
    void give_away();

 private:
    using Named = std::pair<std::string, std::shared_ptr<Array>>;

    /// One of the pool that nobody else holds, all its pages in memory; put there where there is none.
    std::shared_ptr<Array> free_array(const BufferSpec& buffer);

    std::vector<Named> pool_;  ///< of downloads, whoever holds them
    std::vector<Named> made_;  ///< by this pass
};

}  // namespace gridstride::lab
