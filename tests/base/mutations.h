// Makes damaged copies of a text. They are the same on every machine.
#pragma once

#include "test_includes.h"

namespace gridstride::test {

/// Makes one to eight small changes: it flips bits, changes bytes, cuts or repeats parts, and inserts
/// characters that parsers treat specially.
inline std::string mutated(std::string text, std::mt19937& random) {
    static constexpr char characters[] = "\"',;\t\r\n.+-eE0919(){}:<>=|LTF \0\xFF\xEF\x93";
    static constexpr std::string_view meaningful(characters, sizeof characters - 1);
    const auto below = [&](std::size_t n) { return random() % n; };
    for (std::size_t changes = 1 + below(8); changes > 0; --changes) {
        if (text.empty()) text += 'x';
        const std::size_t at = below(text.size());
        switch (below(7)) {
            case 0:
                text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
                break;
            case 1:
                text[at] = static_cast<char>(below(256));
                break;
            case 2:
                text[at] = meaningful[below(meaningful.size())];
                break;
            case 3:
                text.insert(at, 1, meaningful[below(meaningful.size())]);
                break;
            case 4:
                text.erase(at, 1 + below(8));
                break;
            case 5:
                text.insert(at, text.substr(at, 1 + below(16)));
                break;
            case 6:
                if (below(4) == 0) text.resize(at);
                break;
        }
    }
    return text;
}

}  // namespace gridstride::test
