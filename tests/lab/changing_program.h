// A program that is the lab until it is told otherwise, and from then on what the test says.
#pragma once

#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "lab/started_lab.h"

namespace gridstride::lab {

class ChangingProgram {
 public:
    /// afterwards: words of a shell. The lab's end of the socket is descriptor 3.
    explicit ChangingProgram(const std::string& afterwards)
        : folder_(fs::temp_directory_path() / ("gridstride_restart_" + std::to_string(getpid()))) {
        fs::create_directories(folder_);
        std::ofstream(program()) << "#!/bin/sh\nif [ -e " << changed().string() << " ]; then " << afterwards
                                 << "; exit; fi\nexec " << std::getenv("GRIDSTRIDE") << " \"$@\"\n";
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
    for (const pid_t lab : children())
        kill(lab, SIGKILL);
}

inline std::optional<Report> wait_for_last(Client& client, milliseconds patience) {
    using Clock = std::chrono::steady_clock;
    for (const auto since = Clock::now(); Clock::now() - since < patience;)
        if (std::optional<Report> report = client.wait(milliseconds(50)); report && report->final)
            return report;
    return std::nullopt;
}

}  // namespace gridstride::lab
