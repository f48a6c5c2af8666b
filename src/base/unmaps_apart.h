// Memory given back beside whoever lets go of it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace gridstride {

/// While it lives, unmap() leaves the work to its thread: to give a gigabyte back takes longer than a frame
/// of a window. One at a time. What still waits at its end is unmapped then.
class UnmapsApart {
 public:
    UnmapsApart();
    ~UnmapsApart();
    UnmapsApart(const UnmapsApart&) = delete;
    UnmapsApart& operator=(const UnmapsApart&) = delete;

 private:
    friend void unmap(std::byte* data, std::size_t bytes);
    bool take(std::byte* data, std::size_t bytes);  ///< false: there was no memory to note it
    void serve();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::pair<std::byte*, std::size_t>> waiting_;
    bool over_ = false;
    std::thread thread_;
};

/// munmap(2), at once or soon.
void unmap(std::byte* data, std::size_t bytes);

}  // namespace gridstride
