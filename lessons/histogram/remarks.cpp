#include "histogram/remarks.h"

#include <fmt/format.h>

#include <limits>

#include "base/units.h"
#include "histogram/bins.h"
#include "histogram/plan.h"
#include "histogram/ways.h"

namespace gridstride::lessons::histogram {

namespace {

class RemarkWriter {
 public:
    RemarkWriter(const Values& values, std::string_view variant, const Limits& limits)
        : values_(values),
          way_(way_of(variant)),
          limits_(limits),
          plan_(plan(values, variant, limits)),
          bins_(bins_of(values)),
          own_(private_bins(way_, bins_.count, plan_.workgroup_size, limits)) {}

    std::vector<Remark> all() && {
        on_range();
        on_way();
        on_bins();
        on_grid();
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

    void on_range() {
        if (!(bins_.min < bins_.max)) {
            const bool given_in_order = values_[key::range_min] < values_[key::range_max];
            add(Severity::refusal, key::range_max,
                given_in_order
                    ? fmt::format("range_min = {} and range_max = {} are the same f32 number: the range is "
                                  "empty. Give "
                                  "ends that are further apart.",
                                  values_[key::range_min], values_[key::range_max])
                    : fmt::format(
                          "range_min = {} is not below range_max = {}: the range is empty. Give a larger "
                          "range_max or a smaller range_min.",
                          values_[key::range_min], values_[key::range_max]));
            return;
        }
        if (bins_.width < least_width) {
            add(Severity::refusal, key::range_max,
                fmt::format(
                    "A bin would be {:.3g} wide; {:.0e} is the least. Give a wider range or fewer bins.",
                    bins_.width, least_width));
            return;
        }
        // Next to the end that is further from 0 the floats lie furthest apart.
        const float far_end = std::max(std::abs(bins_.min), std::abs(bins_.max));
        const float step = std::nextafter(far_end, std::numeric_limits<float>::infinity()) - far_end;
        if (step > bins_.width)
            add(Severity::caution, key::bins,
                fmt::format("Bins are {:.3g} wide, but near {:.6g} there is one f32 number every {:.3g}: "
                            "some bins stay "
                            "empty because no number falls into them.",
                            bins_.width, far_end, step));
    }

    void on_way() {
        if (way_ == Way::race)
            add_on_run(Severity::caution,
                       "No atomics: counts get lost, and the result says how many. The judge lets losses "
                       "pass here, and "
                       "nothing else.");
        if (way_ == Way::atomic_global && limits_.is_cpu)
            add_on_run(Severity::note,
                       "On a software device few invocations run at the same time, so they hardly meet in a "
                       "bin. On a "
                       "GPU tens of thousands do.");
    }

    void on_bins() {
        if (!has_private_bins(way_)) return;
        const std::string bytes = format_bytes(static_cast<double>(main_dispatch(plan_).shared_bytes)).text();
        if (own_.held < bins_.count) {
            add(Severity::caution, key::bins,
                fmt::format(
                    "Workgroup memory ({}) holds {} of the {} bins; the others are counted in global memory.",
                    bytes, format_count(own_.held), format_count(bins_.count)));
        } else if (way_ == Way::subgroup_replicas) {
            add(Severity::note, key::bins,
                own_.copies == 1
                    ? fmt::format("There is room for one copy of each bin: {} of workgroup memory. This is "
                                  "atomic_shared.",
                                  bytes)
                    : fmt::format("{} copies of each bin: {} of workgroup memory.", own_.copies, bytes));
        } else {
            add(Severity::note, key::bins,
                fmt::format("{} of workgroup memory for each workgroup's bins.", bytes));
        }
    }

    void on_grid() {
        const std::uint64_t tile = main_dispatch(plan_).elements_per_workgroup;
        const std::uint64_t elements = values_[key::elements];
        const std::uint64_t tiles = divide_up(elements, tile);
        const std::uint64_t groups = plan_.workgroup_count;
        if (groups > tiles)
            add(Severity::caution, key::workgroup_count,
                fmt::format("{} of {} workgroups get no numbers.", format_count(groups - tiles),
                            format_count(groups)));
        else if (groups < tiles)
            add(Severity::note, key::workgroup_count,
                fmt::format("{} tiles of {} numbers: each workgroup takes up to {}, one after another.",
                            format_count(tiles), format_count(tile), format_count(divide_up(tiles, groups))));
        const std::uint64_t numbers_each = divide_up(elements, std::min(groups, tiles));
        if (has_private_bins(way_) && numbers_each < own_.held)
            add(Severity::note, key::workgroup_count,
                fmt::format(
                    "A workgroup counts about {} numbers into {} bins and then adds up all the bins. Fewer "
                    "workgroups would add up less often.",
                    format_count(numbers_each), format_count(own_.held)));
    }

    const Values& values_;
    Way way_;
    const Limits& limits_;
    Plan plan_;
    Bins bins_;
    PrivateBins own_;
    std::vector<Remark> remarks_;
};

}  // namespace

std::vector<Remark> remarks(const Values& values, std::string_view variant, const Limits& limits) {
    return RemarkWriter(values, variant, limits).all();
}

}  // namespace gridstride::lessons::histogram
