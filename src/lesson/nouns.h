// Nouns that are known only as text, such as what a lesson's domain consists of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gridstride {

/// Returns the word for one of what an English or French plural names: "number", "entry", "launch". In
/// "bytes loaded per byte stored", the noun is the first word that ends in s.
std::string singular(std::string_view plural);

/// Returns "1 barrier", "10 barriers", "0.5 bytes". number: as it is shown.
std::string with_unit(const std::string& number, const std::string& plural);

/// Returns "1 number", "1 230 numbers". See counted() of base/units.h for literals.
std::string counted_plural(std::uint64_t count, const std::string& plural);

}  // namespace gridstride
