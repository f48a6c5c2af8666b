// Why there is no memory that another process can be given.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <string>

namespace gridstride {

/// What SharedMemory throws: what is in the way, with what to do. It may be memory, file descriptors, or the
/// limit on the size of files, which holds for shared memory too.
class NoSharedMemory : public std::bad_alloc {
 public:
    NoSharedMemory(std::size_t bytes, int error);
    const char* what() const noexcept override { return sentences_->c_str(); }

 private:
    std::shared_ptr<const std::string> sentences_;  ///< shared: a copy that is thrown must not fail
};

}  // namespace gridstride
