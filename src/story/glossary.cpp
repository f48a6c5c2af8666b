#include "story/glossary.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/language.h"
#include "base/text.h"
#include "base/units.h"

namespace gridstride {

namespace {

constexpr std::string_view also_called = "Also called:";

struct DeviceNumber {
    std::string_view name;
    std::string (*text)(const Limits& device);  ///< empty if the device does not report it
};

std::string count_unless_zero(std::uint64_t count) {
    return count > 0 ? format_count(count) : "";
}
std::string bytes_unless_zero(std::uint64_t bytes) {
    return bytes > 0 ? format_byte_text(bytes) : "";
}

constexpr DeviceNumber device_numbers[] = {
    {"device", [](const Limits& device) { return device.device_name; }},
    {"subgroup_size", [](const Limits& device) { return count_unless_zero(device.subgroup_size); }},
    {"max_workgroup_size", [](const Limits& device) { return count_unless_zero(device.max_workgroup_size); }},
    {"max_workgroup_count", [](const Limits& device) { return count_unless_zero(device.max_grid.x); }},
    {"max_shared_bytes", [](const Limits& device) { return bytes_unless_zero(device.max_shared_bytes); }},
    {"memory_bytes", [](const Limits& device) { return bytes_unless_zero(device.memory_bytes); }},
    {"cache_bytes", [](const Limits& device) { return bytes_unless_zero(device.cache_bytes); }},
    {"multiprocessors", [](const Limits& device) { return count_unless_zero(device.multiprocessors); }},
    {"subgroups_per_multiprocessor",
     [](const Limits& device) { return count_unless_zero(device.subgroups_per_multiprocessor); }},
};

struct Placeholder {
    std::size_t open = std::string_view::npos;
    std::string_view name;
};
Placeholder next_placeholder(std::string_view text, std::size_t from) {
    const std::size_t open = text.find('{', from);
    const std::size_t close = text.find('}', open);
    if (open == std::string_view::npos || close == std::string_view::npos) return {};
    return {open, text.substr(open + 1, close - open - 1)};
}

const DeviceNumber* find_device_number(std::string_view name) {
    const auto* const found = std::find_if(std::begin(device_numbers), std::end(device_numbers),
                                           [&](const DeviceNumber& number) { return number.name == name; });
    return found == std::end(device_numbers) ? nullptr : found;
}

/// Returns nullopt if the device does not report one of the numbers.
std::optional<std::string> fill_device_numbers(std::string_view sentence, const Limits* device) {
    std::string filled;
    std::size_t done = 0;
    for (Placeholder next = next_placeholder(sentence, 0); next.open != std::string_view::npos;
         next = next_placeholder(sentence, done)) {
        const DeviceNumber* const number = find_device_number(next.name);
        const std::string text = number && device ? number->text(*device) : "";
        if (text.empty()) return std::nullopt;
        filled += sentence.substr(done, next.open - done);
        filled += text;
        done = next.open + next.name.size() + 2;
    }
    return filled += sentence.substr(done);
}

void check_entry(const Term& term, const std::string& file) {
    const auto fail = [&](const std::string& reason) {
        throw StoryError(format_story_error(file, term.line, "", fmt::format("{}: {}", term.name, reason)));
    };
    if (term.meaning.empty()) fail("it has no meaning: write one or two sentences below it");
    for (Placeholder next = next_placeholder(term.meaning, 0); next.open != std::string::npos;
         next = next_placeholder(term.meaning, next.open + 1))
        if (!find_device_number(next.name)) {
            std::vector<std::string_view> names;
            for (const DeviceNumber& number : device_numbers)
                names.push_back(number.name);
            fail(fmt::format("{{{}}} is not a number of a device: use one of {}", next.name,
                             join(names, ", ")));
        }
}

}  // namespace

std::vector<Term> parse_glossary(std::string_view markdown, const std::string& file_name) {
    std::vector<Term> terms;
    std::size_t number = 0;
    for (const std::string_view raw : split(markdown, '\n')) {
        ++number;
        const std::string_view line = trim(raw);
        if (line.starts_with("## ")) {
            const std::string_view name = trim(line.substr(3));
            if (find_term(terms, name))
                throw StoryError(
                    format_story_error(file_name, number, "",
                                       fmt::format("{}: there is already an entry with this name", name)));
            terms.push_back({.name = std::string(name), .line = number});
        } else if (line.starts_with(also_called) && !terms.empty()) {
            for (const std::string_view synonym : split(line.substr(also_called.size()), ','))
                terms.back().also_called.emplace_back(trim(synonym));
        } else if (!line.empty() && !terms.empty()) {
            std::string& meaning = terms.back().meaning;
            if (!meaning.empty()) meaning += ' ';
            meaning += line;
        }
    }
    for (const Term& term : terms)
        check_entry(term, file_name);
    return terms;
}

const std::vector<Term>& glossary() {
    static const std::vector<Term> terms = [] {
        const auto read = [](const std::string& file) {
            return parse_glossary(remove_byte_order_mark(read_file(data_directory() / file)), file);
        };
        const std::string translation = fmt::format("glossary.{}.md", text_language());
        const bool has_translation = std::filesystem::exists(data_directory() / translation);
        std::vector<Term> all = has_translation ? read(translation) : std::vector<Term>();
        for (Term& english : read("glossary.md"))
            if (!find_term(all, english.name)) all.push_back(std::move(english));
        return all;
    }();
    return terms;
}

const Term* find_term(const std::vector<Term>& terms, std::string_view name) {
    std::string lower_name = to_lower(std::string(trim(name)));
    const auto is_wanted = [&](const std::string& text) { return to_lower(text) == lower_name; };
    const auto find = [&]() -> const Term* {
        for (const Term& term : terms)
            if (is_wanted(term.name)) return &term;
        for (const Term& term : terms)
            if (std::ranges::any_of(term.also_called, is_wanted)) return &term;
        return nullptr;
    };
    if (const Term* const found = find()) return found;
    if (lower_name.ends_with("ies")) {
        lower_name.replace(lower_name.size() - 3, 3, "y");
        return find();
    }
    if (!lower_name.ends_with('s')) return nullptr;
    lower_name.pop_back();
    return find();
}

std::string_view linked_term(const Span& span) {
    constexpr std::string_view link = "term", named = "term:";
    if (span.link == link) return span.text;
    return span.link.starts_with(named) ? std::string_view(span.link).substr(named.size())
                                        : std::string_view{};
}

std::string meaning_for_device(const Term& term, const Limits* device) {
    std::string meaning;
    for (std::string_view rest = term.meaning; !rest.empty();) {
        const std::size_t stop = rest.find(". ");
        const std::string_view sentence = rest.substr(0, stop == std::string_view::npos ? stop : stop + 1);
        rest = trim(rest.substr(sentence.size()));
        if (const auto filled_sentence = fill_device_numbers(sentence, device)) {
            if (!meaning.empty()) meaning += ' ';
            meaning += *filled_sentence;
        }
    }
    return meaning;
}

}  // namespace gridstride
