#include "assignment/html_page.h"

#include <fmt/format.h>

#include "base/text.h"

namespace gridstride {

std::string escape_html(std::string_view text) {
    std::string escaped;
    for (const char c : escape_controls(text))
        switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            case '\'':
                escaped += "&#39;";
                break;
            default:
                escaped += c;
        }
    return escaped;
}

std::string format_html_page(std::string_view language, std::string_view title, std::string_view style,
                             std::string_view body) {
    return fmt::format(R"(<!DOCTYPE html>
<html lang="{0}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>{1}</title>
<style>
body {{ font: 16px/1.5 sans-serif; max-width: 52em; margin: 2em auto; padding: 0 1em; }}
pre {{ background: #f2f2f2; padding: 1em; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.875em; break-inside: avoid; }}
h2 {{ break-after: avoid; }}
@page {{ margin: 18mm; }}
@media print {{ body {{ font-size: 11pt; margin: 0; max-width: none; padding: 0; }} }}
{2}</style>
</head>
<body>
<h1>{1}</h1>
{3}</body>
</html>
)",
                       escape_html(language), escape_html(title), style, body);
}

}  // namespace gridstride
