// Texts for the shell and for man, made from the declared commands, options and lessons.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>

namespace gridstride::app {

/// Returns, one per line, what may stand after the words for the begun word: commands, lessons, options, or
/// the choices of the option before it. Empty: a file or any value.
std::string list_completions(const CLI::App& app, std::span<const char* const> words, std::string_view begun);

/// Returns the page gridstride(1) in roff.
std::string make_man_page(const CLI::App& app);

}  // namespace gridstride::app
