#include "assignment/handout.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "assignment/html_page.h"
#include "base/language.h"
#include "base/text.h"
#include "base/units.h"
#include "figures/picture_cache.h"
#include "lesson/kernel_file.h"
#include "lesson/nouns.h"
#include "progress/device_answers.h"
#include "story/glossary.h"

namespace gridstride {

namespace {

constexpr std::string_view handout_style = R"(h3, h4 { break-after: avoid; }
section.question, figure, table, li, dd { break-inside: avoid; }
section.question, section.exercise { border: 1px solid #767676; border-radius: 4px; padding: 0 1em; margin: 1em 0; }
section.answers { break-before: page; }
figure { margin: 1em 0; }
figcaption, .note { color: #555; font-size: 0.875em; }
img { width: 100%; }
ul.fields { list-style: none; padding: 0; }
input[type=text] { width: 8em; border: 0; border-bottom: 1px solid; }
table { border-collapse: collapse; }
th, td { border-bottom: 1px solid #c0c0c0; padding: 0.25em 0.5em 0.25em 0; text-align: left; vertical-align: top; }
td code { overflow-wrap: anywhere; font-size: 0.8em; }
)";

std::string format_spans(const Spans& spans) {
    std::string html;
    for (const Span& span : spans) {
        std::string text = escape_html(span.text);
        if (span.code) text = "<code>" + text + "</code>";
        if (span.emphasis) text = "<em>" + text + "</em>";
        if (span.is_strong) text = "<strong>" + text + "</strong>";
        html += text;
    }
    return html;
}

std::string format_markdown(const std::string& text) {
    return format_spans(parse_inline(text));
}

std::string format_items(std::string_view tag, const std::vector<std::string>& items) {
    std::string html = fmt::format("<{}>\n", tag);
    for (const std::string& item : items)
        html += fmt::format("<li>{}</li>\n", item);
    return html + fmt::format("</{}>\n", tag.substr(0, tag.find(' ')));
}

class HandoutWriter {
 public:
    HandoutWriter(const CourseEntry& entry, const Story& story,
                  const std::function<std::string(const Plot&)>& draw)
        : entry_(entry), story_(story), draw_(draw) {}

    std::string write() {
        for (step_ = 0; step_ < story_.steps.size(); ++step_)
            write_step();
        // In some lessons every picture of a step needs a run: their handout shows the picture of the card.
        if (draw_ && !has_figure_)
            for (const Plot& plot : make_computed_plots(*entry_.lesson, default_experiment(*entry_.lesson)))
                if (plot.id == story_.head.picture) body_.insert(0, format_figure(plot));
        if (!terms_.empty()) write_terms();
        if (!answers_.empty())
            body_ += fmt::format(
                "<section class=\"answers\">\n<h2>{}</h2>\n<p>{}</p>\n{}</section>\n", tr("Recorded answers"),
                tr("They were recorded on other devices. Yours may give another answer."), answers_);
        const std::string language = std::filesystem::path(story_.file).stem().extension().string();
        return format_html_page(language.empty() ? "en" : language.substr(1), story_.title, handout_style,
                                body_);
    }

 private:
    const StoryStep& step() const { return story_.steps[step_]; }

    void write_step() {
        body_ += fmt::format("<section>\n<h2>{}. {}</h2>\n", step_ + 1, escape_html(step().title));
        if (draw_)
            plots_ = make_computed_plots(*entry_.lesson, experiment_of_step(*entry_.lesson, story_, step_));
        for (block_ = 0; block_ < step().blocks.size(); ++block_)
            std::visit([this](const auto& block) { write_block(block); }, step().blocks[block_]);
        for (const TermLink& link : step().terms)
            if (const Term* const term = find_term(glossary(), link.name);
                term && std::ranges::find(terms_, term) == terms_.end())
                terms_.push_back(term);
        body_ += "</section>\n";
    }

    void write_terms() {
        body_ += fmt::format("<section>\n<h2>{}</h2>\n<dl>\n", tr("Terms"));
        for (const Term* term : terms_)
            body_ += fmt::format("<dt>{}</dt>\n<dd>{}</dd>\n", escape_html(term->name),
                                 format_markdown(meaning_for_device(*term, nullptr)));
        body_ += "</dl>\n</section>\n";
    }

    void write_block(const Paragraph& block) { body_ += "<p>" + format_spans(block.spans) + "</p>\n"; }
    void write_block(const Subheading& block) {
        body_ += fmt::format("<h{0}>{1}</h{0}>\n", block.level, format_spans(block.spans));
    }
    void write_block(const ListBlock& block) {
        std::vector<std::string> items;
        std::ranges::transform(block.items, std::back_inserter(items), format_spans);
        body_ += format_items(block.first ? fmt::format("ol start=\"{}\"", *block.first) : "ul", items);
    }
    void write_block(const TableBlock& block) {
        const auto write_row = [this](std::string_view cell, const std::vector<Spans>& row) {
            body_ += "<tr>";
            for (const Spans& spans : row)
                body_ += fmt::format("<{}>{}</{}>", cell, format_spans(spans), cell.substr(0, 2));
            body_ += "</tr>\n";
        };
        body_ += "<table>\n";
        write_row("th scope=\"col\"", block.header);
        for (const std::vector<Spans>& row : block.rows)
            write_row("td", row);
        body_ += "</table>\n";
    }
    void write_block(const CodeBlock& block) { write_code(block.text); }
    void write_block(const KernelBlock& block) {
        write_code(kernel_excerpt(*entry_.lesson, story_, step(), block), block.file);
    }
    void write_code(const std::string& code, const std::string& caption = {}) {
        body_ += "<figure>\n";
        if (!caption.empty()) body_ += "<figcaption>" + escape_html(caption) + "</figcaption>\n";
        body_ += "<pre><code>" + escape_html(code) + "</code></pre>\n</figure>\n";
    }
    void write_block(const SetBlock& block) {
        std::vector<std::string> settings;
        for (const Setting& setting : block.settings)
            settings.push_back(fmt::format("{} = {}", label_of(setting.name), value_of(setting)));
        if (!settings.empty()) write_note(tr("Settings: {}", join(settings, ", ")));
    }
    /// id: of a parameter, or `variant`.
    std::string label_of(const std::string& id) const {
        const Parameter* const parameter = find(entry_.lesson->parameters, id);
        return parameter ? parameter->label : id == "variant" ? tr("Variant") : id;
    }
    /// Returns the value with thin spaces and its unit: "1 048 576 numbers".
    std::string value_of(const Setting& setting) const {
        const Parameter* const parameter = find(entry_.lesson->parameters, setting.name);
        const auto count = parse_number<std::uint64_t>(setting.value);
        if (!parameter || !count) return setting.value;
        const std::string unit = unit_beside_label(*parameter);
        return unit.empty() ? format_count(*count) : with_unit(format_count(*count), unit);
    }
    void write_block(const InsideBlock& block) {
        write_note(tr("To see {} inside, {}.", describe_moment(block), how_to_open()));
    }
    void write_note(const std::string& text) { body_ += "<p class=\"note\">" + escape_html(text) + "</p>\n"; }
    std::string how_to_open() const {
        return tr("open the step with \"gridstride {} --step {}\"", entry_.id, step().id);
    }

    std::string format_figure(const Plot& plot) const {
        return fmt::format("<figure>\n<img alt=\"{}. {}\" src=\"data:image/png;base64,{}\">\n</figure>\n",
                           escape_html(plot.title), escape_html(plot.note), encode_base64(draw_(plot)));
    }

    void write_block(const PlotBlock& block) {
        for (const std::string& id : block.plots) {
            const auto plot = std::ranges::find(plots_, id, &Plot::id);
            std::string picture_name = id;
            std::ranges::replace(picture_name, '_', ' ');
            if (plot == plots_.end()) {
                write_note(tr("The picture \"{}\" needs a run: {}.", picture_name, how_to_open()));
                continue;
            }
            // It may show the answer.
            const bool is_held_back = question_step_ == step_;
            if (is_held_back) write_note(tr("The picture \"{}\" is with the recorded answers.", plot->title));
            (is_held_back ? answers_ : body_) += format_figure(*plot);
            has_figure_ = true;
        }
    }

    void write_block(const PredictBlock& block) {
        question_step_ = step_;
        ++question_count_;
        body_ += fmt::format("<section class=\"question\">\n<h3>{}{}</h3>\n<p>{}</p>\n",
                             tr("Question {}", question_count_),
                             block.is_by_chance ? tr(" (the result may differ from run to run)") : "",
                             format_markdown(block.question));
        const auto field = [](const std::string& label) {
            return fmt::format("<label>{} <input type=\"text\"></label>", tr("{}:", label));
        };
        std::vector<std::string> fields;
        for (const PredictChoice& choice : block.choices)
            fields.push_back(fmt::format("<label><input type=\"radio\" name=\"question{}\"> {}</label>",
                                         question_count_, format_markdown(choice.label)));
        if (block.guess) fields.push_back(field(tr("Your answer")) + ' ' + escape_html(block.guess->unit));
        if (!block.items.empty()) body_ += fmt::format("<p>{}</p>\n", tr("Number them, smallest first."));
        for (const PredictItem& item : block.items)
            fields.push_back(field(format_markdown(item.label)));
        if (!block.marks.empty())
            body_ +=
                fmt::format("<p>{}</p>\n",
                            tr("Write a value for each: {}, from {} to {}.", escape_html(block.ruler.label),
                               describe_mark(block.marks.front().value, block.ruler.low),
                               describe_mark(block.marks.front().value, block.ruler.high)));
        for (const PredictMark& mark : block.marks)
            fields.push_back(field(format_markdown(mark.label)));
        body_ += format_items("ul class=\"fields\"", fields) + "</section>\n";
        write_recorded_answers(block);
    }

    void write_recorded_answers(const PredictBlock& block) {
        answers_ +=
            fmt::format("<h3>{}</h3>\n", tr("Question {}: {}", question_count_, escape_html(step().title)));
        std::vector<std::string> items;
        for (const RecordedAnswer& answer : find_recorded_answers(*entry_.lesson, story_, {step_, block_})) {
            items.push_back(escape_html(answer.sentence));
            if (answer.choice)
                items.back() += tr(": “{}”", format_markdown(block.choices[*answer.choice].label));
        }
        answers_ += items.empty() ? fmt::format("<p>{}</p>\n", tr("None is recorded. To decide it, {}.",
                                                                  escape_html(how_to_open())))
                                  : format_items("ul", items);
    }

    void write_block(const MakeBlock& block) {
        body_ += fmt::format("<section class=\"exercise\">\n<h3>{}</h3>\n", tr("Exercise"));
        std::vector<std::string> names;
        for (const std::string& id : block.parameters_to_find)
            names.push_back(label_of(id));
        if (!names.empty())
            body_ += fmt::format("<p>{}</p>\n", tr("Find: {}", escape_html(join(names, ", "))));
        body_ += fmt::format("<p>{}</p>\n", tr("It is done when:"));
        std::vector<std::string> requirements;
        for (const MakeRequirement& requirement : block.requirements)
            requirements.push_back(format_markdown(requirement.sentence));
        body_ += format_items("ul", requirements);
        if (const Variant* const exercise = find_exercise(*entry_.lesson, block.exercise))
            write_code(kernel_region(read_shipped_kernel(exercise->kernel).text, ""),
                       tr("The text to begin with"));
        body_ += "</section>\n";
    }

    const CourseEntry& entry_;
    const Story& story_;
    const std::function<std::string(const Plot&)>& draw_;
    std::size_t step_ = 0, block_ = 0, question_count_ = 0;
    std::optional<std::size_t> question_step_;
    std::vector<Plot> plots_;  ///< of the step
    std::vector<const Term*> terms_;
    std::string body_, answers_;
    bool has_figure_ = false;
};

}  // namespace

std::string format_handout(const CourseEntry& entry, const Story& story,
                           const std::function<std::string(const Plot&)>& draw) {
    return HandoutWriter(entry, story, draw).write();
}

}  // namespace gridstride
