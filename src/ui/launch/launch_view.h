// The stage's Launch tab: the grid of workgroups as boxes that a drag turns, down to a workgroup and one
// invocation of it, and what each of them takes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "launch/share.h"
#include "launch/slices.h"
#include "lesson/lesson.h"
#include "present/launch_boxes.h"
#include "present/solid.h"

namespace gridstride::ui {

enum class LaunchLevel : std::uint8_t { grid, workgroup, invocation };

/// What the boxes are of.
struct LaunchSubject {
    std::shared_ptr<const Prepared> prepared;
    std::size_t launch = 0;  ///< among the plan's dispatches
    LaunchLevel level = LaunchLevel::grid;
    Region part{};      ///< of the grid
    Place workgroup{};  ///< chosen
    std::uint64_t subgroup = 0;
    bool operator==(const LaunchSubject&) const = default;
};

struct LaunchView {
    std::size_t launch = 0;
    LaunchLevel level = LaunchLevel::grid;
    std::vector<Region> parts;  ///< of the grid, each inside the one before: merged boxes that were opened
    Place workgroup{}, invocation{};  ///< chosen
    Turn turn = first_turn;
    std::string workgroup_text, invocation_text;  ///< as they are typed

    static constexpr Turn first_turn{0.2F, 0.25F};

    /// Made when the subject changes; then what was chosen is kept where it is still there.
    LaunchSubject subject;
    Slicing slicing;
    LaunchBoxes boxes;

    void update(const std::shared_ptr<const Prepared>& prepared);
    const Dispatch& dispatch() const;  ///< after update()
    std::uint32_t subgroup_size() const;
    std::uint64_t invocation_number() const;  ///< of the chosen one, in its workgroup
    void choose_workgroup(const Place& place);
    void choose_invocation(const Place& place);
    /// What a box leads to: the workgroups that it is merged from, its workgroup, its invocation.
    void enter(std::uint32_t box);
};

/// At the cursor, as wide as the panel. prepared must be valid; max_height: pixels, of the boxes.
void draw_launch(LaunchView& view, const std::shared_ptr<const Prepared>& prepared, float max_height);

// Its parts.

void draw_launch_boxes(LaunchView& view, float max_height);
/// What the colours mean, and what leads back.
void draw_launch_legend(LaunchView& view);

}  // namespace gridstride::ui
