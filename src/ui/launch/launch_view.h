// The stage's Launch tab shows the grid, a workgroup or a subgroup as boxes that a drag rotates, and which
// elements each of them processes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "launch/slices.h"
#include "launch/work_range.h"
#include "lesson/lesson.h"
#include "present/box_array.h"
#include "present/launch_boxes.h"

namespace gridstride::ui {

enum class LaunchLevel : std::uint8_t { grid, workgroup, invocation };

/// The inputs that the boxes are computed from.
struct LaunchBoxesKey {
    std::shared_ptr<const PreparedExperiment> prepared;
    std::size_t launch = 0;  ///< index among the plan's dispatches
    LaunchLevel level = LaunchLevel::grid;
    Region part{};       ///< the part of the grid that is shown
    Index3 workgroup{};  ///< chosen
    std::uint64_t subgroup = 0;
    bool operator==(const LaunchBoxesKey&) const = default;
};

struct LaunchView {
    std::size_t launch = 0;
    LaunchLevel level = LaunchLevel::grid;
    std::vector<Region> parts;         ///< merged boxes that were opened, each inside the one before
    Index3 workgroup{}, invocation{};  ///< chosen
    ViewRotation turn = first_turn;
    std::string workgroup_text, invocation_text;

    static constexpr ViewRotation first_turn{0.2F, 0.25F};

    // Recomputed when the key changes. The choice is kept if it is still valid.
    LaunchBoxesKey boxes_key;
    Slicing slicing;
    LaunchBoxes boxes;

    void update(const std::shared_ptr<const PreparedExperiment>& prepared);
    const Dispatch& dispatch() const;  ///< requires update()
    std::uint32_t subgroup_size() const;
    std::uint64_t invocation_number() const;  ///< of the chosen invocation, in its workgroup
    void choose_workgroup(const Index3& place);
    void choose_invocation(const Index3& place);
    /// Opens a box: the workgroups that it is merged from, its workgroup, or its invocation.
    void open_box(std::uint32_t box);
};

/// Draws the tab at the cursor, as wide as the panel. `prepared` must be valid; max_height: of the boxes, in
/// pixels.
void draw_launch(LaunchView& view, const std::shared_ptr<const PreparedExperiment>& prepared,
                 float max_height);

void draw_launch_boxes(LaunchView& view, float max_height);
/// Draws the legend, and the buttons that leave an opened box and reset the rotation.
void draw_launch_legend(LaunchView& view);

}  // namespace gridstride::ui
