#include "ui/desktop/plot_encoder.h"

#include <imgui.h>

#include <memory>

#include "ui/panels/plot_picture.h"
#include "ui/window/canvas.h"

namespace gridstride::ui {

namespace {

constexpr int print_percent = 200;
constexpr float print_width = 1300;  ///< in pixels

class PlotEncoder {
 public:
    PlotEncoder() {
        ImGui::GetIO().IniFilename = nullptr;
        ImGui::GetIO().BackendFlags |= renderer_flags;
        canvas_ = make_offscreen(1, 1);
        theme_ = std::make_unique<Theme>(Mode::light, print_percent / 100.0F);
        set_theme(theme_.get());
    }
    ~PlotEncoder() { set_theme(nullptr); }
    PlotEncoder(const PlotEncoder&) = delete;
    PlotEncoder& operator=(const PlotEncoder&) = delete;

    std::string encode(const Plot& plot) {
        const PlotAction action{PlotFile::png, std::make_shared<const Plot>(plot), {print_width, 0}};
        PlotPicture picture(action, {}, print_percent, PlotPicture::displayed_size(action, {}));
        while (!picture.draw_next_rows(*canvas_)) {
        }
        return encode_png(picture.take());
    }

 private:
    std::unique_ptr<ImGuiContext, void (*)(ImGuiContext*)> imgui_{ImGui::CreateContext(),
                                                                  ImGui::DestroyContext};
    std::unique_ptr<Canvas> canvas_;
    std::unique_ptr<Theme> theme_;
};

}  // namespace

std::function<std::string(const Plot&)> make_plot_encoder() {
    return [encoder = std::make_shared<PlotEncoder>()](const Plot& plot) { return encoder->encode(plot); };
}

}  // namespace gridstride::ui
