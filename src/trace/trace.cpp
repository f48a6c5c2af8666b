#include "trace/trace.h"

#include <algorithm>

namespace gridstride::trace {

std::string_view name(SiteKind kind) {
    static constexpr std::array<std::string_view, 5> names = {"load", "store", "atomic", "barrier", "branch"};
    return names.at(static_cast<std::size_t>(kind));
}

std::string_view name(MemorySpace space) {
    static constexpr std::array<std::string_view, 2> names = {"workgroup", "buffer"};
    return names.at(static_cast<std::size_t>(space));
}

std::uint32_t value_words(const Site& site) {
    const bool wide =
        site.value == ValueType::i64 || site.value == ValueType::u64 || site.value == ValueType::f64;
    if (site.value == ValueType::none) return 0;
    return std::min<std::uint32_t>(std::min<std::uint32_t>(site.components, 4) * (wide ? 2 : 1), 4);
}

}  // namespace gridstride::trace
