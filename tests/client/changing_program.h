// A program that runs the lab until change() is called, and then the test's shell commands.
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
    /// `afterwards` holds shell commands. The lab's end of the socket is descriptor 3.
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

/// Kills the labs and waits until the changed program has run its other commands and is in its final sleep.
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
