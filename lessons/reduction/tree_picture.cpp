#include "reduction/tree_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"

namespace gridstride::lessons::reduction {

namespace {

enum Cell : std::uint8_t { idle, adds, is_read };

using Cells = std::vector<std::uint8_t>;

class Levels {
 public:
    explicit Levels(std::uint64_t size) : size_(size) {
        lanes_.cell_name = "invocation";
        lanes_.kinds = {{"idle", Ink::quiet}, {"adds", Ink::kernel}, {"its value is read", Ink::upload}};
    }

    Cells all(Cell cell) const { return Cells(size_, cell); }

    void add(std::string label, Cells cells, std::string note) {
        lanes_.lanes.push_back({std::move(label), std::move(cells), std::move(note)});
    }

    /// With the note that counts who adds.
    void add(std::string label, Cells cells) {
        const auto busy = std::count(cells.begin(), cells.end(), std::uint8_t{adds});
        add(std::move(label), std::move(cells),
            fmt::format("{} of {} add", format_count(static_cast<std::uint64_t>(busy)), format_count(size_)));
    }

    void add_interleaved_tree() {
        std::uint64_t level = 1;
        for (std::uint64_t stride = 1; stride < size_; stride *= 2, ++level) {
            Cells cells = all(idle);
            for (std::uint64_t lane = 0; lane + stride < size_; lane += 2 * stride) {
                cells[lane] = adds;
                cells[lane + stride] = is_read;
            }
            add(fmt::format("level {}", level), std::move(cells));
        }
    }

    void add_sequential_tree() {
        std::uint64_t level = 1;
        for (std::uint64_t values = size_; values > 1; ++level) {
            const std::uint64_t keep = (values + 1) / 2;
            Cells cells = all(idle);
            for (std::uint64_t lane = 0; lane + keep < values; ++lane) {
                cells[lane] = adds;
                cells[lane + keep] = is_read;
            }
            add(fmt::format("level {}", level), std::move(cells));
            values = keep;
        }
    }

    void add_subgroups(std::uint64_t width) {
        const std::uint64_t subgroups = divide_up(size_, width);
        add("subgroups", all(adds),
            subgroups == 1 ? fmt::format("one subgroup of {}", size_)
                           : fmt::format("{} subgroups, up to {} wide", subgroups, width));
        if (subgroups == 1) return;
        Cells memory = all(idle);
        for (std::uint64_t first = 0; first < size_; first += width)
            memory[first] = is_read;
        add("memory", std::move(memory), fmt::format("{} sums stored, one barrier", subgroups));
        Cells first_subgroup = all(idle);
        std::fill_n(first_subgroup.begin(), std::min(width, subgroups), std::uint8_t{adds});
        add("first subgroup", std::move(first_subgroup));
    }

    Lanes take() && { return std::move(lanes_); }

 private:
    std::uint64_t size_;
    Lanes lanes_;
};

}  // namespace

Plot tree_picture(Way way, std::uint64_t workgroup_size, std::uint64_t numbers, std::uint64_t passes,
                  const Limits& limits) {
    Levels levels(workgroup_size);
    Plot plot{.id = "tree",
              .title = "The tree in workgroup 0",
              .origin = Origin::computed,
              .content = Lanes{},
              .note = {}};
    switch (way) {
        case Way::atomic_global: {
            plot.title = "Workgroup 0: no tree";
            plot.note =
                "All of them add to the same number in global memory, which takes one addition at a time.";
            Cells cells = levels.all(idle);
            std::fill_n(cells.begin(), std::min(workgroup_size, numbers), std::uint8_t{adds});
            levels.add("atomic", std::move(cells));
            break;
        }
        case Way::tree_interleaved:
            levels.add_interleaved_tree();
            break;
        case Way::tree_sequential:
            levels.add_sequential_tree();
            break;
        case Way::tree_first_add: {
            Cells cells = levels.all(idle);
            // Invocation i also loads number size + i, where there is one.
            const std::uint64_t second = numbers > workgroup_size ? numbers - workgroup_size : 0;
            std::fill_n(cells.begin(), std::min(workgroup_size, second), std::uint8_t{adds});
            levels.add("load", std::move(cells));
            levels.add_sequential_tree();
            break;
        }
        case Way::grid_stride:
        case Way::subgroup:
        case Way::single_pass: {
            Cells cells = levels.all(idle);
            std::fill_n(cells.begin(), std::min(workgroup_size, divide_up(numbers, 4)), std::uint8_t{adds});
            levels.add("load", std::move(cells),
                       fmt::format("up to {} numbers each", format_count(4 * passes)));
            if (uses_subgroups(way)) {
                plot.title = "Subgroups in workgroup 0";
                levels.add_subgroups(limits.subgroup_size);
            } else {
                levels.add_sequential_tree();
            }
            if (way == Way::single_pass)
                plot.note = "The workgroup that is done last does this once more, with the partial sums.";
            break;
        }
    }
    if ((way == Way::tree_interleaved || way == Way::tree_sequential || way == Way::tree_first_add) &&
        passes > 1)
        plot.note = fmt::format("Workgroup 0 does this {} times, once a tile.", format_count(passes));
    Lanes lanes = std::move(levels).take();
    if (lanes.lanes.empty())
        lanes.lanes.push_back({"level 0", Cells(workgroup_size, idle), "one invocation: nothing to add"});
    plot.content = std::move(lanes);
    return plot;
}

}  // namespace gridstride::lessons::reduction
