#include "present/verdict_words.h"

#include "base/units.h"

namespace gridstride {

Ink ink_of(Status status) {
    return status == Status::ok ? Ink::right : status == Status::wrong_on_purpose ? Ink::caution : Ink::wrong;
}

std::string verdict_word(const Report& report) {
    switch (report.status) {
        case Status::ok:
            return report.compare.max_abs_error == 0 ? "✓ equal" : "✓ right";
        case Status::wrong_on_purpose:
            return "! on purpose";
        case Status::mismatch:
            return "✗ wrong";
        case Status::failed:
            return "✗ failed";
        case Status::timed_out:
            return "✗ deadline";
        case Status::stopped:
            return "✗ stopped";
        case Status::refused:
            return "✗ refused";
        case Status::lost:
            return "✗ lost";
    }
    return "";
}

std::string device_in_words(const std::string& name, bool is_cpu) {
    return name + (is_cpu ? " (software device)" : "");
}

std::string time_in_words(const Summary& times) {
    std::string text = format_time(times.median).text();
    if (times.count > 1) text += " ± " + format_time(times.median_error).text();
    return text;
}

std::string microseconds(const Timing& timing) {
    return timing.samples.empty() ? "–" : format_significant(timing.summary().median / 1e3);
}

std::string message_in_words(const Report& report) {
    if (report.message.empty()) return {};
    if (report.status == Status::stopped) return report.message + " F5 runs it again.";
    if (report.status == Status::lost)
        return report.message + " Change the kernel or the bench, or press F5 to try the same again.";
    return report.message;
}

std::string why_no_times(const Report* report) {
    if (!report) return "Run once to see where the time goes.";
    switch (report->status) {
        case Status::timed_out:
            return "No times: the run reached its deadline before its first sample. Result says what to do.";
        case Status::stopped:
            return "No times: the run was stopped before its first sample. F5 runs it again.";
        case Status::lost:
            return "No times: the lab was lost during the run. Result says what to do.";
        case Status::refused:
            return "No times: the run was refused. Result says why.";
        case Status::failed:
            return "No times: the run failed. Result says why.";
        case Status::ok:
        case Status::wrong_on_purpose:
        case Status::mismatch:
            break;
    }
    return "This run has no times.";
}

}  // namespace gridstride
