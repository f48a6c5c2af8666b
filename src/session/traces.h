// The newest trace of the open lesson, and the thread that analyzes it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/file_worker.h"
#include "jobs/trace_analysis.h"

namespace gridstride {

class Traces {
 public:
    /// Returns null before the first trace. Its values may differ from those on the bench.
    const std::shared_ptr<const AnalyzedTrace>& newest() const { return newest_; }
    void set(std::shared_ptr<const AnalyzedTrace> trace);
    /// Analyzes the report of a traced run on another thread.
    void analyze(Experiment experiment, Report report);
    bool is_analyzing() const { return worker_.is_busy(); }
    void clear();
    /// Takes over the results of the thread.
    void pump();
    /// `wake` is called on the thread when pump() has a result to process.
    void set_wake(const std::function<void()>& wake) { worker_.wake = wake; }
    std::uint64_t revision() const { return revision_; }

 private:
    std::shared_ptr<const AnalyzedTrace> newest_;
    Experiment experiment_;  ///< of the trace that is being analyzed
    FileWorker worker_;
    std::uint64_t revision_ = 0;
};

}  // namespace gridstride
