#include "storage/json.h"

#include <nlohmann/json.hpp>

#include "test_includes.h"

namespace gridstride::json_test {

/// Nested brackets; an empty `close` leaves them unclosed.
std::string nested(std::size_t depth, const std::string& open, const std::string& close) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i)
        text += open;
    text += "0";
    for (std::size_t i = 0; i < depth; ++i)
        text += close;
    return text;
}

TEST(ParseJson, NamesTheLineOfASyntaxError) {
    for (const std::string text : {"{\n\"a\":1,", "[1,\n2", "{\"a\":1}\n]"})
        EXPECT_THAT(test::message_of<FileError>([&] { parse_json(text); }),
                    testing::AllOf(test::Mentions("line 2"), Not(HasSubstr("exception"))));
}

TEST(ParseJson, LimitsTheDepth) {
    EXPECT_EQ(parse_json(nested(max_json_depth, "[", "]")).dump(), nested(max_json_depth, "[", "]"));
    EXPECT_EQ(parse_json(nested(max_json_depth, "{\"a\":", "}")).dump(),
              nested(max_json_depth, "{\"a\":", "}"));
    for (const std::size_t depth : {max_json_depth + 1, std::size_t{100'000}, std::size_t{3'000'000}})
        for (const std::string close : {"]", ""})
            for (const std::string& text :
                 {nested(depth, "[", close), nested(depth, "{\"a\":", close.empty() ? "" : "}"),
                  nested(depth, "[{\"a\":", close.empty() ? "" : "}]"),
                  R"({"version":1,"a":)" + nested(depth, "[", "]") + "}"})
                EXPECT_THAT(message_of<FileError>([&] { parse_json(text); }), Mentions(64));
}

TEST(ParseJson, RefusesOtherTextsWithAPrintableMessage) {
    for (const std::string text :
         {"", "{", "[1,]", "{\"a\":1e999}", "\"\xFF\"", "\x1b[2J", "nul", "[1] 2", "\xE2\x80\xAE"}) {
        const std::string message = message_of<FileError>([&] { parse_json(text); });
        EXPECT_THAT(message, Mentions("JSON")) << text;
        EXPECT_THAT(message, Not(HasSubstr("\x1b")));
    }
}

TEST(ParseJson, LimitsTheSize) {
    EXPECT_THAT(message_of<FileError>([] { parse_json(std::string(max_json_bytes + 1, ' ')); }),
                Mentions("limit"));
}

}  // namespace gridstride::json_test
