// The trace of a launch with its decoded records and its findings.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lesson/report.h"
#include "trace/findings.h"

namespace gridstride {

struct AnalyzedTrace {
    std::shared_ptr<const Report> report;  ///< the traced run, which has a verdict but no timings; never null
    std::string problem;                 ///< a sentence that says why there is no trace; empty: there is one
    std::vector<trace::Record> records;  ///< of all traced workgroups
    std::vector<trace::Finding> findings;
    std::vector<std::uint32_t> race_partners;  ///< by record: see trace/findings.h
    std::string file;                          ///< the file it was opened from; empty: traced in this session

    const Experiment& experiment() const { return report->experiment; }
    const trace::Trace& trace() const { return *report->trace; }  ///< requires that `problem` is empty
};

}  // namespace gridstride
