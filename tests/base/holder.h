#pragma once

#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "test_includes.h"

namespace gridstride::test {

/// Traces a process, as a debugger that hangs does: when the process ends, it stays a zombie and its parent
/// is not notified. A process that is stuck in a driver looks the same.
class Holder {
 public:
    explicit Holder(pid_t held) {
        std::array<int, 2> ends{};
        if (pipe(ends.data()) != 0) return;
        pid_ = fork();
        if (pid_ == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            const char answer = ptrace(PTRACE_SEIZE, held, nullptr, nullptr) == 0 ? 'y' : 'n';
            if (write(ends[1], &answer, 1) != 1) _exit(1);
            for (;;)
                pause();
        }
        close(ends[1]);
        char answer = 'n';
        holds_ = read(ends[0], &answer, 1) == 1 && answer == 'y';
        close(ends[0]);
    }
    ~Holder() {
        if (pid_ <= 0) return;
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

    bool holds() const { return holds_; }

 private:
    pid_t pid_ = -1;
    bool holds_ = false;
};

}  // namespace gridstride::test
