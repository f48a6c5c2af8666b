// A program that is the lab until it is told otherwise, and from then on what the test says.
#pragma once

#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "client/started_lab.h"

namespace gridstride::lab {

class ChangingProgram {
 public:
    /// afterwards: words of a shell. The lab's end of the socket is descriptor 3.
    explicit ChangingProgram(const std::string& afterwards)
        : folder_(fs::temp_directory_path() / ("gridstride_restart_" + std::to_string(getpid()))) {
        fs::create_directories(folder_);
        std::ofstream(program()) << "#!/bin/sh\nif [ -e " << changed().string() << " ]; then " << afterwards
                                 << "; exit; fi\nexec " << gridstride::program().string() << " \"$@\"\n";
        fs::permissions(program(), fs::perms::owner_all);
    }
    ~ChangingProgram() { fs::remove_all(folder_); }
    ChangingProgram(const ChangingProgram&) = delete;
    ChangingProgram& operator=(const ChangingProgram&) = delete;

    fs::path program() const { return folder_ / "program"; }
    void change() const { std::ofstream(changed()).put('x'); }

 private:
    fs::path changed() const { return folder_ / "changed"; }
    fs::path folder_;
};

inline void kill_labs() {
    signal_labs(SIGKILL);
}

/// Of a program that sleeps once it has changed: until it does, and has done what it does before.
inline bool kill_labs_until_one_sleeps() {
    kill_labs();
    return comes_true([] {
        const std::set<pid_t> labs = children();
        return std::any_of(labs.begin(), labs.end(), [](pid_t lab) {
            std::ifstream command("/proc/" + std::to_string(lab) + "/cmdline");
            std::string word;
            return std::getline(command, word, '\0') && word == "sleep";
        });
    });
}

}  // namespace gridstride::lab
