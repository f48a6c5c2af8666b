#include "zero_suppression/remarks.h"

#include <fmt/format.h>

#include "base/units.h"
#include "zero_suppression/plan.h"
#include "zero_suppression/ways.h"

namespace gridstride::lessons::zero_suppression {

namespace {

std::string storage_path(Way way, const Limits& limits) {
    if (way == Way::packed)
        return "Eight samples a load, as 32-bit words: this variant asks for no 16-bit storage.";
    if (way == Way::compact)
        return limits.storage16
                   ? "This device stores single 16-bit numbers: a kept value takes 2 bytes."
                   : "This device cannot store single 16-bit numbers: a kept value takes 4 bytes in "
                     "its memory.";
    return limits.storage16 ? "This device loads and stores single 16-bit numbers: an invocation takes one "
                              "sample at a time."
                            : "This device cannot load or store single 16-bit numbers: an invocation takes a "
                              "32-bit word, two "
                              "samples, at a time.";
}

}  // namespace

std::vector<Remark> remarks(const Values& values, std::string_view variant, const Limits& limits) {
    const Way way = way_of(variant);
    const std::uint64_t threshold = values[key::threshold];
    const std::uint64_t elements = values[key::elements];
    const Plan planned = plan(values, variant, limits);
    std::vector<Remark> all;
    const auto add = [&](Severity severity, std::string_view parameter, std::string text) {
        all.push_back({severity, std::string(parameter), std::move(text)});
    };

    add(Severity::note, "", storage_path(way, limits));
    if (way == Way::compact) {
        add(Severity::note, "",
            "The bandwidth counts the 2 bytes of each sample once. compact reads them twice and writes what "
            "survives, so a share near that of packed is out of reach.");
        const std::uint64_t most = limits.max_binding_bytes / 4;
        if (elements > most)
            add(Severity::refusal, key::elements.id,
                fmt::format(
                    "compact keeps room for a position of 4 bytes for every sample, bound in one piece; "
                    "this device binds {} at most (maxStorageBufferRange), room for {} samples.",
                    format_bytes(static_cast<double>(limits.max_binding_bytes)).text(), format_count(most)));
    }

    if (threshold == 0)
        add(Severity::note, key::threshold.id,
            values[key::rule] == Rule::magnitude ? "No magnitude is below 0: every sample survives."
                                                 : "Only negative samples are below 0.");

    const Dispatch& main = main_dispatch(planned);
    const std::uint64_t passes = divide_up(elements, main.elements_per_workgroup * main.workgroup_count);
    if (way == Way::per_sample && values[key::workgroup_count] == 0 && passes > 1)
        add(Severity::note, key::workgroup_count.id,
            fmt::format(
                "One invocation for each sample would take more than the {} workgroups that this device "
                "allows, so the grid goes over the samples {} times.",
                format_count(limits.max_workgroup_count), format_count(passes)));
    return all;
}

}  // namespace gridstride::lessons::zero_suppression
