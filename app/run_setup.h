// Prepares and runs an experiment for a command, and prints messages about its report.
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

struct RunSetup {
    std::unique_ptr<lab::Client> client;
    std::vector<Experiment> experiments;  ///< one for each variant
    Plan plan;                            ///< of the first experiment; empty if there is no device
    const Limits* device = nullptr;       ///< the client's; null if the lab had none before the deadline
    std::string no_device_reason;         ///< a sentence if `device` is null
};
/// Reads the files and all options, and starts the lab. With `tuned`, launch parameters without an option get
/// the best values that a sweep found for each variant, which is reported on stderr. Throws Refusal with all
/// errors at once, also if no sweep found a launch; FileError; NoDevice.
RunSetup prepare_runs(const LessonOptions& options, const UserFiles& own, bool tuned = false);

/// Runs the n-th variant until it ends or the user presses Ctrl-C. Shows the progress on a terminal: finished
/// slices for a launch that is cut into slices, otherwise the elapsed time.
Report run_with_progress(RunSetup& setup, const LessonOptions& options, std::size_t n, lab::Request request);

/// Returns the label of a row: the variant, or the name of the user's program.
std::string row_label(const Experiment& experiment);

/// Prints on stderr the diagnostics, in the form of compilers, which editors understand, then the message.
void print_message(const Report& report);

/// Collects the remarks of several runs and prints each once.
class RunRemarks {
 public:
    void add(const Report& report);
    /// Prints on stderr, after all results. Prints nothing if the results could not be written.
    void print() const;

 private:
    struct Entry {
        Remark remark;
        std::vector<std::string> rows;  ///< labels of the runs with this remark
    };
    std::vector<Entry> all_;
    std::size_t runs_ = 0;
};

/// Prints a line such as "reduction · NVIDIA H200 · 1 024 elements".
void print_heading(const Report& report);

int exit_code_for(const Report& report);

}  // namespace gridstride::app
