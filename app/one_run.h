// A run as the command line asks for it: its experiment, the wait for its report, what is said of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/client.h"
#include "commands.h"
#include "lab/request.h"
#include "launch/plan.h"
#include "lesson/experiment.h"
#include "lesson/report.h"

namespace gridstride::app {

struct ReadyToRun {
    std::unique_ptr<lab::Client> client;
    std::vector<Experiment> experiments;  ///< of each variant
    Plan plan;                            ///< of the first; empty where there is no device
    const Limits* device = nullptr;       ///< the client's; null where the lab had none in time
    std::string why_no_device;            ///< then
};
/// Reads the files and every flag, and starts the lab. `tuned`: what no flag names of the launch is what a
/// sweep found the best for each variant, and what was taken is said on stderr. Throws Refusal, with every
/// complaint about them at once, also where no sweep found any; FileError and NoDevice.
ReadyToRun make_ready(const LessonOptions& options, const OwnFiles& own, bool tuned = false);

/// Runs the n-th of the options' variants to its end or to Ctrl-C, and meanwhile says on a terminal how far
/// it is: a launch that is cut into slices by its slices, any other by the time that it takes.
Report run_watched(ReadyToRun& ready, const LessonOptions& options, std::size_t n, lab::Request request);

/// What a row is called: the variant, or the program of one's own that is none's.
std::string row_name(const Experiment& experiment);

/// On stderr: diagnostics as compilers write them, so that editors find the places, then the message.
void print_message(const Report& report);

/// What else there is to say of some runs, each sentence once.
class RunRemarks {
 public:
    void add(const Report& report);
    /// On stderr, behind all results; where these do not arrive, nothing is said.
    void print() const;

 private:
    struct Entry {
        Remark remark;
        std::vector<std::string> rows;  ///< of the runs that have it
    };
    std::vector<Entry> all_;
    std::size_t runs_ = 0;
};

/// "reduction · NVIDIA H200 · 1 024 elements", a line.
void print_heading(const Report& report);

int exit_code_of(const Report& report);

}  // namespace gridstride::app
