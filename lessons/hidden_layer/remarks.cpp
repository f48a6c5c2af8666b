#include "hidden_layer/remarks.h"

#include <fmt/format.h>

#include "base/units.h"
#include "hidden_layer/plan.h"
#include "lesson/slices.h"

namespace gridstride::lessons::hidden_layer {

namespace {

/// e^v is beyond the largest f32 from here on: ln(3.4e38).
constexpr double largest_exponent = 88.72;
/// Below this, starting launches takes longer than their work on any device.
constexpr std::uint64_t few_elements = 4096;

std::string bytes_text(std::uint64_t bytes) {
    return format_bytes(static_cast<double>(bytes)).text();
}

class RemarkWriter {
 public:
    RemarkWriter(const Values& values, std::string_view variant, const Limits& limits)
        : values_(values), limits_(limits), plan_(plan(values, variant, limits)) {
        for (const Step& step : plan_.steps)
            trips_ += std::holds_alternative<Download>(step);
    }

    std::vector<Remark> all() && {
        on_bytes();
        on_slices();
        on_grid();
        on_formula();
        return std::move(remarks_);
    }

 private:
    void add(Severity severity, std::string_view parameter, std::string text) {
        remarks_.push_back({severity, std::string(parameter), std::move(text)});
    }

    void on_bytes() {
        const std::uint64_t n = values_[key::elements];
        const std::uint64_t each = traffic(plan_).by_kernels / n;
        add(Severity::note, "",
            each * n == plan_.least_bytes
                ? fmt::format("The kernel moves {} bytes an element: the least there is.", each)
                : fmt::format("The kernels move {} bytes an element; {} is the least.", each,
                              plan_.least_bytes / n));
        if (limits_.is_cpu && trips_ > 1)
            add(Severity::note, "",
                "On a software device a trip is a copy within the computer's own memory. A GPU's crosses a "
                "bus.");
        if (n <= few_elements)
            add(Severity::note, key::elements.id,
                "So few pixels that starting the launches is most of the time.");
    }

    void on_slices() {
        const std::size_t slices = slice(main_dispatch(plan_), plan_.buffers, limits_).slices.size();
        if (slices > 1)
            add(Severity::note, key::elements.id,
                fmt::format(
                    "Each array is {}; this device binds {} at a time, so a launch runs as {} dispatches.",
                    bytes_text(4 * values_[key::elements]), bytes_text(limits_.max_binding_bytes),
                    format_count(slices)));
    }

    void on_grid() {
        const Dispatch& main = main_dispatch(plan_);
        const std::uint64_t tile = main.elements_per_workgroup;
        const std::uint64_t tiles = (main.elements + tile - 1) / tile;
        const std::uint64_t groups = plan_.workgroup_count;
        if (groups > tiles)
            add(Severity::caution, key::workgroup_count.id,
                fmt::format("{} of {} workgroups get no pixels: an invocation takes four at a time.",
                            format_count(groups - tiles), format_count(groups)));
        else if (groups < tiles)
            add(Severity::note, key::workgroup_count.id,
                fmt::format("{} tiles of {} pixels: each workgroup takes up to {}, one after another.",
                            format_count(tiles), format_count(tile),
                            format_count((tiles + groups - 1) / groups)));
        if (limits_.multiprocessors > 0 && groups < limits_.multiprocessors && groups < tiles)
            add(Severity::caution, key::workgroup_count.id,
                fmt::format("{} of {} multiprocessors have nothing to do.", limits_.multiprocessors - groups,
                            limits_.multiprocessors));
    }

    void on_formula() {
        const double gain = values_[key::gain];
        if (gain == 0) add(Severity::note, key::gain.id, "Every activation is tanh(0) = 0.");
        if (values_[key::formula] == Formula::stable) return;
        add(Severity::caution, key::formula.id,
            "Near v = 0 the difference of two numbers close to 1 has few digits left: relative to the small "
            "answer the "
            "error is large.");
        // 254 / 255 times a weight; of a hundred million weights the largest is near 1.06.
        if (gain * 1.06 > largest_exponent)
            add(Severity::caution, key::gain.id,
                fmt::format(
                    "v goes up to about {}. Above {} e^v is more than f32 can hold, and infinity divided by "
                    "infinity is not a number.",
                    format_significant(gain, 2), largest_exponent));
    }

    const Values& values_;
    const Limits& limits_;
    Plan plan_;
    std::size_t trips_ = 0;  ///< back to the host
    std::vector<Remark> remarks_;
};

}  // namespace

std::vector<Remark> remarks(const Values& values, std::string_view variant, const Limits& limits) {
    return RemarkWriter(values, variant, limits).all();
}

}  // namespace gridstride::lessons::hidden_layer
