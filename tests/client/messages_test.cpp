// Messages between the lab and its client survive the round trip, and damaged ones are rejected.
#include "client/messages.h"

#include <unistd.h>
#include <random>

#include "client/channel.h"
#include "client/sockets.h"
#include "test_includes.h"

namespace gridstride::lab::messages_test {

ArrayRef numbers(std::size_t count, std::uint32_t factor) {
    auto array = std::make_shared<Array>(ElementType::u32, count);
    for (std::size_t i = 0; i < count; ++i)
        array->as<std::uint32_t>()[i] = static_cast<std::uint32_t>(i) * factor;
    return array;
}

Limits example_limits() {
    Limits limits;
    limits.device_name = "a device";
    limits.driver_version = "1.2.3";
    limits.max_workgroup_size = 77;
    limits.max_bindings = 5;
    limits.timestamp_period_ns = 0.5;
    limits.loop_iterations = 65535;
    limits.subgroup_quad = true;
    return limits;
}

Request example_request() {
    Request request;
    request.id = 5;
    request.experiment.lesson = "reduction";
    request.experiment.variant = "grid_stride";
    request.experiment.values.set("elements", std::uint64_t{1000});
    request.experiment.values.set("sigma", 0.125);
    request.experiment.values.set("element_type", ChoiceIndex{1});
    request.experiment.values.set("workgroup", Extent{16, 8, 2});
    request.sampling = {.samples = 9,
                        .budget_seconds = 0.5,
                        .whole_budget = true,
                        .quick_first_report = true,
                        .is_unbatched = true};
    request.deadline_seconds = 3;
    request.experiment.input = {numbers(10, 3), 5, "mine.csv", "01234567"};
    request.experiment.kernel = KernelSource{"void main() {}", "mine.comp", "/home/me"};
    return request;
}

Report example_report() {
    Report report;
    report.request = 5;
    report.is_final = false;
    report.run_id = "0123";
    report.started_utc = "2026-11-21T00:00:00.000Z";
    report.experiment = example_request().experiment;
    report.status = Status::mismatch;
    report.is_cut_short = true;
    report.message = "One sentence.";
    report.diagnostics = {{DiagnosticLevel::warning, "mine.comp", 12, "unused"}};
    report.notes = {"A note."};
    report.remarks = {{Severity::caution, "seed", "A caution."}};
    report.device = example_limits();
    const Mismatch mismatch = {"sums", 3, 1, 2, {}, false, 0.5};
    report.compare = {1.5,    0.25, 0.5, 0.125, mismatch, {{"sums", 2, 1, true, mismatch, mismatch}},
                      "sums", 10,   4};
    report.timings.kernel = {{1, 2, 3}, true};
    report.timings.more_cpu = {{{4}, false}, {{5, 6}, false}};
    report.timings.compile_ns = 1e6;
    report.timings.kernel_repeats = 8;
    report.timings.is_unbatched = true;
    report.timings.is_provisional = true;
    report.launch = {{128}, {8, 4}, 2, 1};
    report.bytes_moved = 4096;
    report.ceilings = Ceilings{.copy_bytes_per_second = 1e10};
    report.result = {{"total", "Total", std::uint64_t{7}},
                     {"mean", "Mean", 0.5},
                     {"sums", "Sums", ArrayRef(numbers(8, 1))}};
    report.timeline = {{Phase::download, "sums", 10, 20}};
    report.input = {{"numbers", numbers(100'000, 7), 0}};
    report.outputs = {{"sums", numbers(8, 1), 4}};
    report.expected = {{"sums", numbers(8, 2)}};
    return report;
}

template <class T>
Message encode(MessageKind kind, const T& value) {
    wire::Writer writer;
    writer(value);
    return {kind, writer.bytes(), writer.arrays()};
}

/// Gives every member, at any depth, a distinct value that is not its default.
struct Fill {
    std::uint64_t next = 100;

    void operator()(bool& value) { value = !value; }
    template <wire::Plain T>
    void operator()(T& value) {
        value = static_cast<T>(++next);
    }
    void operator()(std::string& value) { value = std::to_string(++next); }
    template <wire::Enumeration E>
    void operator()(E& value) {
        value = value == last_enumerator(E{}) ? E{} : last_enumerator(E{});
    }
    void operator()(ArrayRef& value) { value = numbers(3, static_cast<std::uint32_t>(++next)); }
    void operator()(Values& value) {
        const std::uint64_t number = ++next;
        value.set(std::to_string(number), number);
    }
    template <class T>
    void operator()(std::optional<T>& value) {
        (*this)(value.emplace());
    }
    template <class T>
    void operator()(std::vector<T>& values) {
        for (int i = 0; i < 2; ++i)
            (*this)(values.emplace_back());
    }
    template <class A, class B>
    void operator()(std::pair<A, B>& value) {
        (*this)(value.first);
        (*this)(value.second);
    }
    template <class T, class... Rest>
    void operator()(std::variant<T, Rest...>& value) {
        (*this)(value.template emplace<sizeof...(Rest)>());
    }
    template <class T>
    requires std::is_aggregate_v<T>
    void operator()(T& value) {
        with_members(value, [this](auto&... members) { ((*this)(members), ...); });
    }
};

/// Calls check(a, b) for each pair of corresponding members of two values, at any depth.
template <class T, class Check>
void in_pairs(const T& a, const T& b, const Check& check) {
    if constexpr (std::is_aggregate_v<T>)
        with_members(a, [&](const auto&... members_a) {
            with_members(b, [&](const auto&... members_b) { (in_pairs(members_a, members_b, check), ...); });
        });
    else
        check(a, b);
}

struct Same {
    bool operator()(const ArrayRef& a, const ArrayRef& b) const {
        return a && b ? a->type() == b->type() && std::ranges::equal(a->raw(), b->raw()) : a == b;
    }
    template <class T>
    bool operator()(const std::optional<T>& a, const std::optional<T>& b) const {
        return a && b ? (*this)(*a, *b) : a.has_value() == b.has_value();
    }
    template <class T>
    bool operator()(const std::vector<T>& a, const std::vector<T>& b) const {
        return std::ranges::equal(a, b, *this);
    }
    template <class A, class B>
    bool operator()(const std::pair<A, B>& a, const std::pair<A, B>& b) const {
        return (*this)(a.first, b.first) && (*this)(a.second, b.second);
    }
    template <class... T>
    bool operator()(const std::variant<T...>& a, const std::variant<T...>& b) const {
        return a.index() == b.index() && std::visit(
                                             [this]<class X, class Y>(const X& x, const Y& y) {
                                                 if constexpr (std::same_as<X, Y>) return (*this)(x, y);
                                                 return false;
                                             },
                                             a, b);
    }
    template <class T>
    bool operator()(const T& a, const T& b) const {
        if constexpr (std::is_aggregate_v<T>) {
            bool all = true;
            in_pairs(a, b, [&](const auto& x, const auto& y) { all = all && (*this)(x, y); });
            return all;
        } else {
            return a == b;
        }
    }
};

template <class T>
class EveryMember : public testing::Test {};
using Travellers = testing::Types<Report, Request, Limits, RunProgress, Hello>;
TYPED_TEST_SUITE(EveryMember, Travellers);

TYPED_TEST(EveryMember, SurvivesEncodingAndDecoding) {
    TypeParam sent;
    Fill{}(sent);
    std::size_t place = 0;
    in_pairs(sent, TypeParam{}, [&place](const auto& member, const auto& fallback) {
        EXPECT_FALSE(Same{}(member, fallback)) << "a lost member would not be detected at index " << place;
        ++place;
    });
    EXPECT_GE(place, 2u);
    const auto back = decode<TypeParam>(encode(MessageKind::report, sent));
    place = 0;
    in_pairs(sent, back, [&place](const auto& member, const auto& arrived) {
        EXPECT_TRUE(Same{}(member, arrived)) << "member " << place;
        ++place;
    });
}

TEST(Messages, ReportSurvivesEncodingAndDecoding) {
    const Report report = example_report();
    const Message message = encode(MessageKind::report, report);
    EXPECT_EQ(message.arrays.size(), 1u) << "the input is large enough for shared memory";
    const auto back = decode<Report>(message);
    EXPECT_EQ(encode(MessageKind::report, back).bytes, message.bytes);
    EXPECT_TRUE(Same{}(back, report));
    EXPECT_EQ(back.correct_values("sums")->as<std::uint32_t>()[7], 14u);
    EXPECT_EQ(back.input.front().array, report.input.front().array);
}

TEST(Messages, RequestSurvivesEncodingAndDecoding) {
    const Request request = example_request();
    const Message message = encode(MessageKind::request, request);
    const auto back = decode<Request>(message);
    EXPECT_EQ(encode(MessageKind::request, back).bytes, message.bytes);
    EXPECT_TRUE(Same{}(back, request));
}

/// Decodes a message by its kind. Damaged messages must throw MalformedMessage only; then this returns false.
bool read_anything(const Message& message) {
    try {
        if (message.kind == MessageKind::report)
            decode<Report>(message);
        else if (message.kind == MessageKind::request)
            decode<Request>(message);
        else if (message.kind == MessageKind::ready)
            decode<Limits>(message);
        else if (message.kind == MessageKind::progress)
            decode<RunProgress>(message);
        else
            decode<Hello>(message);
        return true;
    } catch (const wire::MalformedMessage&) {
        return false;
    }
}

TEST(Messages, DamagedMessagesAreReadOrRefused) {
    const std::vector<Message> sound = {
        encode(MessageKind::report, example_report()), encode(MessageKind::request, example_request()),
        encode(MessageKind::ready, example_limits()), encode(MessageKind::progress, RunProgress{1, 2, 3, 4}),
        encode(MessageKind::hello, Hello{"llvmpipe", true})};
    std::mt19937 random(20261121);
    std::size_t refused = 0;
    for (int round = 0; round < 100'000; ++round) {
        Message message = sound[random() % sound.size()];
        const std::size_t damages = 1 + random() % 8;
        for (std::size_t i = 0; i < damages; ++i) {
            std::vector<std::byte>& bytes = message.bytes;
            switch (random() % 4) {
                case 0:
                    if (!bytes.empty()) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
                    break;
                case 1:
                    bytes.resize(random() % (bytes.size() + 1));
                    break;
                case 2:  // lengths have eight bytes: try extreme ones
                    if (bytes.size() >= 8) {
                        const std::uint64_t length = random() % 2 ? ~std::uint64_t{0} : random() % 4096;
                        std::memcpy(bytes.data() + random() % (bytes.size() - 7), &length, sizeof length);
                    }
                    break;
                default:
                    bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(random() % (bytes.size() + 1)),
                                 static_cast<std::byte>(random()));
            }
        }
        if (random() % 4 == 0) message.kind = sound[random() % sound.size()].kind;
        try {
            if (!read_anything(message)) ++refused;
        } catch (const std::exception& other) {
            FAIL() << "round " << round << ": " << other.what();
        }
    }
    EXPECT_GT(refused, 10'000u) << "most damage is detected";
    EXPECT_LT(refused, 100'000u) << "a changed number is still valid";
}

TEST(Channel, LargeArraysAreSharedWithoutACopy) {
    const auto [one, two] = sockets();
    Channel from(one), to(two);
    const Report report = example_report();
    from.send(MessageKind::report, report);
    from.send(MessageKind::report, report);
    const auto first = decode<Report>(to.receive());
    const auto second = decode<Report>(to.receive());
    const ArrayRef& sent = report.input.front().array;
    const ArrayRef& got = first.input.front().array;
    ASSERT_EQ(got->count(), sent->count());
    EXPECT_EQ(got->as<std::uint32_t>()[99'999], sent->as<std::uint32_t>()[99'999]);
    EXPECT_EQ(got, second.input.front().array);
    // A received report can be forwarded.
    to.send(MessageKind::report, first);
    EXPECT_EQ(decode<Report>(from.receive()).input.front().array->as<std::uint32_t>()[5], 35u);
}

TEST(Channel, ThrowsIfTheOtherEndIsClosed) {
    const auto [one, two] = sockets();
    Channel from(one);
    close(two);
    EXPECT_THROW(from.receive(), ChannelClosed);
    EXPECT_THROW(for (int i = 0; i < 10; ++i) from.send(MessageKind::cancel), ChannelClosed);
}

TEST(Channel, RefusesDamagedStreams) {
    std::mt19937 random(7);
    for (int round = 0; round < 2'000; ++round) {
        const auto [one, two] = sockets();
        Channel to(two);
        std::array<std::uint32_t, 16> words{};
        for (std::uint32_t& word : words)
            word = random() % 2 ? random() % 8 : static_cast<std::uint32_t>(random());
        if (random() % 2) words[0] = protocol_version;
        if (random() % 2) words[1] = random() % 8;
        if (random() % 2) words[3] = 0;
        ASSERT_EQ(write(one, words.data(), sizeof words), static_cast<ssize_t>(sizeof words));
        close(one);
        try {
            for (;;)
                read_anything(to.receive());
        } catch (const ChannelClosed&) {
        } catch (const wire::MalformedMessage&) {
        }
    }
}

TEST(Channel, RefusalsOfAHeaderNameItsValues) {
    const auto [one, two] = sockets();
    Channel to(two);
    const std::array<std::uint32_t, 16> words{protocol_version, 99};
    ASSERT_EQ(write(one, words.data(), sizeof words), static_cast<ssize_t>(sizeof words));
    close(one);
    EXPECT_THAT(message_of<wire::MalformedMessage>([&] { to.receive(); }),
                Mentions(99, static_cast<unsigned>(MessageKind::notice), Channel::max_arrays));
}

TEST(Channel, SenderRefusesTooManyArrays) {
    const auto [one, two] = sockets();
    Channel from(one), to(two);
    Report report;
    for (std::size_t i = 0; i <= Channel::max_arrays; ++i)
        report.outputs.push_back({"x", numbers(Array::shared_bytes / 4, 1), 0});
    EXPECT_THROW(from.send(MessageKind::report, report), std::length_error);
}

}  // namespace gridstride::lab::messages_test
