#include "base/csv.h"

#include "csv_records.h"
#include "test_includes.h"

namespace gridstride::csv_test {

using Records = std::vector<std::vector<std::string>>;

TEST(CsvRecord, QuotesFieldsThatNeedIt) {
    EXPECT_EQ(format_csv_record({"a", "b c", ""}), "a,b c,\r\n");
    EXPECT_EQ(format_csv_record({"a,b", "say \"hi\"", "two\nlines", "cr\r"}),
              "\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\"cr\r\"\r\n");
    EXPECT_EQ(format_csv_record({""}), "\"\"\r\n");
}

TEST(ParseCsv, ReadsRfc4180) {
    EXPECT_EQ(parse_csv("a,b\r\n\"1,5\",\"x\"\"y\"\r\n"), (Records{{"a", "b"}, {"1,5", "x\"y"}}));
    EXPECT_EQ(parse_csv("a,b\nc,d"), (Records{{"a", "b"}, {"c", "d"}}));
    EXPECT_EQ(parse_csv("a\rb\r"), (Records{{"a"}, {"b"}}));
    EXPECT_EQ(parse_csv("\"two\r\nlines\",z\n"), (Records{{"two\r\nlines", "z"}}));
    EXPECT_EQ(parse_csv(",\n"), (Records{{"", ""}}));
    EXPECT_EQ(parse_csv("a\n\nb\n"), (Records{{"a"}, {""}, {"b"}}));
    EXPECT_EQ(parse_csv("\xEF\xBB\xBF"
                        "a;b",
                        ';'),
              (Records{{"a", "b"}}));
    EXPECT_EQ(parse_csv(""), Records{});
}

TEST(ParseCsv, KeepsAQuoteInsideAnUnquotedField) {
    EXPECT_EQ(parse_csv("5\" disk,b"), (Records{{"5\" disk", "b"}}));
}

TEST(ParseCsv, RefusesAnUnclosedQuote) {
    const std::string message = message_of<FileError>([] { parse_csv("a,b\nc,\"d\ne\n"); });
    EXPECT_THAT(message, HasSubstrs("line 2", "quote"));
}

/// The text is longer than the reader's buffer.
TEST(ParseCsv, RoundTripsLongTexts) {
    std::mt19937 random(2);
    const std::string characters = "abcdefg,\"\r\n";
    Records records(300);
    std::string text;
    for (auto& record : records) {
        record.resize(1 + random() % 4);
        for (auto& field : record)
            for (std::size_t i = random() % 20'000; i > 0; --i)
                field += characters[random() % characters.size()];
        text += format_csv_record(record);
    }
    records.push_back({std::string(3 << 20, 'x'), "\"" + std::string(900'000, '\n')});
    text += format_csv_record(records.back());
    ASSERT_GT(text.size(), std::size_t{8} << 20);
    EXPECT_TRUE(parse_csv(text) == records);
}

TEST(ParseCsv, RoundTripsRandomRecords) {
    std::mt19937 random(1);
    const std::string characters = "ab,;\"\r\n \t";
    for (int round = 0; round < 2000; ++round) {
        Records records(1 + random() % 4);
        std::string text;
        for (auto& record : records) {
            record.resize(1 + random() % 4);
            for (auto& field : record) {
                for (std::size_t i = random() % 6; i > 0; --i)
                    field += characters[random() % characters.size()];
            }
            text += format_csv_record(record);
        }
        ASSERT_EQ(parse_csv(text), records) << text;
    }
}

TEST(CsvText, EscapesFormulas) {
    for (const char* const formula : {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"}) {
        EXPECT_EQ(escape_csv_text(formula), std::string("'") + formula);
        EXPECT_EQ(unescape_csv_text(escape_csv_text(formula)), formula);
        EXPECT_EQ(unescape_csv_text(escape_csv_text(escape_csv_text(formula))), escape_csv_text(formula));
    }
    for (const char* const text : {"", "a=1", "1", "'a'", "'", " =1", "seed=1;kernel==x"}) {
        EXPECT_EQ(escape_csv_text(text), text);
        EXPECT_EQ(unescape_csv_text(text), text);
    }
}

}  // namespace gridstride::csv_test
