#include "ui/panels/plot_picture.h"

#include <algorithm>
#include <cmath>

#include "ui/plot/draw_plot.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

constexpr float picture_padding = 16;
/// Number of frames until the layout is stable and animations have ended.
constexpr int layout_frames = 3;
/// With a software driver, a large picture takes longer than a frame of the window.
constexpr std::uint32_t pixels_per_frame = 1U << 19;
/// Height of the canvas when the height of the content is measured.
constexpr float measuring_height = 16384;

/// Makes the picture's ImGui context, widgets and theme current; the destructor restores those of the window.
class ContextScope {
 public:
    explicit ContextScope(ImGuiContext* context) : window_(ImGui::GetCurrentContext()), theme_(&theme()) {
        ImGui::SetCurrentContext(context);
    }
    ~ContextScope() {
        ImGui::SetCurrentContext(window_);
        set_theme(theme_);
    }
    ContextScope(const ContextScope&) = delete;
    ContextScope& operator=(const ContextScope&) = delete;

 private:
    WidgetScope widgets_;
    ImGuiContext* window_;
    const Theme* theme_;
};

/// `height`: of the plot. Returns the y at which the content ends.
float draw_content(const PlotAction& action, PlotView& view, float height, float bottom) {
    const Theme& t = theme();
    const Plot& plot = *action.plot;
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const float width = content_width();
    const std::string_view origin = tr(name(plot.origin));
    const float origin_width = text_size(TextStyle::note, origin).x;
    draw_text_right(
        ImGui::GetWindowDrawList(), TextStyle::note,
        {start.x + width, start.y + t.line_height(TextStyle::panel_title) - t.line_height(TextStyle::note)},
        t.palette().quiet, origin);
    text_wrapped(TextStyle::panel_title, t.palette().text, plot.title, width - origin_width - t.px(16));
    if (!plot.note.empty()) text_wrapped(TextStyle::note, t.palette().quiet, plot.note);
    gap(8);
    if (bottom > 0) height = std::max(t.px(48), bottom - ImGui::GetCursorScreenPos().y);
    draw_plot("picture.plot", plot, view, {width, height}, action.is_stale);
    return ImGui::GetCursorScreenPos().y - ImGui::GetStyle().ItemSpacing.y;
}

}  // namespace

PlotPicture::PlotPicture(const PlotAction& action, const PlotView& view, int percent, glm::uvec2 size)
    : context_(ImGui::CreateContext(percent == theme_percent() ? shareable_fonts() : nullptr),
               ImGui::DestroyContext),
      size_(size),
      image_{.width = size.x, .height = size.y, .rgba = {}} {
    const ImGuiStyle style = ImGui::GetStyle();
    const ImFontAtlas* const window_fonts = ImGui::GetIO().Fonts;
    const Mode mode = theme().mode();
    const ContextScope apart(context_.get());
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.BackendFlags = renderer_flags;
    if (io.Fonts == window_fonts) {
        ImGui::GetStyle() = style;
        io.FontDefault = theme().font(TextStyle::body);
    } else {
        own_theme_.emplace(mode, static_cast<float>(percent) / 100);
        set_theme(&*own_theme_);
    }
    const bool fills = size.y > 0;
    lay_out(action, view, {size.x, fills ? static_cast<float>(size.y) : measuring_height}, fills);
    image_.rgba.reserve(std::size_t{4} * size.x * size.y);
}

PlotPicture::~PlotPicture() = default;

void PlotPicture::lay_out(const PlotAction& action, const PlotView& view, glm::vec2 size, bool fills_height) {
    const Theme& t = theme();
    PlotView own = view;
    own.is_static_image = true;
    own.state.reset();  // the picture has no hover, drag or animation
    const float padding = std::round(t.px(picture_padding));
    ImGui::GetIO().DisplaySize = size;
    for (int i = 0; i < layout_frames; ++i) {
        ImGui::GetIO().DeltaTime = 1.0F / 60;
        ImGui::NewFrame();
        begin_widgets();
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize(size);
        ImGui::PushStyleColor(ImGuiCol_WindowBg, t.palette().ground);
        ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
        ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {padding, padding});
        ImGui::Begin("picture", nullptr,
                     ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                         ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoInputs);
        ImGui::PopStyleVar(3);
        ImGui::PopStyleColor();
        height_ = std::ceil(draw_content(action, own, action.size.y, fills_height ? size.y - padding : 0)) +
                  padding;
        ImGui::End();
        ImGui::Render();
    }
}

bool PlotPicture::draw_next_rows(Canvas& canvas) {
    const auto from = static_cast<std::uint32_t>(image_.rgba.size() / 4 / size_.x);
    const std::uint32_t rows = std::min(size_.y - from, std::max(1U, pixels_per_frame / size_.x));
    if (!drawing_) drawing_ = canvas.draw_context(*context_);
    const Image strip = drawing_->draw({0, from}, {size_.x, rows});
    image_.rgba.insert(image_.rgba.end(), strip.rgba.begin(), strip.rgba.end());
    return from + rows >= size_.y;
}

glm::uvec2 PlotPicture::displayed_size(const PlotAction& action, const PlotView& view) {
    const float width = std::ceil(action.size.x) + 2 * std::round(theme().px(picture_padding));
    const PlotPicture measured(action, view, theme_percent(), {width, 0});
    return {width, measured.height_};
}

int theme_percent() {
    return static_cast<int>(std::lround(theme().scale() * 100));
}

}  // namespace gridstride::ui
