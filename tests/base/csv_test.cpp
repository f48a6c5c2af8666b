
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <random>

#include "base/error.h"
#include "base/message_of.h"
#include "base/mutations.h"
#include "csv_records.h"
#include "test_environment.h"

namespace gridstride {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using Records = std::vector<std::vector<std::string>>;

std::vector<double> numbers(const std::string& text) {
    const Array column = parse_number_column(text, "data.csv");
    const std::span<const double> values = column.as<double>();
    return {values.begin(), values.end()};
}

std::string csv_complaint(const std::string& text) {
    return test::message_of<FileError>([&] { parse_number_column(text, "data.csv"); });
}

TEST(CsvRecord, QuotesWhereItMust) {
    EXPECT_EQ(csv_record({"a", "b c", ""}), "a,b c,\r\n");
    EXPECT_EQ(csv_record({"a,b", "say \"hi\"", "two\nlines", "cr\r"}),
              "\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\"cr\r\"\r\n");
    EXPECT_EQ(csv_record({""}), "\"\"\r\n");
}

TEST(ParseCsv, ReadsWhatRfc4180Describes) {
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
    const std::string message = test::message_of<FileError>([] { parse_csv("a,b\nc,\"d\ne\n"); });
    EXPECT_THAT(message, AllOf(HasSubstr("line 2"), HasSubstr("quote")));
}

/// More than is held at a time.
TEST(ParseCsv, ReadsBackLongTexts) {
    std::mt19937 random(2);
    const std::string characters = "abcdefg,\"\r\n";
    Records records(300);
    std::string text;
    for (auto& record : records) {
        record.resize(1 + random() % 4);
        for (auto& field : record)
            for (std::size_t i = random() % 20'000; i > 0; --i)
                field += characters[random() % characters.size()];
        text += csv_record(record);
    }
    records.push_back({std::string(3 << 20, 'x'), "\"" + std::string(900'000, '\n')});
    text += csv_record(records.back());
    ASSERT_GT(text.size(), std::size_t{8} << 20);
    EXPECT_TRUE(parse_csv(text) == records);
}

TEST(ParseCsv, CountsLinesInLongTexts) {
    std::string text;
    for (int i = 0; i < 400'000; ++i)
        text += "12345\r\n";
    EXPECT_THAT(csv_complaint(text + "x\r\n1\r\n"), HasSubstr("line 400001: \"x\""));
}

TEST(ParseCsv, ALineWithoutEndIsNotHeld) {
    const std::string endless(std::size_t{16} << 20, '1');
    EXPECT_THAT(csv_complaint("1\n2\n" + endless), AllOf(HasSubstr("line 3"), HasSubstr("longer than 4")));
    EXPECT_THAT(csv_complaint("1\n\"" + endless), AllOf(HasSubstr("line 2"), HasSubstr("never closed")));
}

TEST(ParseCsv, ReadsBackWhatWasWritten) {
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
            text += csv_record(record);
        }
        ASSERT_EQ(parse_csv(text), records) << text;
    }
}

TEST(CsvText, IsNoFormula) {
    for (const char* const formula : {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"}) {
        EXPECT_EQ(csv_text(formula), std::string("'") + formula);
        EXPECT_EQ(text_of_csv(csv_text(formula)), formula);
        EXPECT_EQ(text_of_csv(csv_text(csv_text(formula))), csv_text(formula));
    }
    for (const char* const text : {"", "a=1", "1", "'a'", "'", " =1", "seed=1;kernel==x"}) {
        EXPECT_EQ(csv_text(text), text);
        EXPECT_EQ(text_of_csv(text), text);
    }
}

TEST(NumberColumn, ReadsOneNumberALine) {
    EXPECT_THAT(numbers("1\n2.5\n-3e2\n"), ElementsAre(1, 2.5, -300));
    EXPECT_THAT(numbers("1\r\n2\r\n\r\n\n"), ElementsAre(1, 2));
    EXPECT_THAT(numbers("+1\n .5 \n5.\n\t7\t"), ElementsAre(1, 0.5, 5, 7));
    EXPECT_THAT(numbers("0"), ElementsAre(0));
}

TEST(NumberColumn, TakesTheFirstColumnThatHoldsNumbers) {
    const Array column =
        parse_number_column("when,temperature,humidity\nmonday,21.5,40\ntuesday,22,41\n", "f");
    EXPECT_EQ(column.type(), ElementType::f64);
    EXPECT_EQ(column.count(), 2u);
    EXPECT_EQ(column.number(1), 22);
}

TEST(NumberColumn, WorksWithoutAHeading) {
    EXPECT_THAT(numbers("a,1\nb,2\n"), ElementsAre(1, 2));
}

TEST(NumberColumn, UnderstandsSemicolonsTabsAndDecimalCommas) {
    EXPECT_THAT(numbers("x;y\n1,5;2\n-0,25;3\n"), ElementsAre(1.5, -0.25));
    EXPECT_THAT(numbers("1,5;2,5\n3;4\n"), ElementsAre(1.5, 3));
    EXPECT_THAT(numbers("x\ty\n1.5\t2\n"), ElementsAre(1.5));
    EXPECT_THAT(numbers("1,5\t2\n3\t4\n"), ElementsAre(1.5, 3));
    EXPECT_THAT(numbers("\"1.5\",2\n\"2.5\",3"), ElementsAre(1.5, 2.5));
    EXPECT_THAT(numbers("\"a;b\",c\n1,2\n"), ElementsAre(1));  // the semicolon is text
    EXPECT_THAT(csv_complaint("x;y\n1.234,5;-\n"), HasSubstr("line 2"));
    EXPECT_THAT(csv_complaint("x;y\n1;2\n1,2,3;2\n"), HasSubstr("\"1,2,3\""));
}

TEST(NumberColumn, IgnoresAByteOrderMark) {
    EXPECT_THAT(numbers("\xEF\xBB\xBF"
                        "1\n2\n"),
                ElementsAre(1, 2));
    EXPECT_THAT(numbers("\xEF\xBB\xBFlength\n1\n"), ElementsAre(1));
    EXPECT_THAT(csv_complaint(std::string("\xFF\xFE"
                                          "1\0\n\0",
                                          6)),
                HasSubstr("UTF-16"));
}

TEST(NumberColumn, SaysWhichLineIsWrong) {
    EXPECT_THAT(csv_complaint("x\n1\ntwo\n3\n"),
                AllOf(HasSubstr("\"data.csv\""), HasSubstr("line 3"), HasSubstr("\"two\"")));
    EXPECT_THAT(csv_complaint("a,1\nb\n"), AllOf(HasSubstr("line 2"), HasSubstr("column 2")));
    EXPECT_THAT(csv_complaint("a,1\nb,\n"), AllOf(HasSubstr("line 2"), HasSubstr("empty")));
    EXPECT_THAT(csv_complaint("1\n\n2\n"), AllOf(HasSubstr("line 2"), HasSubstr("blank")));
    EXPECT_THAT(csv_complaint("\"a\nb\"\n1\nx\n"), HasSubstr("line 4"));  // a quoted heading over two lines
    EXPECT_THAT(csv_complaint("1\n\"2\n"),
                AllOf(HasSubstr("\"data.csv\""), HasSubstr("line 2"), HasSubstr("quote")));
    EXPECT_THAT(csv_complaint("1\n1 2\n"), HasSubstr("\"1 2\""));
    EXPECT_THAT(csv_complaint("1\n0x10\n"), HasSubstr("\"0x10\""));
    EXPECT_THAT(csv_complaint("1\n+-1\n"), HasSubstr("\"+-1\""));
}

TEST(NumberColumn, TakesNanAndInfinityAsOtherFilesDo) {
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_THAT(numbers("x\n1\nnan\nNaN\n-nan\n"),
                ElementsAre(1, testing::IsNan(), testing::IsNan(), testing::IsNan()));
    EXPECT_THAT(numbers("inf\n-Infinity\n+inf\n"), ElementsAre(infinity, -infinity, infinity));
    EXPECT_THAT(csv_complaint("1\n1e999\n"), AllOf(HasSubstr("1e999"), HasSubstr("range")));
}

TEST(NumberColumn, RefusesLinesThatMayBeNumbersWithADecimalComma) {
    for (const char* const text : {"1,5\n2,25\n", "1,5", "value\n1,5\n2,25\n", "1\n-2,5\n3\n", "1.5\n2,5\n",
                                   "1,5e-3\r\n+2,5E4\r\n\r\n", " 1,5 \n 2,5\n"})
        EXPECT_THAT(csv_complaint(text), AllOf(HasSubstr("decimal comma"), HasSubstr("heading line")))
            << text;
    EXPECT_THAT(csv_complaint("value\n1\n1,5\n2,5"), AllOf(HasSubstr("line 3"), HasSubstr("\"1,5\"")));
}

TEST(NumberColumn, DropsNoFirstNumberAsAHeading) {
    for (const char* const first : {"\"1,5\"", "1 234", "1'234.5", "\u22121.5", "1\u202F234", "1.234.567"})
        EXPECT_THAT(csv_complaint(std::string(first) + "\n2\n3\n"), HasSubstr("written in another way"))
            << first;
    for (const char* const heading :
         {"2nd", "12:30", "2024-01-01", "v1.2", "\u2212", "a 1 234", "10 cm", "%"})
        EXPECT_THAT(numbers(std::string(heading) + "\n2\n3\n"), ElementsAre(2, 3)) << heading;
}

TEST(NumberColumn, ReadsTwoColumnsWhereALineShowsThatTheyAre) {
    EXPECT_THAT(numbers("x,y\n1,5\n2,25\n"), ElementsAre(1, 2));
    EXPECT_THAT(numbers("1,5,7\n2,25,8\n"), ElementsAre(1, 2));
    EXPECT_THAT(numbers("1, 5\n2, 25\n"), ElementsAre(1, 2));
    EXPECT_THAT(numbers("1,-5\n2,25\n"), ElementsAre(1, 2));
    EXPECT_THAT(numbers("1,5\n2,2.5\n"), ElementsAre(1, 2));
    EXPECT_THAT(numbers("1,5\n2.5,2\n"), ElementsAre(1, 2.5));
    EXPECT_THAT(numbers("1,\n2,\n"), ElementsAre(1, 2));
    EXPECT_THAT(numbers("1\t5\n2\t25\n"), ElementsAre(1, 2));
    EXPECT_THAT(numbers("name,1\nother,2\n"), ElementsAre(1, 2));
}

TEST(NumberColumn, RefusesAFileWithoutNumbers) {
    EXPECT_THAT(csv_complaint(""), HasSubstr("empty"));
    EXPECT_THAT(csv_complaint("\n\r\n \n"), HasSubstr("empty"));
    EXPECT_THAT(csv_complaint("heading\n"), HasSubstr("heading"));
    EXPECT_THAT(csv_complaint("heading\nunit\n1\n"), AllOf(HasSubstr("line 2"), HasSubstr("\"unit\"")));
}

TEST(NumberText, AllColumnsAreTakenRowByRow) {
    const auto all = [](const std::string& text) {
        const Numbers read = parse_number_text(text, "data.csv", Take::all);
        std::vector<double> values = {static_cast<double>(read.width)};
        for (std::size_t i = 0; i < read.array.count(); ++i)
            values.push_back(read.array.number(i));
        return values;
    };
    EXPECT_THAT(all("1\n2\n3\n"), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(all("1.5,2\n3,4\n"), ElementsAre(2, 1.5, 2, 3, 4));
    EXPECT_THAT(all("a;b;c\n1,5;2;3\n4;5;6\n"), ElementsAre(3, 1.5, 2, 3, 4, 5, 6));
    EXPECT_THAT(all("day,x,y\nmonday,1,2\ntuesday,3,4\n"), ElementsAre(2, 1, 2, 3, 4))
        << "text has no numbers";
    EXPECT_THAT(all("1,2,3,\n4,5,6,\n"), ElementsAre(3, 1, 2, 3, 4, 5, 6)) << "a comma ends the line";
    const auto complaint = [&](const std::string& text) {
        return test::message_of<FileError>([&] { all(text); });
    };
    EXPECT_THAT(complaint("1,2,3\n4,5\n"),
                HasSubstr("line 2: it has 2 columns, and the first line of numbers has 3. Give it as many."));
    EXPECT_THAT(complaint("1,2,3\n4,5,6,7\n"), HasSubstr("line 2: it has 4 columns"));
    EXPECT_THAT(complaint("1,2,3,\n4,5,6,7\n"), HasSubstr("line 2: it has 4 columns"));
    EXPECT_THAT(complaint("1,2,3\n4,,6\n"), HasSubstr("line 2: column 2 is empty"));
    EXPECT_THAT(complaint("1,,3\n4,5,6\n"), HasSubstr("line 1: column 2 is empty"));
    EXPECT_THAT(complaint("1,2,3\n4,x,6\n"), HasSubstr("line 2: \"x\" is not a number"));
    EXPECT_THAT(complaint("1,n/a,3\n4,5,6\n"),
                HasSubstr("line 2: column 2 holds \"5\", and text in the first"));
    EXPECT_THAT(complaint("a;1 234\n1;2\n"), HasSubstr("stands above the numbers"));
    EXPECT_THAT(complaint("1,2\n3,4\n"), HasSubstr("one number with a decimal comma or two columns"));
}

TEST(NumberColumn, RefusalsAreShortAndPrintable) {
    const std::string message = csv_complaint("1\n" + std::string(100'000, '\x01') + "\n");
    EXPECT_LT(message.size(), 300u);
    EXPECT_EQ(message.find('\x01'), std::string::npos);
}

TEST(NumberColumn, ReadsALongFileInLinearTime) {
    std::string text = "name,value\n";
    std::string wide = "value";
    for (int i = 0; i < 100'000; ++i) {
        text += fmt::format("row {},{}.25\n", i, i);
        wide += ",x";
    }
    wide += "\n1\n";
    const auto begin = std::chrono::steady_clock::now();
    const Array column = parse_number_column(text, "f");
    EXPECT_THAT(numbers(wide), ElementsAre(1));
    EXPECT_THAT(csv_complaint("1\n" + std::string(1'000'000, '\n') + "2\n"), HasSubstr("blank"));
    EXPECT_THAT(csv_complaint("1\n" + std::string(1'000'001, '"') + "\n"), HasSubstr("quote"));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(column.count(), 100'000u);
    EXPECT_EQ(column.number(99'999), 99'999.25);
    // A second is a hundred times what it takes, for busy machines and sanitizers; quadratic time would be
    // minutes.
    EXPECT_LT(took.count(), 3.0);
}

TEST(NumberColumn, SurvivesDamagedText) {
    const std::string originals[] = {
        "when,temperature\nmonday,21.5\ntuesday,-2.25e1\n",
        "x;y\r\n1,5;2\r\n\"-0,25\";3\r\n\r\n",
        "\xEF\xBB\xBF"
        "1\n2\n3\n\n",
        "\"a \"\"b\"\"\"\t1\n\"c\nd\"\t2\n",
    };
    std::mt19937 random(20240601);
    const int files = sample_of(20'000, 2'000);
    int read = 0;
    for (int i = 0; i < files; ++i) {
        const std::string text = test::mutated(originals[random() % std::size(originals)], random);
        try {
            const Array column = parse_number_column(text, "data.csv");
            ASSERT_FALSE(column.empty());
            ++read;
        } catch (const FileError& error) {
            ASSERT_TRUE(std::string_view(error.what()).starts_with("\"data.csv\": ")) << error.what();
        }
    }
    // Both ways are taken, or the mutations are too weak or too strong to say anything.
    EXPECT_GT(read, files / 20);
    EXPECT_LT(read, files - files / 20);
}

}  // namespace
}  // namespace gridstride
