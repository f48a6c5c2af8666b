#include "ui/launch/launch_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

constexpr std::uint64_t max_passes = 8;

std::vector<const Dispatch*> find_dispatches(const Plan& plan) {
    std::vector<const Dispatch*> all;
    for (const Step& step : plan.steps)
        if (const auto* dispatch = std::get_if<Dispatch>(&step)) all.push_back(dispatch);
    return all;
}

bool is_in_region(const Region& region, const Index3& place) {
    for (std::size_t dimension = 0; dimension < place.size(); ++dimension)
        if (place[dimension] < region[dimension].first || place[dimension] >= region[dimension].end)
            return false;
    return true;
}

Region single_region(const Index3& place) {
    return {IndexRange{place[0], place[0] + 1}, IndexRange{place[1], place[1] + 1},
            IndexRange{place[2], place[2] + 1}};
}

/// Parses "3", a linear index with x fastest, or "3, 1, 0", with or without brackets. Returns nullopt if it
/// is outside of `in`.
std::optional<Index3> parse_index(std::string_view text, const Extent& in) {
    std::string digits;
    std::ranges::copy_if(text, std::back_inserter(digits),
                         [](char c) { return c != '(' && c != ')' && c != ' '; });
    const std::vector<std::string_view> parts = split(digits, ',');
    Index3 place{};
    if (parts.size() > place.size()) return std::nullopt;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto number = parse_number<std::uint64_t>(parts[i]);
        if (!number) return std::nullopt;
        place[i] = *number;
    }
    const Region all = full_region(in);
    if (parts.size() == 1 && place[0] < count_indices(all)) return index_at(all, place[0]);
    return is_in_region(all, place) ? std::optional(place) : std::nullopt;
}

std::string format_index(const Index3& place, const Extent& in) {
    std::string text = std::to_string(place[0]);
    for (unsigned dimension = 1; dimension < in.dimensions(); ++dimension)
        text += ", " + std::to_string(place[dimension]);
    return text;
}

std::optional<Index3> draw_index_field(const std::string& id, const char* label, std::string& text,
                                       const Index3& chosen, const Extent& in) {
    const Theme& t = theme();
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const ButtonOptions plain{};
    const float height = button_size("‹", plain).y;
    const std::uint64_t number = linear_index(full_region(in), chosen), count = in.product();
    draw_text(ImGui::GetWindowDrawList(), TextStyle::note,
              {start.x, start.y + (height - t.line_height(TextStyle::note)) / 2}, t.palette().quiet, label);
    float x = start.x + text_size(TextStyle::note, label).x + t.px(8);
    std::optional<Index3> index;
    const auto step = [&](const char* which, const char* mark, bool possible, std::uint64_t to) {
        set_cursor({x, start.y});
        if (button(id + which, mark, {.is_enabled = possible})) index = index_at(full_region(in), to);
        x += button_size(mark, plain).x + t.px(4);
    };
    step(".previous", "‹", number > 0, number - 1);
    const float width = t.px(in.dimensions() == 1 ? 72 : 112);
    set_cursor({x, start.y});
    if (text_field(id + ".number", &text, {.width = width})) index = parse_index(text, in).value_or(chosen);
    x += width + t.px(4);
    step(".next", "›", number + 1 < count, number + 1);
    set_cursor({start.x, start.y});
    ImGui::Dummy({x - start.x - t.px(4), height});
    return index;
}

/// Continues the current row if `width` pixels are left there, else starts the next.
void continue_row(float width) {
    const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
    if (ImGui::GetItemRectMax().x + theme().px(16) + width <= right)
        ImGui::SameLine(0, theme().px(16));
    else
        gap(8);
}

void draw_levels(LaunchView& view) {
    static const std::vector<Tab> levels = {
        {"grid", tr("Grid")}, {"workgroup", tr("Workgroup")}, {"invocation", tr("Invocation")}};
    auto level = static_cast<std::size_t>(view.level);
    if (tabs("launch.level", levels, &level)) view.level = static_cast<LaunchLevel>(level);
}

void draw_index_fields(LaunchView& view) {
    const Dispatch& launch = view.dispatch();
    if (const auto index = draw_index_field("launch.workgroup", tr("Workgroup"), view.workgroup_text,
                                            view.workgroup, launch.grid))
        view.choose_workgroup(*index);
    if (view.level == LaunchLevel::grid) return;
    continue_row(theme().px(240));
    if (const auto index = draw_index_field("launch.invocation", tr("Invocation"), view.invocation_text,
                                            view.invocation, launch.workgroup))
        view.choose_invocation(*index);
}

void draw_note(std::string_view id, std::string_view words) {
    named_text(id, TextStyle::note, theme().palette().quiet, words);
}

std::string describe_slice(const LaunchView& view, const ElementsOfInvocation& elements) {
    const std::vector<Slice>& slices = view.slicing.slices;
    if (slices.size() < 2 || elements.max_count == 0) return {};
    const std::uint64_t at = elements.superset[view.dispatch().domain.dimensions() - 1].first;
    const auto behind = std::ranges::upper_bound(slices, at, {}, &Slice::first);
    return tr(", in slice {} of {}", behind - slices.begin(), format_count(slices.size()));
}

void draw_invocation_notes(const LaunchView& view) {
    const Dispatch& launch = view.dispatch();
    const std::uint64_t number = view.invocation_number();
    const std::uint64_t passes = count_passes(launch, view.workgroup);
    Index3 global;
    for (unsigned dimension = 0; dimension < global.size(); ++dimension)
        global[dimension] =
            view.workgroup[dimension] * launch.workgroup.along(dimension) + view.invocation[dimension];
    draw_note("launch.said",
              tr("Invocation {} of workgroup {}: lane {} of subgroup {}. In the launch it is invocation {}.",
                 text_of(view.invocation, launch.workgroup), text_of(view.workgroup, launch.grid),
                 number % view.subgroup_size(), number / view.subgroup_size(), text_of(global, launch.grid)));
    if (passes == 0)
        draw_note("launch.pass.0", tr("Its workgroup makes no pass: it has no element to process."));
    for (std::uint64_t pass = 0; pass < std::min(passes, max_passes); ++pass) {
        const ElementsOfInvocation elements =
            find_elements_of_invocation(launch, view.workgroup, pass, view.invocation);
        draw_note(fmt::format("launch.pass.{}", pass),
                  tr("Pass {} of {}: {}{}.", format_count(pass + 1), format_count(passes),
                     describe_elements(launch, elements), describe_slice(view, elements)));
    }
    if (passes > max_passes)
        draw_note("launch.pass.last",
                  tr("… The last pass: {}.",
                     describe_elements(launch, find_elements_of_invocation(launch, view.workgroup, passes - 1,
                                                                           view.invocation))));
}

void draw_work_notes(const LaunchView& view) {
    const Dispatch& launch = view.dispatch();
    if (view.level == LaunchLevel::invocation) return draw_invocation_notes(view);
    draw_note("launch.said", describe_workgroups(launch, single_region(view.workgroup)));
    if (view.level != LaunchLevel::grid) return;
    for (const std::string& words : describe_launch(launch, view.slicing.slices.size()))
        text_wrapped(TextStyle::note, theme().palette().quiet, words);
}

/// Returns "8 workgroups of 128 invocations", with the extents if there are several dimensions.
std::string launch_title(const Dispatch& launch) {
    const auto count = [](const Extent& extent, const char* one, const char* many) {
        const std::string dimensions =
            extent.dimensions() > 1 ? fmt::format(" ({})", text_of(extent)) : std::string();
        return counted(extent.product(), one, many) + dimensions;
    };
    return count(launch.grid, "workgroup", "workgroups") + tr(" of ") +
           count(launch.workgroup, "invocation", "invocations");
}

void draw_launch_title(const LaunchView& view) {
    const Theme& t = theme();
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x,
                origin = text_size(TextStyle::note, tr("computed")).x;
    text_wrapped(TextStyle::panel_title, t.palette().text, launch_title(view.dispatch()),
                 width - origin - t.px(16));
    draw_text_right(ImGui::GetWindowDrawList(), TextStyle::note,
                    {start.x + width,
                     start.y + (t.line_height(TextStyle::panel_title) - t.line_height(TextStyle::note)) / 2},
                    t.palette().quiet, tr("computed"));
}

}  // namespace

const Dispatch& LaunchView::dispatch() const {
    return *find_dispatches(boxes_key.prepared->plan)[boxes_key.launch];
}

std::uint32_t LaunchView::subgroup_size() const {
    return std::max(1U, boxes_key.prepared->limits.subgroup_size);
}

std::uint64_t LaunchView::invocation_number() const {
    return linear_index(full_region(dispatch().workgroup), invocation);
}

void LaunchView::choose_workgroup(const Index3& place) {
    workgroup = place;
    workgroup_text = format_index(place, dispatch().grid);
}

void LaunchView::choose_invocation(const Index3& place) {
    invocation = place;
    invocation_text = format_index(place, dispatch().workgroup);
}

void LaunchView::update(const std::shared_ptr<const PreparedExperiment>& prepared) {
    const std::vector<const Dispatch*> launches = find_dispatches(prepared->plan);
    launch = std::min(launch, launches.size() - 1);
    const Dispatch& now = *launches[launch];
    const Region grid = full_region(now.grid), invocations = full_region(now.workgroup);
    const bool other = prepared != boxes_key.prepared || launch != boxes_key.launch;
    LaunchBoxesKey key{prepared, launch, level};
    if (other) {
        // An opened box has no meaning in another grid.
        if (!boxes_key.prepared || full_region(dispatch().grid) != grid) parts.clear();
        boxes_key = key;
        choose_workgroup(is_in_region(grid, workgroup) ? workgroup : Index3{});
        choose_invocation(is_in_region(invocations, invocation) ? invocation : Index3{});
    }
    key.part = parts.empty() ? grid : parts.back();
    if (level != LaunchLevel::grid) key.workgroup = workgroup;
    if (level == LaunchLevel::invocation) key.subgroup = invocation_number() / subgroup_size();
    if (!other && key == boxes_key) return;
    boxes_key = key;
    slicing = slice(now, prepared->plan.buffers, prepared->limits);
    boxes = level == LaunchLevel::grid ? make_grid_boxes(now, slicing, boxes_key.part)
            : level == LaunchLevel::workgroup
                ? make_workgroup_boxes(now, workgroup, subgroup_size())
                : make_subgroup_boxes(now, workgroup, boxes_key.subgroup, subgroup_size());
}

void LaunchView::open_box(std::uint32_t box) {
    const Region region = boxes.region_of(box);
    if (level == LaunchLevel::grid) {
        if (!is_in_region(region, workgroup)) choose_workgroup(index_at(region, 0));
        if (boxes.is_merged())
            parts.push_back(region);
        else
            level = LaunchLevel::workgroup;
    } else if (level == LaunchLevel::workgroup) {
        choose_invocation(index_at(region, 0));
        level = LaunchLevel::invocation;
    } else {
        choose_invocation(index_at(full_region(dispatch().workgroup), region[0].first));
    }
}

void draw_launch(LaunchView& view, const std::shared_ptr<const PreparedExperiment>& prepared,
                 float max_height) {
    std::vector<Option> launches;
    for (const Dispatch* dispatch : find_dispatches(prepared->plan))
        launches.push_back({dispatch->label, ""});
    view.update(prepared);
    draw_launch_title(view);
    gap(8);
    draw_levels(view);
    view.update(prepared);
    gap(8);
    draw_launch_boxes(view, max_height);
    gap(4);
    draw_launch_legend(view);
    gap(8);
    view.update(prepared);
    draw_index_fields(view);
    gap(8);
    view.update(prepared);
    draw_work_notes(view);
    if (launches.size() > 1) {
        gap(8);
        choice("launch.of", tr("Launch"), launches, &view.launch, TextStyle::body);
    }
    gap(20);
}

}  // namespace gridstride::ui
