#include "text_lesson/lesson_pictures.h"

#include <algorithm>
#include <cstring>

#include "base/language.h"
#include "base/text.h"
#include "figures/active_lanes.h"
#include "figures/address_accesses.h"
#include "figures/bank_turns.h"
#include "figures/sector_ruler.h"
#include "figures/workgroup_placements.h"
#include "lesson/building_blocks.h"
#include "lesson/metrics.h"
#include "lesson/nouns.h"
#include "tensor_lesson/pictures.h"
#include "text_lesson/lesson_data.h"

namespace gridstride::text_lesson {

namespace {

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
        return picture.example.empty() && is_in(text_.outputs, &ArrayText::name) &&
               !is_in(run_.facts.outputs, std::identity());
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
            case PictureKind::cells:
                return draw_cells(picture);
            case PictureKind::time_by:
                add_.figure(picture.id, picture.title, {}, {tr("time"), "ns", AxisScale::logarithmic})
                    .latest_by(
                        picture.of,
                        [per = picture.per](const Report& report) {
                            const std::optional<double> time = metric(report, "kernel_ns"),
                                                        divisor = per.empty() ? 1 : metric(report, per);
                            return time && divisor && *divisor > 0 ? std::optional(*time / *divisor)
                                                                   : std::nullopt;
                        },
                        [&](const Report& report) {
                            return std::ranges::all_of(picture.same, [&](const std::string& parameter) {
                                return report.experiment.values.at(parameter) == run_.values.at(parameter);
                            });
                        });
                return;
            case PictureKind::memory:
                if (!run_.plan.steps.empty())
                    add_.plot(tensor_lesson::make_memory_plot(run_.plan, picture.id, picture.title));
                return;
            default:
                if (!picture.example.empty()) return draw_example(picture);
                // Values that are out of their range have no plan, and no trace.
                if (!run_.plan.steps.empty()) draw_trace(picture);
        }
    }

    PlotArray find_array(const std::string& name) const {
        const PlotArray output = add_.output(name);
        if (!output) return find_input(name);
        const std::optional<std::uint32_t> fill = find_output(text_, name).fill;
        const bool has_words = byte_size(output.array->type()) == sizeof *fill;
        return fill.value_or(0) == 0 || !has_words ? output : without_fill(output, *fill);
    }

    /// Above max_computed_elements there is no report before a run. Inputs for drawings need none.
    PlotArray find_input(const std::string& name) const {
        if (add_.report()) return add_.input(name);
        ArrayRef array = make_constant_input(text_, run_.values, name);
        const std::size_t count = array ? array->count() : 0;
        return {std::move(array), false, count, count};
    }

    /// Draws unwritten elements as 0. The fill may be so large that nothing else would be visible.
    static PlotArray without_fill(PlotArray output, std::uint32_t fill) {
        constexpr std::size_t max_elements = 1 << 24;
        Array numbers = copy_slice(*output.array, 0, std::min(output.array->count(), max_elements));
        const std::span<std::byte> bytes = numbers.raw();
        for (std::size_t at = 0; at + sizeof fill <= bytes.size(); at += sizeof fill)
            if (std::memcmp(&bytes[at], &fill, sizeof fill) == 0) std::memset(&bytes[at], 0, sizeof fill);
        output.array = share(std::move(numbers));
        output.count = std::min(output.count, output.array->count());
        return output;
    }

    /// Returns the elements of an array without the padding of its buffer.
    std::size_t count_own(const std::string& name, const PlotArray& array) const {
        return std::min<std::size_t>(tensor::element_count(shape_of(name)), array.count);
    }

    void draw_numbers(const PictureText& picture) {
        const PlotArray array = find_array(picture.of);
        if (!array) return;
        FigureBuilder& figure = add_.figure(picture.id, picture.title, tr("index"));
        if (!picture.rows.empty()) figure.x({}).tick_names(picture.rows);
        if (array.is_output) figure.measured(add_.is_measured());
        if (!picture.note.empty()) figure.note(picture.note);
        figure.y({!picture.y_label.empty() ? picture.y_label
                  : picture.also.empty()   ? picture.of
                                           : tr("number"),
                  picture.y_scale});
        if (picture.kind == PictureKind::histogram) return draw_histogram(picture, array, figure);
        if (picture.kind == PictureKind::scatter) {
            if (const PlotArray x = find_array(picture.x))
                figure.x(AxisLabel(picture.x))
                    .scatter(picture.of, x.first(picture.max_elements), array.first(picture.max_elements));
            else
                figure.only_if(false);
            return;
        }
        const bool has_bars = picture.kind != PictureKind::line;
        if (has_bars) {
            draw_bars(picture, array, figure);
            if (picture.outline) figure.outline(picture.of);
        } else
            figure.line(picture.of, array.first(picture.max_elements));
        constexpr ColorRole roles[] = {ColorRole::upload, ColorRole::download, ColorRole::cpu,
                                       ColorRole::right};
        for (std::size_t i = 0; i < picture.also.size(); ++i)
            if (const PlotArray other = find_array(picture.also[i])) {
                const ColorRole role = roles[i % std::size(roles)];
                if (has_bars)
                    figure.series({.label = picture.also[i],
                                   .mark = Mark::scatter,
                                   .color_role = role,
                                   .y = other.first(picture.max_elements).numbers()});
                else
                    figure.line(picture.also[i], other.first(picture.max_elements), role);
            }
    }

    /// Draws the array's own elements, and those behind it in another color.
    void draw_bars(const PictureText& picture, const PlotArray& array, FigureBuilder& figure) const {
        const std::size_t own = count_own(picture.of, array),
                          end = std::min<std::size_t>(array.count, picture.max_elements);
        if (own == array.count) return static_cast<void>(figure.bars(picture.of, array.first(end)));
        figure.bars(picture.of, array.row(own).first(end));
        Series padding{.label = tr("behind the array"), .mark = Mark::bars, .color_role = ColorRole::wrong};
        for (std::size_t i = own; i < end; ++i) {
            padding.x.push_back(static_cast<double>(i));
            padding.y.push_back(array.array->number(i));
        }
        if (!padding.x.empty()) figure.series(std::move(padding));
        figure.marker({static_cast<double>(own) - 0.5, tr("the array ends")});
    }

    void draw_histogram(const PictureText& picture, const PlotArray& array, FigureBuilder& figure) const {
        const std::vector<double> numbers = array.sampled(1 << 16).numbers();
        const auto [low, high] = std::ranges::minmax(numbers);
        LessonScope scope(text_, run_.values);
        add_launch(scope, run_);
        const double marker = scope.evaluate_number(picture.marker, high);
        if (!picture.marker.empty())
            figure.marker({marker, scope.substitute_expressions(picture.marker_label)});
        if (tensor::is_integer(array.array->type())) {
            constexpr double max_bins = 48;
            const double reach = std::max(marker, high) - low,
                         width = std::max(1.0, std::ceil((reach + 1) / max_bins));
            figure.x(AxisLabel(picture.of))
                .histogram(picture.y_label, numbers, low - 0.5, width,
                           static_cast<std::size_t>(reach / width) + 1, ColorRole::kernel);
            return;
        }
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

    /// Returns the word for an element of the array: the lesson's noun names elements of the domain.
    std::string element_noun(const std::string& name) const {
        const std::uint64_t elements = run_.prepared.lesson->domain_extent(run_.values).product();
        return tensor::element_count(shape_of(name)) == elements ? singular(text_.noun) : tr("element");
    }

    void draw_image(const PictureText& picture) {
        const PlotArray array = find_array(picture.of);
        if (!array) return;
        LessonScope scope(text_, run_.values);
        add_launch(scope, run_);
        const std::uint64_t columns =
            picture.width.empty() ? shape_of(picture.of).back() : scope.evaluate_count(picture.width);
        if (count_own(picture.of, array) <= columns) {
            PictureText bars = picture;
            bars.also.clear();  // pictures beside it
            return draw_numbers(bars);
        }
        Cells cells{.shades = picture.is_grey ? Cells::Shades::grey : Cells::Shades::viridis};
        for (const std::string& other : picture.also)
            if (const PlotArray numbers = find_array(other))
                cells.numbers.push_back(make_image(picture, other, numbers, columns));
        cells.numbers.push_back(make_image(picture, picture.of, array, columns));
        add_.cells(picture.id, picture.title, std::move(cells), tr("Dark is small, bright is large."),
                   array.is_output ? add_.origin() : Origin::computed);
    }

    Cells::Numbers make_image(const PictureText& picture, const std::string& name, const PlotArray& array,
                              std::uint64_t columns) const {
        // A picture is drawn whole; of larger matrices, the corner.
        constexpr std::size_t max_elements = 1 << 22;
        Array own = copy_slice(*array.array, 0, count_own(name, array));
        Cells::Numbers image = matrix_corner(name, own, columns);
        if (picture.is_grey) {
            const std::vector<double> numbers = sample_numbers(own, 1 << 16);
            const double max_value = std::ranges::max(numbers);
            image.low = 0;
            image.high = max_value <= 1 ? 1 : std::max(255.0, max_value);
        }
        if (own.count() <= max_elements) {
            image.width = columns;
            image.values = share(std::move(own));
        }
        return image;
    }

    /// Draws each row of the array, whose numbers stand for the labels in `values`.
    void draw_cells(const PictureText& picture) {
        constexpr std::size_t max_rows = 64, max_columns = 1024;
        const PlotArray array = find_array(picture.of);
        if (!array) return;
        constexpr ColorRole roles[] = {ColorRole::quiet,  ColorRole::upload,   ColorRole::cpu,
                                       ColorRole::kernel, ColorRole::download, ColorRole::caution,
                                       ColorRole::right,  ColorRole::wrong};
        Cells cells{.cell_name = tr("element")};
        for (std::size_t value = 0; value < picture.values.size(); ++value)
            cells.kinds.push_back({picture.values[value], roles[value % std::size(roles)]});
        const std::uint64_t columns = shape_of(picture.of).back(),
                            rows = std::min<std::uint64_t>(array.array->count() / columns, max_rows);
        for (std::uint64_t row = 0; row < rows; ++row)
            cells.add_row(row < picture.rows.size() ? picture.rows[row] : tr("row {}", row),
                          std::min<std::uint64_t>(columns, max_columns), [&](std::size_t column) {
                              const double value = array.array->number(row * columns + column);
                              const auto last = static_cast<double>(picture.values.size() - 1);
                              return static_cast<std::uint8_t>(std::clamp(value, 0.0, last));
                          });
        add_.cells(picture.id, picture.title, std::move(cells), picture.note,
                   array.is_output ? add_.origin() : Origin::computed);
    }

    /// Draws what the lesson says that invocations read and wrote, without a run.
    void draw_example(const PictureText& picture) {
        std::vector<AddressAccess> accesses;
        std::vector<LaneAccess> reads;
        for (const std::string& access : picture.example) {
            const std::vector<std::string_view> words = split(access, ' ');
            const auto word = [&](std::size_t i) { return i < words.size() ? std::string(words[i]) : ""; };
            const auto number = [&](std::size_t i) {
                return parse_number<std::uint64_t>(word(i)).value_or(0);
            };
            accesses.push_back({word(0), word(1), word(2)});
            reads.push_back({number(0), number(1)});
        }
        add_.cells(picture.id, picture.title,
                   picture.kind == PictureKind::sectors ? draw_load_sectors(tr("one load"), reads)
                                                        : draw_accesses(accesses),
                   picture.note, Origin::modelled);
    }

    void draw_trace(const PictureText& picture) {
        const std::string& of = picture.of;
        switch (picture.kind) {
            case PictureKind::access:
                return add_.traced(picture.id, picture.title,
                                   [of, noun = element_noun(of)](const auto& trace, auto records) {
                                       return draw_access_map(trace, records, of, noun);
                                   });
            case PictureKind::passes:
                return add_.traced(picture.id, picture.title, draw_passes(of, element_noun(of)));
            case PictureKind::levels: {
                LevelLabels words;
                words.acts = {{tr("reads and writes"), ColorRole::kernel}, "read and write", "level"};
                return add_.traced(picture.id, picture.title, draw_levels(words));
            }
            case PictureKind::conflicts:
                return add_.traced(picture.id, picture.title,
                                   draw_conflicts({.alone = {tr("alone at its address"), ColorRole::kernel},
                                                   .first = {tr("first of several"), ColorRole::upload},
                                                   .later = {tr("waits for another"), ColorRole::caution},
                                                   .elsewhere = {tr("no access"), ColorRole::quiet}}));
            case PictureKind::sectors:
                return add_.traced(picture.id, picture.title,
                                   [all = picture.stores](auto& trace, auto records) {
                                       return draw_first_sectors(trace, records, all);
                                   });
            case PictureKind::timeline:
                return add_.traced(picture.id, picture.title, &draw_placements);
            case PictureKind::banks:
                return add_.traced(picture.id, picture.title, &draw_bank_turns);
            case PictureKind::lanes:
                return add_.traced(picture.id, picture.title, &draw_lanes);
            case PictureKind::atomics:
                return add_.traced(picture.id, picture.title, draw_address_accesses(of));
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
        add_.traced(picture.id, picture.title,
                    [of = picture.of, noun = element_noun(picture.of), count, columns](const auto& trace,
                                                                                       auto records) {
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
