#include "gaussian/remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/units.h"
#include "gaussian/plan.h"
#include "gaussian/ways.h"

namespace gridstride::lessons::gaussian {

namespace {

class RemarkWriter {
 public:
    RemarkWriter(const Values& values, Way way, const Limits& limits, const Plan& plan)
        : values_(values),
          mean_(values[key::mean]),
          sigma_(values[key::sigma]),
          way_(way),
          limits_(limits),
          plan_(plan),
          main_(main_dispatch(plan)) {}

    std::vector<Remark> all() && {
        on_doubles();
        on_elements();
        on_grid();
        on_mean();
        on_sigma();
        return std::move(remarks_);
    }

 private:
    template <class K>
    void add(Severity severity, K parameter, std::string text) {
        remarks_.push_back({severity, std::string(parameter.id), std::move(text)});
    }
    void add_on_run(Severity severity, std::string text) {
        remarks_.push_back({severity, "", std::move(text)});
    }

    void on_doubles() {
        if (!computes_in_double(way_)) return;
        if (!limits_.float64)
            add_on_run(Severity::refusal,
                       "This device has no doubles in shaders (shaderFloat64). Choose vec4, which has the "
                       "same loop in f32.");
        else
            add_on_run(Severity::note,
                       "Doubles between load and store; the elements stay f32 in memory, so the same bytes "
                       "move.");
    }

    void on_elements() {
        constexpr std::uint64_t most_of_a_small_job = 4096;
        if (values_[key::elements] <= most_of_a_small_job)
            add(Severity::note, key::elements,
                fmt::format("{} in and out: starting a launch takes longer than computing so few.",
                            format_bytes(static_cast<double>(plan_.least_bytes)).text()));
    }

    void on_grid() {
        const std::uint64_t tile = main_.elements_per_workgroup;
        const std::uint64_t tiles = divide_up(values_[key::elements], tile);
        const std::uint64_t groups = plan_.workgroup_count;
        if (groups > tiles) {
            add(Severity::caution, key::workgroup_count,
                fmt::format("{} of {} workgroups get no elements.", format_count(groups - tiles),
                            format_count(groups)));
        } else if (groups < tiles) {
            add(Severity::note, key::workgroup_count,
                fmt::format("{} tiles of {} elements: each workgroup takes up to {}, one after another.",
                            format_count(tiles), format_count(tile), format_count(divide_up(tiles, groups))));
        }
        if (way_ != Way::per_element && values_[key::workgroup_count] == 0 && groups < tiles &&
            limits_.multiprocessors > 0)
            add(Severity::note, key::workgroup_count,
                fmt::format("auto: as many as keep {} multiprocessors busy.", limits_.multiprocessors));
    }

    void on_mean() {
        const auto as_f32 = static_cast<float>(mean_);
        if (!computes_in_double(way_) && double{as_f32} != mean_)
            add(Severity::note, key::mean,
                fmt::format("{} is no f32: the kernel gets {:.12g}, and the reference does not.", mean_,
                            as_f32));
        // From here on, exp(-z^2 / 2) is below the smallest number that f32 has, 1.4e-45.
        constexpr double zero_in_f32 = 14.37;
        const double nearest = std::clamp(mean_, lowest_x, highest_x);
        if (std::abs(nearest - mean_) > zero_in_f32 * sigma_)
            add(Severity::caution, key::mean,
                fmt::format("The bell is out of sight: every x is at least {} sigma away, and every density "
                            "is 0 in f32.",
                            format_significant(std::abs(nearest - mean_) / sigma_)));
    }

    void on_sigma() {
        add(Severity::note, key::sigma,
            fmt::format("The bell is {} high.",
                        format_significant(1 / (sigma_ * std::sqrt(2 * std::numbers::pi)), 4)));
        const double within =
            static_cast<double>(values_[key::elements]) * 2 * sigma_ / (highest_x - lowest_x);
        constexpr double few = 100;
        if (within < few && std::abs(mean_) < highest_x)
            add(Severity::caution, key::sigma,
                fmt::format("About {} of the x lie within one sigma of the mean, so the estimate of the "
                            "integral is rough.",
                            format_significant(within, 2)));
    }

    const Values& values_;
    double mean_;
    double sigma_;
    Way way_;
    const Limits& limits_;
    const Plan& plan_;
    const Dispatch& main_;
    std::vector<Remark> remarks_;
};

}  // namespace

std::vector<Remark> remarks(const Values& values, std::string_view variant, const Limits& limits) {
    const Plan planned = plan(values, variant, limits);
    return RemarkWriter(values, way_of(variant), limits, planned).all();
}

}  // namespace gridstride::lessons::gaussian
