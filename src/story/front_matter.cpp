#include "story/front_matter.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "story/block_reader.h"

namespace gridstride {

namespace {

constexpr std::string_view fence = "---";

/// Parses a number from 1; nullopt for anything else.
std::optional<unsigned> parse_ordinal(std::string_view text) {
    const auto number = parse_number<unsigned>(text);
    return number && *number > 0 ? number : std::nullopt;
}

/// Returns an error, or nullopt if the line is valid.
std::optional<std::string> read_head_line(StoryHead& head, std::string_view name, std::string_view text) {
    if (name == "chapter") {
        const auto parts = split_once(text, ' ');
        const auto number = parts ? parse_ordinal(parts->before) : std::nullopt;
        if (!number || parts->after.empty())
            return fmt::format(
                "{} is not a chapter: write its number and its name, such as chapter: 2 Working together",
                quote_text(text));
        head.chapter_position = *number;
        head.chapter = parts->after;
    } else if (name == "place" || name == "minutes") {
        const auto number = parse_ordinal(text);
        if (!number) return fmt::format("{} is not a whole number from 1 on", quote_text(text));
        (name == "place" ? head.position : head.minutes) = *number;
    } else if (name == "question") {
        head.question = text;
    } else if (name == "picture") {
        head.picture = text;
    } else {
        return fmt::format("{} is not one of chapter, place, question, minutes, picture", quote_text(name));
    }
    return std::nullopt;
}

}  // namespace

FrontMatter read_front_matter(std::string_view markdown, const std::string& file) {
    FrontMatter front;
    std::vector<std::string_view> names;
    while (front.size < markdown.size()) {
        const std::size_t end = markdown.find('\n', front.size);
        const std::string_view line = trim(markdown.substr(front.size, end - front.size));
        if (front.lines == 0 && line != fence) return {};
        front.size = end == std::string_view::npos ? markdown.size() : end + 1;
        ++front.lines;
        const auto add_error = [&](std::string_view reason) {
            front.errors.push_back(
                format_story_error(file, front.lines, "", fmt::format("front matter: {}", reason)));
        };
        if (line == fence) {
            if (front.lines > 1) return front;
            continue;
        }
        if (line.empty()) continue;
        const auto parts = split_once(line, ':');
        if (!parts || parts->after.empty()) {
            add_error(
                fmt::format("{} is not of the form name: text, and no line --- ends the lines before it",
                            quote_text(line)));
            throw StoryError(std::move(front.errors));
        }
        if (std::ranges::find(names, parts->before) != names.end())
            add_error(fmt::format("there is a second line {}: …", parts->before));
        names.push_back(parts->before);
        if (const auto error = read_head_line(front.head, parts->before, parts->after)) add_error(*error);
    }
    if (front.lines == 0) return {};
    throw StoryError(
        format_story_error(file, 1, "", "front matter: it does not end: write a line --- after it"));
}

std::vector<std::string> missing_fields(const StoryHead& head) {
    std::vector<std::string> missing;
    const auto need = [&](bool there, const char* name) {
        if (!there) missing.emplace_back(name);
    };
    need(!head.chapter.empty(), "chapter");
    need(head.position > 0, "place");
    need(!head.question.empty(), "question");
    need(head.minutes > 0, "minutes");
    return missing;
}

}  // namespace gridstride
