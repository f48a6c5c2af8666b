#include "trace/trace_text.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cctype>
#include <vector>

#include "base/language.h"
#include "base/text.h"
#include "base/units.h"

namespace gridstride::trace {

namespace {

std::string component_text(ValueType type, std::uint32_t word, std::uint32_t next) {
    const std::uint64_t wide = std::uint64_t{next} << 32 | word;
    switch (type) {
        case ValueType::boolean:
            return word != 0 ? "true" : "false";
        case ValueType::i8:
            return fmt::format("{}", int{static_cast<std::int8_t>(word)});
        case ValueType::u8:
            return fmt::format("{}", unsigned{static_cast<std::uint8_t>(word)});
        case ValueType::i16:
            return fmt::format("{}", int{static_cast<std::int16_t>(word)});
        case ValueType::u16:
            return fmt::format("{}", unsigned{static_cast<std::uint16_t>(word)});
        case ValueType::i32:
            return fmt::format("{}", static_cast<std::int32_t>(word));
        case ValueType::u32:
            return fmt::format("{}", word);
        case ValueType::f16:
        case ValueType::f32:
            return fmt::format("{}", std::bit_cast<float>(word));
        case ValueType::i64:
            return fmt::format("{}", static_cast<std::int64_t>(wide));
        case ValueType::u64:
            return fmt::format("{}", wide);
        case ValueType::f64:
            return fmt::format("{}", std::bit_cast<double>(wide));
        case ValueType::none:
            break;
    }
    return {};
}

/// Returns "tree_sequential" for "/data/shaders/reduction/tree_sequential.comp".
std::string_view file_stem(std::string_view path) {
    const std::size_t slash = path.find_last_of("/\\");
    if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
    return path.substr(0, path.find('.'));
}

/// Formats index `index` of an extent, x fastest: "3", "(3, 2)".
std::string index_text(const Extent& extent, std::uint64_t index) {
    if (extent.dimensions() == 1) return fmt::format("{}", index);
    const std::uint64_t x = index % extent.along(0), rest = index / extent.along(0);
    const std::uint64_t y = rest % extent.along(1), z = rest / extent.along(1);
    return extent.dimensions() == 2 ? fmt::format("({}, {})", x, y) : fmt::format("({}, {}, {})", x, y, z);
}

std::string missing_workgroups_reason(const Trace& trace, std::uint64_t last) {
    if (trace.first_workgroup == 0 && last + 1 == trace.grid.product()) return {};
    const std::string all = format_count(trace.grid.product());
    return trace.first_workgroup == last
               ? tr("only workgroup {} of {} was traced", trace.first_workgroup, all)
               : tr("only workgroups {} to {} of {} were traced", trace.first_workgroup, last, all);
}

}  // namespace

std::string value_text(const Site& site, const Record& record) {
    const std::uint32_t words = value_words(site);
    const std::uint32_t words_per_component =
        site.value == ValueType::i64 || site.value == ValueType::u64 || site.value == ValueType::f64 ? 2 : 1;
    std::vector<std::string> components;
    for (std::uint32_t i = 0; i + words_per_component <= words; i += words_per_component)
        components.push_back(component_text(site.value, record.value.at(i),
                                            words_per_component == 2 ? record.value.at(i + 1) : 0));
    return join(components, ";");
}

std::string addend_text(const Site& site, const Record& record) {
    const std::size_t words = value_words(site);
    if (!site.adds || 2 * words > record.value.size()) return {};
    Record addend = record;
    for (std::size_t i = 0; i < words; ++i)
        addend.value.at(i) = record.value.at(words + i);
    return value_text(site, addend);
}

std::string element_text(const Site& site, const Record& record) {
    if (site.element_bytes == 0 || site.bytes > site.element_bytes) return site.variable + site.member;
    auto offset = static_cast<std::int64_t>(record.offset - site.first_byte);
    const auto element = static_cast<std::int64_t>(site.element_bytes);
    // 32-bit offsets wrap: an out-of-bounds offset with its highest bit set is negative.
    constexpr std::int64_t wrap = std::int64_t{1} << 32;
    if (record.out_of_bounds_mask != 0 && offset >= wrap / 2 && offset < wrap) offset -= wrap;
    std::int64_t index = offset / element, rest = offset % element;
    if (rest < 0) {
        --index;
        rest += element;
    }
    std::string text = fmt::format("{}[{}]{}", site.variable, index, site.member);
    const auto bytes = static_cast<std::int64_t>(site.bytes);
    if (site.member.empty() && bytes > 0 && element > bytes && element % bytes == 0)
        text += fmt::format("[{}]", rest / bytes);
    return text;
}

bool is_in_kernel_file(const Trace& trace, const Site& site) {
    return site.file.empty() || file_stem(site.file) == file_stem(trace.kernel);
}

SourceLine line_at(const Trace& trace, const Site& site) {
    if (is_in_kernel_file(trace, site)) return {{}, site.line};
    return {site.file.substr(site.file.find_last_of("/\\") + 1), site.line};
}

std::string source_line_text(const SourceLine& line) {
    return line.file.empty() ? fmt::format("{}", line.line) : fmt::format("{}:{}", line.file, line.line);
}

std::optional<SourceLine> parse_source_line(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    const bool is_of_file = colon != std::string_view::npos;
    const auto line = parse_number<std::uint32_t>(is_of_file ? text.substr(colon + 1) : text);
    if (!line || *line == 0 || colon == 0) return std::nullopt;
    return SourceLine{std::string(is_of_file ? text.substr(0, colon) : ""), *line};
}

std::string line_text(const Trace& trace, const Site& site) {
    return tr("line {}", source_line_text(line_at(trace, site)));
}

std::string workgroup_text(const Trace& trace, std::uint64_t workgroup) {
    return tr("workgroup {}", index_text(trace.grid, workgroup));
}

std::string placement_text(const Trace& trace, std::uint64_t workgroup) {
    if (trace.placements.empty())
        return tr("This device does not report on which multiprocessor a workgroup runs.");
    if (workgroup >= trace.placements.size())
        return tr("On which multiprocessor {} ran is unknown. {}", workgroup_text(trace, workgroup),
                  placed_workgroups_text(trace));
    const WorkgroupPlacement& own = trace.placements[workgroup];
    const std::string limit = placed_workgroups_text(trace);
    std::uint64_t overlapping = 0, on_same_multiprocessor = 0;
    for (const WorkgroupPlacement& other : trace.placements) {
        if (&other == &own || other.end_time < own.start_time || own.end_time < other.start_time) continue;
        ++overlapping;
        if (other.multiprocessor == own.multiprocessor) ++on_same_multiprocessor;
    }
    return tr(
        "{} ran on multiprocessor {}. {} ran at the same time, {} of them on the same multiprocessor.{}",
        in_sentence_case(workgroup_text(trace, workgroup)), own.multiprocessor,
        counted(overlapping, "other workgroup", "other workgroups"), format_count(on_same_multiprocessor),
        limit.empty() ? limit : " " + limit);
}

std::string placed_workgroups_text(const Trace& trace) {
    if (trace.placements.empty() || trace.placements.size() == trace.grid.product()) return {};
    return tr("The trace has the placements of the first {} of {} workgroups.",
              format_count(trace.placements.size()), format_count(trace.grid.product()));
}

std::string invocation_text(const Trace& trace, std::uint32_t invocation) {
    return tr("invocation {}", index_text(trace.workgroup, invocation));
}
std::string invocation_text(const Trace& trace, const Record& record) {
    return invocation_text(trace, std::uint32_t{record.invocation});
}

std::string_view verb(SiteKind kind) {
    static constexpr std::array<const char*, 5> verbs = {
        tr_later("reads"), tr_later("writes"), tr_later("changes"), tr_later("waits"), tr_later("branches")};
    return tr(verbs.at(static_cast<std::size_t>(kind)));
}

std::string site_text(const Trace& trace, const Site& site) {
    const std::string text = fmt::format("{} {}", line_text(trace, site), verb(site.kind));
    const std::string variable = site.variable + site.member;
    return variable.empty() ? text : text + " " + variable;
}

std::string incomplete_reason(const Trace& trace) {
    if (trace.lost > 0)
        return tr("{} did not fit into the record buffer", counted(trace.lost, "record", "records"));
    return missing_workgroups_reason(trace, trace.last_workgroup);
}

std::string incomplete_branches_reason(const Trace& trace) {
    if (trace.lost_branches > 0)
        return tr("{} did not fit into the buffer of branches",
                  counted(trace.lost_branches, "record", "records"));
    return missing_workgroups_reason(trace, trace.last_branch_workgroup);
}

std::string in_sentence_case(std::string text) {
    if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

}  // namespace gridstride::trace
