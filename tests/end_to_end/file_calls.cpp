// To be preloaded into the program: writes, syncs and renames below the folder $GRIDSTRIDE_FILE_CALLS_IN are
// noted in the file $GRIDSTRIDE_FILE_CALLS, a line each, in their order.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace {

template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

ssize_t write_on(int file, const void* bytes, size_t count) {
    return next<ssize_t(int, const void*, size_t)>("write")(file, bytes, count);
}

void note(std::string_view call, const std::string& path, const std::string& to = {}) {
    const char* const folder = std::getenv("GRIDSTRIDE_FILE_CALLS_IN");
    const char* const log = std::getenv("GRIDSTRIDE_FILE_CALLS");
    if (folder == nullptr || log == nullptr || !path.starts_with(folder)) return;
    const std::string line = std::string(call) + '\t' + path + '\t' + to + '\n';
    const int file = ::open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (write_on(file, line.data(), line.size()) < 0) std::abort();
    ::close(file);
}

std::string path_of(int file) {
    char path[PATH_MAX];
    const ssize_t size = ::readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), path, sizeof path);
    return size < 0 ? std::string() : std::string(path, static_cast<std::size_t>(size));
}

}  // namespace

extern "C" {
ssize_t write(int file, const void* bytes, size_t count) {
    note("write", path_of(file));
    return write_on(file, bytes, count);
}
int fsync(int file) {
    note("sync", path_of(file));
    return next<int(int)>("fsync")(file);
}
int rename(const char* from, const char* to) noexcept {
    note("rename", std::filesystem::absolute(from), std::filesystem::absolute(to));
    return next<int(const char*, const char*)>("rename")(from, to);
}
}
