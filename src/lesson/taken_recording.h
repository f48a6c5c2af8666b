// A recording of what the invocations of a launch did, taken apart and judged once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lesson/report.h"
#include "trace/findings.h"

namespace gridstride {

struct TakenRecording {
    std::shared_ptr<const Report> report;  ///< its run, judged by itself and never timed; never null
    std::string problem;                   ///< a sentence: why nothing was recorded; empty: there is a trace
    std::vector<trace::Record> records;    ///< of all workgroups that were recorded
    std::vector<trace::Finding> findings;
    std::vector<std::uint32_t> race_partners;  ///< by record, see trace/findings.h
    std::string file;                          ///< that it was opened from; empty: recorded in this session

    const Experiment& experiment() const { return report->experiment; }
    const trace::Trace& trace() const { return *report->trace; }  ///< where there is no problem
};

}  // namespace gridstride
