#include "storage/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "storage/json_error_text.h"

namespace gridstride {

std::string json_error_text(const std::exception& error) {
    const std::string_view message = error.what();
    const std::size_t prefix_end =
        message.starts_with("[json.exception.") ? message.find("] ") : message.npos;
    return printable(prefix_end == message.npos ? message : message.substr(prefix_end + 2));
}

nlohmann::ordered_json parse_json(std::string_view text) {
    using ParsedJson = nlohmann::ordered_json;
    if (text.size() > max_json_bytes)
        throw FileError(fmt::format("it has {} of JSON, and the limit is {}",
                                    format_bytes_beside(text.size(), max_json_bytes),
                                    format_bytes_beside(max_json_bytes, text.size())));
    // Called before each level is built, so that a too deep tree is never built or destroyed.
    const auto check_depth = [](int depth, ParsedJson::parse_event_t event, const ParsedJson&) {
        const bool begins = event == ParsedJson::parse_event_t::object_start ||
                            event == ParsedJson::parse_event_t::array_start;
        if (begins && depth >= static_cast<int>(max_json_depth))
            throw FileError(fmt::format("its JSON is nested deeper than {} levels", max_json_depth));
        return true;
    };
    try {
        return ParsedJson::parse(text, check_depth);
    } catch (const ParsedJson::exception& error) {
        throw FileError(fmt::format("it is not JSON: {}", json_error_text(error)));
    }
}

nlohmann::ordered_json read_json(const std::filesystem::path& file, std::uintmax_t max_bytes) {
    return parse_json(read_file(file, max_bytes));
}

}  // namespace gridstride
