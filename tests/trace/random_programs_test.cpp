// Compares the race detection for random programs with a simple check of every pair of accesses.

#include "test_includes.h"
#include "trace/coverage.h"
#include "trace/races.h"
#include "trace/trace_builder.h"

namespace gridstride::trace::random_programs_test {

using namespace test;

constexpr std::uint32_t width = 4, invocations = 12, workgroups = 3, words_of_memory = 40;

/// One access of one invocation, and its statement in the program.
struct Event {
    std::size_t statement;
    std::uint32_t workgroup, invocation, word, words;
};

struct Program {
    std::vector<Site> statements;  ///< one after another; every invocation passes all barriers
    std::vector<Event> events;
    TraceBuilder builder{{invocations}, {workgroups}, width};

    explicit Program(unsigned seed) {
        std::mt19937 random(seed);
        const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
        builder.trace().buffers[0].elements = words_of_memory;
        const std::uint32_t count = 4 + below(12);
        for (std::uint32_t line = 1; line <= count; ++line) {
            const auto kind = static_cast<SiteKind>(below(4));
            Site site = barrier(line, below(2) == 0);
            if (kind == SiteKind::barrier) {
                site.is_subgroup_barrier = below(2) == 0;
                site.orders_workgroup = below(4) != 0;
            } else {
                site = below(2) == 0 ? shared(kind, line, words_of_memory) : bound(kind, line);
                if (below(3) == 0) site = vector(site, 2);
            }
            statements.push_back(site);
            builder.add(site);
        }
        const std::uint32_t crowd = below(3);  // how many access words of other invocations
        for (std::uint32_t group = 0; group < workgroups; ++group)
            for (std::uint32_t i = 0; i < invocations; ++i)
                run(group, i, random, crowd);
    }

    void run(std::uint32_t group, std::uint32_t i, std::mt19937& random, std::uint32_t crowd) {
        for (std::uint32_t s = 0; s < statements.size(); ++s) {
            const Site& site = statements[s];
            if (site.kind == SiteKind::barrier) {
                builder.at(group, i, s);
                continue;
            }
            if (random() % 3 == 0) continue;
            const std::uint32_t own = (group * invocations + i) % words_of_memory;
            const auto some = static_cast<std::uint32_t>(random() % words_of_memory);
            const std::uint32_t length = site.components;
            const std::uint32_t word =
                std::min(random() % 16 < 15 * crowd / 2 ? some : own, words_of_memory - length);
            events.push_back({s, group, i, word, length});
            builder.at(group, i, s, 4 * word, {random() % 2 == 0 ? 1U : 2U});
        }
    }

    /// Whether both invocations pass a common barrier between the two statements. With `that_orders`, only
    /// barriers that order this memory count.
    bool barrier_between(const Event& a, const Event& b, bool that_orders) const {
        const auto [from, to] = std::minmax(a.statement, b.statement);
        const bool same_subgroup = a.invocation / width == b.invocation / width;
        const MemorySpace space = statements[a.statement].space;
        return std::any_of(
            statements.begin() + static_cast<std::ptrdiff_t>(from),
            statements.begin() + static_cast<std::ptrdiff_t>(to), [&](const Site& site) {
                if (site.kind != SiteKind::barrier || (site.is_subgroup_barrier && !same_subgroup))
                    return false;
                return !that_orders ||
                       (space == MemorySpace::workgroup ? site.orders_workgroup : site.orders_buffers);
            });
    }
    /// Counts the workgroup's barriers before a statement; `that_order` limits them to those that order
    /// its memory.
    std::size_t barriers_before(const Event& event, bool that_order) const {
        const MemorySpace space = statements[event.statement].space;
        return static_cast<std::size_t>(std::count_if(
            statements.begin(), statements.begin() + static_cast<std::ptrdiff_t>(event.statement),
            [&](const Site& site) {
                return site.kind == SiteKind::barrier && !site.is_subgroup_barrier &&
                       (!that_order ||
                        (space == MemorySpace::workgroup ? site.orders_workgroup : site.orders_buffers));
            }));
    }
};

using Sites = std::pair<std::uint32_t, std::uint32_t>;
struct Expected {
    std::map<Sites, std::tuple<Ordering, std::uint64_t, std::uint64_t>>
        races;                                             ///< order, places within workgroups, between them
    std::set<std::pair<std::size_t, std::size_t>> racing;  ///< events
};

/// Compares every pair of accesses, word by word.
Expected races_by_hand(const Program& program) {
    using Place = std::tuple<std::uint32_t, std::size_t, std::uint32_t>;  // workgroup, barriers before, word
    std::map<std::pair<Sites, Ordering>, std::pair<std::set<Place>, std::set<std::uint32_t>>> places;
    Expected expected;
    for (std::size_t i = 0; i < program.events.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const Event& a = program.events[i];
            const Event& b = program.events[j];
            const Site& site = program.statements[a.statement];
            const Site& other = program.statements[b.statement];
            if (site.space != other.space) continue;
            if (site.kind == other.kind && site.kind != SiteKind::store) continue;
            const bool same_group = a.workgroup == b.workgroup;
            if (same_group ? a.invocation == b.invocation : site.space == MemorySpace::workgroup) continue;
            if (same_group && program.barrier_between(a, b, true)) continue;
            const bool wrong_memory = same_group && program.barrier_between(a, b, false);
            const Ordering order = wrong_memory ? Ordering::wrong_memory : Ordering::none;
            const Sites sites(std::min(a.statement, b.statement), std::max(a.statement, b.statement));
            for (std::uint32_t word = std::max(a.word, b.word);
                 word < std::min(a.word + a.words, b.word + b.words); ++word) {
                auto& [inside, between] = places[{sites, order}];
                if (same_group)
                    inside.insert({a.workgroup, program.barriers_before(a, wrong_memory), word});
                else
                    between.insert(word);
                if (!wrong_memory) expected.racing.insert({j, i});
            }
        }
    for (const auto& [which, where] : places)  // the worst order of a pair comes first
        expected.races.try_emplace(which.first, which.second, where.first.size(), where.second.size());
    return expected;
}

void expect_races(const Program& program, unsigned seed) {
    const Trace trace = program.builder.build();
    const std::vector<Record> records = decode_records(trace);
    const Races races = find_races(trace, records);
    const Expected expected = races_by_hand(program);
    std::map<Sites, std::tuple<Ordering, std::uint64_t, std::uint64_t>> found;
    for (const Race& race : races.pairs) {
        found[{race.site, race.other_site}] = {race.order, race.inside, race.between};
        EXPECT_EQ(records[race.first].site, race.site);
        EXPECT_EQ(records[race.other].site, race.other_site);
    }
    EXPECT_EQ(found, expected.races) << seed;

    // The records other than barriers are in the order of the events.
    std::vector<std::size_t> event_of;
    std::size_t events = 0;
    for (const Record& record : records)
        event_of.push_back(trace.sites[record.site].kind == SiteKind::barrier ? 0 : events++);
    ASSERT_EQ(events, program.events.size());
    std::set<std::size_t> partnered, expected_partnered;
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (races.partners[i] == no_record) continue;
        partnered.insert(event_of[i]);
        const auto [first, second] = std::minmax(event_of[i], event_of[races.partners[i]]);
        EXPECT_TRUE(expected.racing.count({first, second})) << seed;
    }
    for (const auto& [first, second] : expected.racing) {
        expected_partnered.insert(first);
        expected_partnered.insert(second);
    }
    EXPECT_EQ(partnered, expected_partnered) << seed;
}

void expect_coverage(const Program& program, unsigned seed) {
    std::map<std::pair<SiteKind, std::uint32_t>, int> times;
    std::set<std::uint32_t> touched;
    bool accessed = false;
    for (const Site& site : program.statements)
        accessed |= site.kind != SiteKind::barrier && site.space == MemorySpace::buffer;
    for (const Event& event : program.events) {
        const Site& site = program.statements[event.statement];
        if (site.space != MemorySpace::buffer) continue;
        for (std::uint32_t word = event.word; word < event.word + event.words; ++word) {
            ++times[{site.kind, word}];
            touched.insert(word);
        }
    }
    const Trace trace = program.builder.build();
    const auto found = compute_coverage(trace, decode_records(trace));
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), accessed ? 1U : 0U) << seed;
    if (!accessed) return;
    const Coverage& coverage = found->front();
    EXPECT_EQ(coverage.untouched, words_of_memory - touched.size()) << seed;
    EXPECT_EQ(coverage.out_of_bounds, 0U);
    for (const auto& [kind, touches] :
         {std::pair(SiteKind::load, coverage.read), std::pair(SiteKind::store, coverage.written),
          std::pair(SiteKind::atomic, coverage.changed)}) {
        std::uint64_t elements = 0, more = 0;
        for (const auto& [what, count] : times) {
            if (what.first != kind) continue;
            ++elements;
            more += count > 1;
        }
        EXPECT_EQ(touches.elements, elements) << seed;
        EXPECT_EQ(touches.more_than_once, more) << seed;
    }
}

TEST(RandomPrograms, RacesAndCoverageMatchASimulation) {
    std::map<Ordering, int> counts;
    for (unsigned seed = 0; seed < static_cast<unsigned>(sample_of(500, 50)); ++seed) {
        const Program program(seed);
        expect_races(program, seed);
        expect_coverage(program, seed);
        if (HasFailure()) return;
        const Expected expected = races_by_hand(program);
        for (const auto& [sites, race] : expected.races)
            ++counts[std::get<Ordering>(race)];
        if (expected.races.empty()) ++counts[Ordering::undecidable];
    }
    for (const Ordering order : {Ordering::none, Ordering::wrong_memory, Ordering::undecidable})
        EXPECT_GT(counts[order], 2) << "the sample must include such programs";
}

}  // namespace gridstride::trace::random_programs_test
