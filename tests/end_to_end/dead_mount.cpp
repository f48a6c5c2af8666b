// To be preloaded into the program: what lies in the folder $GRIDSTRIDE_DEAD_MOUNT does not answer, as on a
// mount whose server is gone, until there is a file beside it with ".answers" behind its name.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

void wait_for_answer(const char* path) {
    const char* const folder = std::getenv("GRIDSTRIDE_DEAD_MOUNT");
    if (folder == nullptr || !std::string_view(path).starts_with(folder)) return;
    const std::string answers = std::string(folder) + ".answers";
    while (::faccessat(AT_FDCWD, answers.c_str(), F_OK, 0) != 0)
        ::usleep(10'000);
}

}  // namespace

#define OPENS(name)                                                        \
    int name(const char* path, int flags, ...) {                           \
        std::va_list rest;                                                 \
        va_start(rest, flags);                                             \
        const mode_t mode = va_arg(rest, mode_t);                          \
        va_end(rest);                                                      \
        wait_for_answer(path);                                             \
        return next<int(const char*, int, ...)>(#name)(path, flags, mode); \
    }
#define OPENS_AT(name)                                                                  \
    int name(int folder, const char* path, int flags, ...) {                            \
        std::va_list rest;                                                              \
        va_start(rest, flags);                                                          \
        const mode_t mode = va_arg(rest, mode_t);                                       \
        va_end(rest);                                                                   \
        wait_for_answer(path);                                                          \
        return next<int(int, const char*, int, ...)>(#name)(folder, path, flags, mode); \
    }
#define LOOKS(name, Status)                                          \
    int name(const char* path, Status* status) noexcept {            \
        wait_for_answer(path);                                       \
        return next<int(const char*, Status*)>(#name)(path, status); \
    }

extern "C" {
OPENS(open)
OPENS(open64)
OPENS_AT(openat)
OPENS_AT(openat64)
LOOKS(stat, struct stat)
LOOKS(stat64, struct stat64)
LOOKS(lstat, struct stat)
LOOKS(lstat64, struct stat64)
DIR* opendir(const char* path) {
    wait_for_answer(path);
    return next<DIR*(const char*)>("opendir")(path);
}
int mkdir(const char* path, mode_t mode) noexcept {
    wait_for_answer(path);
    return next<int(const char*, mode_t)>("mkdir")(path, mode);
}
int access(const char* path, int how) noexcept {
    wait_for_answer(path);
    return next<int(const char*, int)>("access")(path, how);
}
int unlink(const char* path) noexcept {
    wait_for_answer(path);
    return next<int(const char*)>("unlink")(path);
}
int rename(const char* from, const char* to) noexcept {
    wait_for_answer(from);
    return next<int(const char*, const char*)>("rename")(from, to);
}
}
