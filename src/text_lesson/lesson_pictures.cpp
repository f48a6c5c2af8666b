#include "text_lesson/lesson_pictures.h"

#include <algorithm>

#include "figures/sector_ruler.h"
#include "lesson/building_blocks.h"
#include "lesson/metrics.h"

namespace gridstride::text_lesson {

namespace {

/// Returns the word for one of what a plural names: "numbers", "entries".
std::string singular(const std::string& plural) {
    if (plural.ends_with("ies")) return plural.substr(0, plural.size() - 3) + "y";
    return plural.ends_with("s") ? plural.substr(0, plural.size() - 1) : plural;
}

class LessonPictures {
 public:
    LessonPictures(const LessonText& text, Figures& add, const Run& run)
        : text_(text), add_(add), run_(run) {}

    void draw() {
        for (const PictureText& picture : text_.pictures)
            if (!is_of_other_variant(picture)) draw(picture);
    }

 private:
    /// Returns whether the picture shows an output that the run's variant does not write.
    bool is_of_other_variant(const PictureText& picture) const {
        const auto is_in = [&](const auto& names, auto of) {
            return std::ranges::find(names, picture.of, of) != names.end();
        };
        return is_in(text_.outputs, &ArrayText::name) && !is_in(run_.facts.outputs, std::identity());
    }

    void draw(const PictureText& picture) {
        switch (picture.kind) {
            case PictureKind::bars:
            case PictureKind::line:
            case PictureKind::scatter:
            case PictureKind::histogram:
                return draw_numbers(picture);
            case PictureKind::image:
                return draw_image(picture);
            case PictureKind::time_by:
                add_.figure(picture.id, picture.title, {}, {"time", "ns", AxisScale::logarithmic})
                    .latest_by(picture.of, [](const Report& report) { return metric(report, "kernel_ns"); });
                return;
            default:
                // Values that are out of their range have no plan, and no trace.
                if (!run_.plan.steps.empty()) draw_trace(picture);
        }
    }

    PlotArray find_array(const std::string& name) const {
        const PlotArray output = add_.output(name);
        return output ? output : add_.input(name);
    }

    void draw_numbers(const PictureText& picture) {
        const PlotArray array = find_array(picture.of);
        if (!array) return;
        FigureBuilder& figure = add_.figure(picture.id, picture.title, "index", AxisLabel(picture.of));
        if (array.is_output) figure.measured(add_.is_measured());
        if (picture.kind == PictureKind::histogram) return draw_histogram(picture, array, figure);
        if (picture.kind == PictureKind::scatter) {
            if (const PlotArray x = find_array(picture.x))
                figure.x(AxisLabel(picture.x))
                    .scatter(picture.of, x.first(picture.max_elements), array.first(picture.max_elements));
            else
                figure.only_if(false);
            return;
        }
        const bool has_bars = picture.kind == PictureKind::bars;
        if (has_bars)
            figure.bars(picture.of, array.first(picture.max_elements));
        else
            figure.line(picture.of, array.first(picture.max_elements));
        constexpr ColorRole roles[] = {ColorRole::upload, ColorRole::download, ColorRole::cpu,
                                       ColorRole::right};
        for (std::size_t i = 0; i < picture.also.size(); ++i)
            if (const PlotArray other = find_array(picture.also[i])) {
                const ColorRole role = roles[i % std::size(roles)];
                if (has_bars)
                    figure.series(first_numbers(*other.array, picture.max_elements, picture.also[i],
                                                Mark::scatter, role));
                else
                    figure.line(picture.also[i], other.first(picture.max_elements), role);
            }
        if (!picture.also.empty()) figure.y(AxisLabel("number"));
    }

    static void draw_histogram(const PictureText& picture, const PlotArray& array, FigureBuilder& figure) {
        const std::vector<double> numbers = array.sampled(1 << 16).numbers();
        const auto [low, high] = std::ranges::minmax(numbers);
        constexpr std::size_t bins = 32;
        figure.x(AxisLabel(picture.of))
            .y("percent")
            .distribution(picture.of, array, low, high > low ? high : low + 1, bins);
    }

    tensor::Shape shape_of(const std::string& name) const {
        LessonScope scope(text_, run_.values);
        add_launch(scope, run_);
        for (const InputText& input : text_.inputs)
            if (input.name == name) return scope.evaluate_shape(input.shape);
        for (const auto* arrays : {&text_.outputs, &text_.scratch})
            for (const OutputText& array : *arrays)
                if (array.name == name) return scope.evaluate_shape(array.shape);
        return {};
    }

    void draw_image(const PictureText& picture) {
        const PlotArray array = find_array(picture.of);
        if (!array) return;
        Cells cells{.shades = Cells::Shades::viridis};
        cells.numbers.push_back(matrix_corner(picture.of, *array.array, shape_of(picture.of).back()));
        add_.cells(picture.id, picture.title, std::move(cells), "Dark is small, bright is large.",
                   array.is_output ? add_.origin() : Origin::computed);
    }

    void draw_trace(const PictureText& picture) {
        const std::string& of = picture.of;
        const std::string noun = singular(text_.noun);
        switch (picture.kind) {
            case PictureKind::access:
                return add_.access_map(of, noun);
            case PictureKind::passes:
                return add_.recorded(picture.id, picture.title, draw_passes(of, noun));
            case PictureKind::levels:
                return add_.recorded(picture.id, picture.title, draw_levels());
            case PictureKind::conflicts:
                return add_.recorded(picture.id, picture.title,
                                     draw_conflicts({.alone = {"alone at its address", ColorRole::kernel},
                                                     .first = {"first of several", ColorRole::upload},
                                                     .later = {"waits for another", ColorRole::caution},
                                                     .elsewhere = {"no access", ColorRole::quiet}}));
            case PictureKind::sectors:
                return add_.recorded(picture.id, picture.title, &draw_first_load_sectors);
            default:
                return draw_coverage(picture);
        }
    }

    void draw_coverage(const PictureText& picture) {
        constexpr std::uint64_t default_columns = 128;
        LessonScope scope(text_, run_.values);
        add_launch(scope, run_);
        const std::uint64_t columns =
            picture.width.empty() ? default_columns : scope.evaluate_count(picture.width);
        const std::uint64_t count = std::min(tensor::element_count(shape_of(picture.of)),
                                             run_.prepared.lesson->domain_extent(run_.values).product());
        add_.recorded(
            picture.id, picture.title,
            [of = picture.of, noun = singular(text_.noun), count, columns](const auto& trace, auto records) {
                return draw_owners(trace, records, of, count, columns, noun);
            });
    }

    const LessonText& text_;
    Figures& add_;
    const Run& run_;
};

}  // namespace

void draw_pictures(const LessonText& text, Figures& add, const Run& run) {
    LessonPictures(text, add, run).draw();
}

}  // namespace gridstride::text_lesson
