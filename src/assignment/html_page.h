// Pages of HTML that load nothing.
#pragma once

#include <string>
#include <string_view>

namespace gridstride {

/// Escapes the characters that HTML gives a meaning, and those that no page should have.
std::string escape_html(std::string_view text);

/// Returns a page with the title as its first heading. Its Content-Security-Policy allows inline styles and
/// pictures alone. title: plain text; style: further CSS; body: HTML.
std::string format_html_page(std::string_view language, std::string_view title, std::string_view style,
                             std::string_view body);

}  // namespace gridstride
