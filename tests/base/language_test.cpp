#include "base/language.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "base/units.h"

namespace gridstride {

TEST(Language, TextsAreEnglishWithoutACatalogue) {
    EXPECT_STREQ(tr("Next →"), "Next →");
    EXPECT_STREQ(tr(""), "") << "not the head of a catalogue";
    EXPECT_EQ(tr("Hint {} of {}", 1, 3), "Hint 1 of 3");
    EXPECT_EQ(counted(1, "access", "accesses"), "1 access");
    EXPECT_EQ(counted(2, "access", "accesses"), "2 accesses");
    EXPECT_EQ(counted(0, "lane"), "0 lanes");
}

TEST(Language, InvalidTranslationFallsBackToEnglish) {
    const int first = 1, second = 3;
    const auto values = fmt::make_format_args(first, second);
    EXPECT_EQ(format_translated("Indice {} sur {}", "Hint {} of {}", values), "Indice 1 sur 3");
    EXPECT_EQ(format_translated("Sur {1} : {0}", "Hint {} of {}", values), "Sur 3 : 1");
    for (const char* const wrong : {"Indice {} sur {} {}", "Indice {", "Indice {x}", "Indice {:s}"})
        EXPECT_EQ(format_translated(wrong, "Hint {} of {}", values), "Hint 1 of 3") << wrong;
}

TEST(Language, FoldsLetters) {
    EXPECT_EQ(fold_letters("Étape SUIVANTE"), "etape suivante");
    EXPECT_EQ(fold_letters("À l'œuvre, çà et là, ÿ Ž ß"), "a l'oeuvre, ca et la, y z ss");
    EXPECT_EQ(fold_letters("quel\u00a0? l\u2019un"), "quel ? l'un");
    EXPECT_EQ(fold_letters("µs λ → 日本 2 × 3 ÷ 4"), "µs λ → 日本 2 × 3 ÷ 4")
        << "other characters are unchanged";
    EXPECT_EQ(fold_letters("a\x80\xC3"), "a\x80\xC3") << "invalid bytes are unchanged";
}

TEST(Language, FoldedLettersHaveSourceOffsets) {
    std::vector<std::size_t> sources;
    EXPECT_EQ(fold_letters("aéœz", &sources), "aeoez");
    EXPECT_EQ(sources, (std::vector<std::size_t>{0, 1, 3, 3, 5}));
}

}  // namespace gridstride
