#include "story/block_reader.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "lesson/trace_metrics.h"

namespace gridstride {

std::vector<std::string_view> split_trimmed(std::string_view text, char separator) {
    std::vector<std::string_view> parts = split(text, separator);
    for (std::string_view& part : parts)
        part = trim(part);
    return parts;
}

std::optional<SplitText> split_once(std::string_view text, char separator) {
    const std::size_t at = text.find(separator);
    if (at == std::string_view::npos) return std::nullopt;
    return SplitText{trim(text.substr(0, at)), trim(text.substr(at + 1))};
}

void BlockReader::fail(const std::string& reason) const {
    throw StoryError(format_story_error(place_.file, line_, place_.step, block_ + ": " + reason));
}

SetBlock BlockReader::parse_set(std::string_view content) {
    SetBlock set{.line = place_.line};
    for_each_line(content, [&](std::string_view line) {
        const auto name_and_value = split_once(line, ':');
        if (!name_and_value || name_and_value->before != "show") {
            set.settings.push_back(parse_setting(line));
            return;
        }
        if (set.show) fail("there are two lines show: …; write all names in one");
        set.show.emplace();
        if (name_and_value->after.empty()) return;
        for (const std::string_view name : split_trimmed(name_and_value->after, ',')) {
            if (name.empty()) fail("show: has an empty name: write show: workgroup_size, elements");
            set.show->emplace_back(name);
        }
    });
    if (set.settings.empty() && !set.show) fail("it sets nothing: write lines such as workgroup_size = 128");
    return set;
}

std::string find_id_error(std::string_view id) {
    const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
    const bool is_valid =
        !id.empty() && is_lower(id.front()) && !id.starts_with(missing_id_prefix) &&
        std::ranges::all_of(id, [&](char c) { return is_lower(c) || (c >= '0' && c <= '9') || c == '_'; });
    return is_valid ? ""
                    : fmt::format("{} is not an id: write a small letter, then small letters, digits and _",
                                  quote_text(id));
}

std::string BlockReader::parse_id(std::string_view text) const {
    if (const std::string error = find_id_error(text); !error.empty()) fail(error);
    return std::string(text);
}

Setting BlockReader::parse_setting(std::string_view line) const {
    const auto parts = split_once(line, '=');
    if (!parts) fail(fmt::format("{} is not of the form name = value", quote_text(line)));
    return {std::string(parts->before), std::string(parts->after), line_};
}

double BlockReader::parse_finite_number(std::string_view text) const {
    const auto value = parse_number<double>(text);
    if (!value || !std::isfinite(*value))
        fail(fmt::format("{} is not a finite number{}", quote_text(text),
                         text.starts_with('=') ? ": write = in place of ==" : ""));
    return *value;
}

std::vector<std::string_view> BlockReader::split_parts(std::string_view text, std::size_t min_parts,
                                                       std::size_t max_parts, std::string_view form) const {
    std::vector<std::string_view> parts = split_trimmed(text, '|');
    const bool whole = std::none_of(parts.begin(), parts.end(), [](auto part) { return part.empty(); });
    if (parts.size() < min_parts || parts.size() > max_parts || !whole) fail(std::string(form));
    return parts;
}

std::optional<double> BlockReader::parse_number_after(std::string_view word, std::string_view text) const {
    if (!text.starts_with(word) || !text.substr(word.size()).starts_with(' ')) return std::nullopt;
    return parse_finite_number(trim(text.substr(word.size())));
}

std::uint32_t BlockReader::parse_ordinal(std::string_view text, std::string_view what) const {
    const auto value = parse_number<std::uint32_t>(text);
    if (!value || *value == 0)
        fail(fmt::format("{} is not a {} number: numbers start at 1", quote_text(text), what));
    return *value;
}

trace::SourceLine BlockReader::parse_kernel_line(std::string_view text) const {
    const auto line = trace::parse_source_line(text);
    if (!line)
        fail(fmt::format(
            "{} is not a line number: write one from 1 on, or scan.glsl:1 for a line of an included file",
            quote_text(text)));
    return *line;
}

RunMetric BlockReader::parse_metric(std::string_view text) const {
    if (text.empty())
        fail("a metric is missing: write one such as kernel_ns, or kernel_ns(2) for the second run");
    const std::size_t open = text.find('(');
    if (open == std::string_view::npos) return {std::string(text), 1, line_};
    if (!text.ends_with(')')) fail(fmt::format("{} lacks a closing parenthesis", quote_text(text)));
    const std::string_view name = trim(text.substr(0, open));
    RunMetric metric{std::string(name), 1, line_};
    std::vector<trace::SourceLine> lines;
    for (const std::string_view part : split_trimmed(text.substr(open + 1, text.size() - open - 2), ',')) {
        constexpr std::string_view run = "run ";
        if (part.starts_with(run))
            metric.run = parse_ordinal(trim(part.substr(run.size())), "run");
        else if (max_line_count(name) == 0)
            metric.run = parse_ordinal(part, "run");
        else
            lines.push_back(parse_kernel_line(part));
    }
    if (lines.size() > max_line_count(name))
        fail(fmt::format("{} names {} lines, but {} accepts at most {}", quote_text(text), lines.size(), name,
                         max_line_count(name)));
    metric.metric = metric_name_with_lines(name, std::move(lines));
    return metric;
}

/// Parses "workgroup 0, line 34, step 3".
InsideBlock BlockReader::parse_inside(std::string_view text) const {
    constexpr std::string_view form = "a moment is workgroup 0, line 34, or workgroup 0, line 34, step 3";
    const std::vector<std::string_view> parts = split_trimmed(text, ',');
    if (parts.size() < 2 || parts.size() > 3) fail(std::string(form));
    const auto number_of = [&](std::size_t part, std::string_view word) {
        const auto found = split_once(parts[part], ' ');
        if (!found || found->before != word) fail(std::string(form));
        return found->after;
    };
    const auto workgroup = parse_number<std::uint64_t>(number_of(0, "workgroup"));
    if (!workgroup) fail(std::string(form));
    InsideBlock block{
        .workgroup = *workgroup, .kernel_line = parse_kernel_line(number_of(1, "line")), .line = place_.line};
    if (parts.size() == 3) block.step = parse_ordinal(number_of(2, "step"), "step");
    return block;
}

Quotient BlockReader::parse_quotient(std::string_view text) const {
    const auto terms = split_trimmed(text, '/');
    if (terms.size() > 2)
        fail(
            fmt::format("{} has two slashes: write one metric, or one divided by another", quote_text(text)));
    Quotient quotient{parse_metric(terms[0]), std::nullopt};
    if (terms.size() == 2) quotient.divided_by = parse_metric(terms[1]);
    return quotient;
}

Block make_fenced_block(std::string_view info, std::string_view content, const FencePlace& place) {
    const std::string_view words = trim(info);
    const std::size_t space = words.find(' ');
    const std::string_view keyword = words.substr(0, space);
    const std::string_view argument =
        space == std::string_view::npos ? std::string_view{} : trim(words.substr(space));
    BlockReader reader(std::string(keyword), place);
    if (keyword == "set") return reader.parse_set(content);
    if (keyword == "predict") return read_predict(content, place);
    if (keyword == "make") return read_make(argument, content, place);
    if (keyword == "kernel") {
        if (argument.empty()) reader.fail("name a shader: ```kernel reduction/tree_sequential.comp#tree");
        const std::size_t hash = argument.find('#');
        return KernelBlock{std::string(argument.substr(0, hash)),
                           hash == std::string_view::npos ? "" : std::string(argument.substr(hash + 1)),
                           place.line};
    }
    if (keyword == "plot") {
        if (argument.empty()) reader.fail("name a plot: ```plot partial_sums");
        PlotBlock block{.plots = {}, .line = place.line};
        for (const std::string_view name : split_trimmed(argument, ',')) {
            if (name.empty()) reader.fail("a plot has no name: write ```plot graph, memory");
            block.plots.emplace_back(name);
        }
        return block;
    }
    if (keyword == "inside") return reader.parse_inside(argument);
    return CodeBlock{std::string(content), std::string(keyword), place.line};
}

}  // namespace gridstride
