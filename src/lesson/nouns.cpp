#include "lesson/nouns.h"

#include <fmt/format.h>

#include "base/units.h"

namespace gridstride {

std::string singular(std::string_view plural) {
    const std::size_t inside = plural.find("s ");
    const std::size_t end = inside != std::string_view::npos ? inside + 1 : plural.size();
    std::string noun(plural.substr(0, end));
    if (noun.ends_with("matrices"))
        noun.replace(noun.size() - 3, 3, "x");
    else if (noun.ends_with("ies"))
        noun.replace(noun.size() - 3, 3, "y");
    else if (noun.ends_with("sses") || noun.ends_with("ches") || noun.ends_with("shes"))
        noun.resize(noun.size() - 2);
    else if (noun.ends_with("s"))
        noun.pop_back();
    return noun.append(plural.substr(end));
}

std::string with_unit(const std::string& number, const std::string& plural) {
    return fmt::format("{} {}", number, number == "1" ? singular(plural) : plural);
}

std::string counted_plural(std::uint64_t count, const std::string& plural) {
    return with_unit(format_count(count), plural);
}

}  // namespace gridstride
