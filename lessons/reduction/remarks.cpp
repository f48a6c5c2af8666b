#include "reduction/remarks.h"

#include <fmt/format.h>

#include "base/units.h"
#include "reduction/plan.h"
#include "reduction/reference.h"
#include "reduction/ways.h"

namespace gridstride::lessons::reduction {

namespace {

class RemarkWriter {
 public:
    RemarkWriter(const Values& values, Way way, const Limits& limits, const Plan& plan)
        : values_(values), way_(way), limits_(limits), plan_(plan), main_(main_dispatch(plan)) {}

    std::vector<Remark> all() && {
        on_device();
        on_elements();
        on_grid();
        on_element_type();
        on_finish();
        if (values_[key::barriers] == Barriers::one_missing) on_missing_barrier();
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

    void on_device() {
        if (uses_subgroups(way_) && !(limits_.subgroup_arithmetic && limits_.subgroup_ballot))
            add_on_run(
                Severity::refusal,
                "This device lacks subgroup arithmetic or ballots in compute shaders. Choose grid_stride, "
                "which does the same with workgroup memory.");
        const std::uint64_t partial_bytes = plan_.workgroup_count * byte_size(storage(values_));
        if (way_ != Way::atomic_global && partial_bytes > limits_.max_binding_bytes)
            add(Severity::refusal, key::workgroup_count,
                fmt::format("{} partial sums are {}; a buffer can be bound with up to {} on this device "
                            "(maxStorageBufferRange). Give fewer workgroups.",
                            format_count(plan_.workgroup_count),
                            format_bytes(static_cast<double>(partial_bytes)).text(),
                            format_bytes(static_cast<double>(limits_.max_binding_bytes)).text()));
        if (way_ == Way::atomic_global && limits_.is_cpu)
            add_on_run(Severity::note,
                       "On a software device an atomic addition costs little more than a plain one, so this "
                       "variant can "
                       "beat the trees here. On a GPU thousands of invocations queue for the one address.");
    }

    void on_elements() {
        const std::uint64_t elements = values_[key::elements];
        if (elements > most_elements_of_a_small_sum) return;
        const std::string bytes = format_bytes(static_cast<double>(plan_.least_bytes)).text();
        add(Severity::note, key::elements,
            fmt::format("{}: starting a launch takes longer than adding so few numbers.", bytes));
    }

    void on_grid() {
        const std::uint64_t tile = main_.elements_per_workgroup;
        const std::uint64_t tiles = divide_up(values_[key::elements], tile);
        const std::uint64_t groups = plan_.workgroup_count;
        if (groups > tiles) {
            add(Severity::caution, key::workgroup_count,
                fmt::format("{} of {} workgroups get no numbers{}.", format_count(groups - tiles),
                            format_count(groups),
                            way_ == Way::atomic_global ? "" : ": their partial sums are 0"));
        } else if (groups < tiles) {
            add(Severity::note, key::workgroup_count,
                fmt::format("{} tiles of {} numbers: each workgroup takes up to {}, one after another.",
                            format_count(tiles), format_count(tile), format_count(divide_up(tiles, groups))));
        }
        if (sums_before_tree(way_) && values_[key::workgroup_count] == 0 && groups < tiles &&
            limits_.multiprocessors > 0)
            add(Severity::note, key::workgroup_count,
                fmt::format("auto: as many as keep {} multiprocessors busy.", limits_.multiprocessors));
    }

    void on_element_type() {
        if (values_[key::element_type] == Element::u32) {
            const double n = static_cast<double>(values_[key::elements]);
            if (n * (n + 1) / 2 >= 0x1p32)
                add(Severity::note, key::element_type,
                    "1 + 2 + … + n is beyond 4 294 967 295 here: GPU and CPU keep it modulo 2^32, and "
                    "agree.");
            return;
        }
        const double bound = rounding_bound(longest_chains(plan_).total, values_[key::elements]);
        add(bound > 1e-3 ? Severity::caution : Severity::note, key::element_type,
            fmt::format(
                "Every addition rounds. In this order the total may be off by {} of the numbers' magnitude, "
                "and is called right within that.",
                format_percent(bound).text()));
        if (way_ == Way::atomic_global && !limits_.float32_atomic_add)
            add(Severity::note, key::element_type,
                "This device cannot add f32 atomically: the kernel compares and swaps until no one came "
                "between.");
        if (way_ == Way::atomic_global)
            add(Severity::note, key::element_type,
                "The order of the additions, and so the last digits, differ from run to run.");
    }

    void on_finish() {
        if (values_[key::finish] == Finish::gpu) return;
        if (way_ == Way::atomic_global)
            add(Severity::note, key::finish,
                "atomic_global has no partial sums: there is nothing left for the CPU.");
        if (way_ == Way::single_pass)
            add(Severity::note, key::finish, "single_pass always finishes by itself, in its only launch.");
    }

    void on_missing_barrier() {
        const std::uint64_t size = values_[key::workgroup_size];
        if (way_ == Way::atomic_global) {
            add(Severity::note, key::barriers, "atomic_global has no barrier, so none is missing.");
        } else if (size == 1) {
            add(Severity::note, key::barriers, "A workgroup of one waits for nobody: nothing can go wrong.");
        } else if (way_ == Way::tree_interleaved) {
            add(Severity::caution, key::barriers,
                "Here the first level reads a neighbour, nearly always of the same subgroup, so the missing "
                "barrier may "
                "not show; nothing promises that it will not.");
        } else if (size <= limits_.subgroup_size) {
            add(Severity::caution, key::barriers,
                "One subgroup often runs in step, so the missing barrier may not show; nothing promises that "
                "it will not.");
        } else {
            add(Severity::caution, key::barriers,
                "Invocations may add what others have not stored yet. A right answer would be luck.");
        }
    }

    static constexpr std::uint64_t most_elements_of_a_small_sum = 4096;

    const Values& values_;
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

}  // namespace gridstride::lessons::reduction
