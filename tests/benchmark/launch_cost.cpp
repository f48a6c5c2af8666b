// The window's own work for a frame while a launch is turned, a drag of the mouse in each: of 65 535 x 3
// workgroups, and of as many as draw the most boxes. Without a display: the frames are laid out, not
// presented; what they take is time of the processor.
//
//     build/release/bin/launch_cost
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/statistics.h"
#include "benchmark/laid_out_window.h"
#include "lesson/lesson.h"
#include "session/fake_lab.h"

namespace gridstride {

namespace lessons::checkered {
const Lesson& lesson();  // tests/lessons: of rows and columns
}

// The lessons of this program.
std::span<const Lesson* const> all_lessons() {
    static const Lesson* const all[] = {&lessons::checkered::lesson()};
    return all;
}
const Lesson* find_lesson(std::string_view id) {
    return all_lessons().front()->id == id ? all_lessons().front() : nullptr;
}

namespace {

constexpr int turned_frames = 2000;

void print_row(std::string_view what, const std::vector<double>& times) {
    fmt::print("{:<36} {:>9.3f} {:>9.3f} {:>9.3f}\n", what, median(times), quantile(times, 0.99),
               *std::ranges::max_element(times));
}

ui::Rect boxes_on_screen() {
    for (const ui::WidgetRect& widget : ui::widget_map())
        if (widget.id == "launch.boxes") return {widget.min, widget.max};
    throw std::runtime_error("The Launch tab shows no boxes.");
}

void turn(std::string_view what, std::uint64_t columns, std::uint64_t rows) {
    ui::FakeLab lab;
    Session session(lab, "en");
    session.open(lessons::checkered::lesson(), 0);
    session.pump();  // the device is there
    for (const auto& [id, value] : {std::pair("columns", columns), std::pair("rows", rows)})
        session.set_value(id, value);
    session.set_value("workgroup", Extent{1, 1});
    if (!session.valid() || session.asked()->plan.main().grid != Extent{columns, rows})
        throw std::runtime_error(fmt::format("A launch of {} x {} cannot be made.", columns, rows));
    session.stop();

    LaidOutWindow window(session, "launch");
    std::vector<double> still, turned;
    for (int i = 0; i < 10; ++i)
        window.draw();
    for (int i = 0; i < turned_frames; ++i)
        still.push_back(window.draw());
    const ui::Rect boxes = boxes_on_screen();
    const Turn before = window.workspace().launch.turn;
    window.draw([&] { ui::feed_mouse_position(boxes.centre()); });
    for (int i = 0; i < turned_frames; ++i) {
        const float angle = static_cast<float>(i) * 0.05F;
        turned.push_back(window.draw([&] {
            ui::feed_mouse_position(boxes.centre() + 80.0F * glm::vec2(std::sin(angle), std::cos(angle)));
            ui::feed_mouse_button(0, true);
        }));
    }
    if (window.workspace().launch.turn == before) throw std::runtime_error("The drag turned nothing.");
    fmt::print("{}: {} boxes, {} vertices a frame\n", what, window.workspace().launch.boxes.solid.count,
               ImGui::GetDrawData()->TotalVtxCount);
    print_row("  at rest", still);
    print_row("  turned", turned);
}

}  // namespace
}  // namespace gridstride

int main() {
    fmt::print("{:<36} {:>9} {:>9} {:>9}   budget {} (p99)\n", "own work of a frame at 1600x1000, ms",
               "median", "p99", "max", gridstride::frame_budget_ms);
    gridstride::turn("65535 x 3 workgroups", 65535, 3);
    gridstride::turn("4096 x 2048 workgroups", 4096, 2048);
}
