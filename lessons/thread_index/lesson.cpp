// Thread index: which invocation does which element, and what if there are too few or too many of them.
#include "figures/lesson_headers.h"

#include "thread_index/thread_index.h"

namespace gridstride::lessons::thread_index {

namespace {

std::vector<Parameter> parameters() {
    const auto watched = [](Key<std::uint64_t> key, const char* label, std::uint64_t default_value) {
        return number_parameter(key, label, "The invocation that leaves which element it came to.",
                                default_value, 0, 1 << 30, Invalidates::reference);
    };
    return common_parameters(
        {domain_parameter("width", "Elements along x", 4096, "How many elements a row has."),
         domain_parameter("height", "Elements along y", 1, "How many rows there are.")},
        {128, 1},
        {watched(key::watched_workgroup, "Watched: its workgroup", 3),
         watched(key::watched_invocation, "Watched: its number there", 5)});
}

// Who is there.

std::uint64_t elements_of(const Values& values) {
    return values[key::width] * values[key::height];
}

/// The grid that a launch has; "auto" covers what there is.
Extent grid_for(const Values& values, bool in_rows) {
    const Extent grid = requested_grid(values), workgroup = requested_workgroup(values);
    if (grid.x > 0) return grid;
    const Extent domain =
        in_rows ? Extent{values[key::width], values[key::height]} : Extent{elements_of(values), 1};
    return divide_up(domain, workgroup);
}

/// Invocations along x and y.
Extent launched(const Values& values, bool in_rows) {
    const Extent grid = grid_for(values, in_rows), workgroup = requested_workgroup(values);
    return {grid.x * workgroup.x, grid.y * workgroup.y};
}

/// How many elements have an invocation.
std::uint64_t covered(const Values& values, const Facts& facts) {
    const Extent all = launched(values, facts.in_rows);
    if (!facts.in_rows) return std::min(all.x, elements_of(values));
    return facts.swapped ? std::min(all.x, values[key::height]) * std::min(all.y, values[key::width])
                         : std::min(all.x, values[key::width]) * std::min(all.y, values[key::height]);
}

/// Invocations that find that they have no element.
std::uint64_t idle(const Values& values, const Facts& facts) {
    if (!facts.guarded) return 0;
    const Extent all = launched(values, facts.in_rows);
    return all.product() - covered(values, facts) * (facts.in_rows ? 1 : all.y);
}

/// Invocations along x that have no element, and write behind the array.
std::uint64_t beyond(const Values& values, const Facts& facts) {
    return facts.guarded ? 0 : launched(values, facts.in_rows).x - covered(values, facts);
}

bool wrong_on_purpose(const Values& values, const Variant& variant) {
    const Facts& facts = Run::get_facts(variant);
    return facts.fetched_early || covered(values, facts) < elements_of(values) || beyond(values, facts) > 0;
}

/// The element of the invocation that is watched; untouched: it has none, or is not there.
std::uint32_t element_of_watched(const Values& values, const Facts& facts) {
    const Extent workgroup = requested_workgroup(values), grid = grid_for(values, facts.in_rows);
    const std::uint64_t group = values[key::watched_workgroup], number = values[key::watched_invocation];
    if (group >= grid.product() || number >= workgroup.product()) return untouched;
    const std::uint64_t x = group % grid.x * workgroup.x + number % workgroup.x,
                        y = group / grid.x * workgroup.y + number / workgroup.x;
    const std::uint64_t column = facts.swapped ? y : x, row = facts.swapped ? x : y;
    const bool inside = facts.in_rows ? column < values[key::width] && row < values[key::height]
                                      : x < elements_of(values) || !facts.guarded;
    if (!inside) return untouched;
    return word(facts.in_rows ? row * values[key::width] + column : x);
}

// Input: bright discs on noise, and what becomes brighter to the right; a single row is a cut through them.

ArrayRef discs(const Values& values) {
    const std::uint64_t width = values[key::width], height = values[key::height];
    std::array<std::uint32_t, 18> places{};  // x, y and radius of each disc
    fill_random_u32(places, values[key::seed], 1);
    Array picture(ElementType::u32, width * height);
    const auto out = picture.as<std::uint32_t>();
    fill_random_u32(out, values[key::seed], 0);
    parallel_for(out.size(), std::size_t{1} << 14, [&](std::size_t begin, std::size_t end) {
        const auto squared = [](std::uint64_t a, std::uint64_t b) {
            const std::uint64_t apart = std::max(a, b) - std::min(a, b);
            return apart * apart;
        };
        const std::uint64_t side = std::max(width, height);
        for (std::size_t i = begin; i < end; ++i) {
            bool inside = false;
            for (std::size_t disc = 0; disc < places.size(); disc += 3) {
                const std::uint64_t radius = side / 16 + places[disc + 2] % (side / 8 + 1);
                inside = inside || squared(i % width, places[disc] % width) +
                                           squared(i / width, places[disc + 1] % height) <
                                       radius * radius;
            }
            out[i] = 20 + out[i] % 24 + (inside ? 120 : 0);
        }
    });
    return share(std::move(picture));
}

Input with_slope(ArrayRef x, const Values& values) {
    const std::uint64_t width = values[key::width];
    Array slope(ElementType::u32, x->count());
    const auto out = slope.as<std::uint32_t>();
    parallel_for(out.size(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            out[i] = static_cast<std::uint32_t>(1 + i % width * 80 / width);
    });
    const auto columns = static_cast<std::uint32_t>(width);
    return {{"x", std::move(x), columns}, {"y", share(std::move(slope)), columns}};
}

Input input(const Values& values) {
    return with_slope(discs(values), values);
}

Input input_from_user(const UserData& data, const Values& values) {
    return with_slope(convert_user_numbers<std::uint32_t>(data), values);
}

// The definition: what a launch should do, whatever it does. What lies behind the array stays as it was.

std::vector<Expected> reference(const Input& input, const Run& run) {
    const Facts& facts = run.facts;
    const auto x = get(input, "x").as<std::uint32_t>(), y = get(input, "y").as<std::uint32_t>();
    Array results(ElementType::u32, x.size() + beyond(run.values, facts));
    const auto right = results.as<std::uint32_t>();
    std::ranges::fill(right.subspan(x.size()), untouched);
    for (std::size_t i = 0; i < x.size(); ++i)
        right[i] = facts.squares ? x[i] * x[i] : x[i] + y[i];
    const std::uint32_t watched = element_of_watched(run.values, facts),
                        without = word(idle(run.values, facts));
    return {{.output = "results", .reference = share(std::move(results))},
            {.output = "watched", .reference = share(Array::of(std::span(&watched, 1)))},
            {.output = "idle", .reference = share(Array::of(std::span(&without, 1)))}};
}

/// The kernels have no loop, so the launch runs over those elements that have an invocation. What has none
/// and no guard meets arrays that are longer than they say.
void plan(PlanBuilder& plan, const Run& run) {
    const Values& values = run.values;
    const Facts& facts = run.facts;
    const Extent all = launched(values, facts.in_rows);
    const std::uint64_t count = plan.elements(), behind = beyond(values, facts);
    const PlanBuffer x = plan.input("x", ElementType::u32, {count + behind});
    const PlanBuffer y = plan.input("y", ElementType::u32, {count + behind});
    const PlanBuffer results = plan.output("results", ElementType::u32, {count + behind});
    const PlanBuffer watched = plan.output("watched", ElementType::u32, {1});
    const PlanBuffer idle = plan.output("idle", ElementType::u32, {1});
    if (behind > 0)
        for (const PlanBuffer array : {x, y})
            plan.fill(array, 500, /*is_untimed=*/true);
    plan.upload(x, count);
    plan.upload(y, count);
    plan.fill(results, untouched);
    plan.fill(watched, untouched);
    plan.fill(idle, 0);
    if (facts.fetched_early) plan.download(results);
    Dispatch& launch = plan.launch("one element each", run.kernel(),
                                   {reads(x), reads(y), updates(results), updates(watched), updates(idle)});
    launch.grid = grid_for(values, facts.in_rows);
    launch.domain = facts.in_rows
                        ? Extent{std::min(all.x, values[key::width]), std::min(all.y, values[key::height])}
                        : Extent{std::min(all.x, count), 1};
    launch.push = {word(values[key::width]), word(values[key::height]), word(values[key::watched_workgroup]),
                   word(values[key::watched_invocation])};
    if (!facts.fetched_early) plan.download(results);
    plan.download(watched);
    plan.download(idle);
    plan.set_cost(3 * sizeof(std::uint32_t) * count, count);
    plan.main_output("results");
}

void remarks(Remarks& say, const Run& run) {
    const Values& values = run.values;
    const Facts& facts = run.facts;
    const std::uint64_t missing = elements_of(values) - covered(values, facts),
                        behind = beyond(values, facts);
    if (missing > 0)
        say.caution(key::grid, fmt::format("{} of {} elements have no invocation: they stay as they were.",
                                           format_count(missing), format_count(elements_of(values))));
    if (behind > 0)
        say.caution(key::grid, fmt::format("{} invocations have no element, and no guard stops them.",
                                           format_count(behind)));
    const std::uint64_t along_y = launched(values, facts.in_rows).y;
    if (!facts.in_rows && along_y > 1)
        say.caution(key::workgroup,
                    fmt::format("This kernel counts along x alone: each element is done by {} invocations.",
                                format_count(along_y)));
    if (facts.fetched_early) say.caution("The results are copied to the CPU before the kernel has begun.");
}

std::vector<Fact> result(const Run& run, const Outputs& outputs) {
    const Values& values = run.values;
    const Array* const found = find(outputs, "results");
    if (!found || found->empty()) return {};
    const auto results = found->as<std::uint32_t>();
    const std::size_t count = std::min<std::size_t>(elements_of(values), results.size());
    std::uint64_t missing = 0, stretches = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (results[i] != untouched) continue;
        ++missing;
        stretches += i == 0 || results[i - 1] != untouched;
    }
    const auto behind = results.subspan(count);
    const auto foreign = behind.size() - static_cast<std::size_t>(std::ranges::count(behind, untouched));
    std::vector<Fact> facts = {
        {"untouched", "Elements that nobody wrote", missing},
        {"stretches", "Stretches in which these lie", stretches},
        {"foreign", "Elements of others that were overwritten", std::uint64_t{foreign}}};
    const auto number = [&](std::string_view output) {
        const Array* const array = find(outputs, output);
        return array && !array->empty() ? array->as<std::uint32_t>()[0] : untouched;
    };
    if (number("idle") != untouched)
        facts.push_back({"idle", "Invocations without an element", std::uint64_t{number("idle")}});
    if (number("watched") != untouched)
        facts.push_back({"element", "Element of the watched invocation", std::uint64_t{number("watched")}});
    return facts;
}

// To make: squares of a picture, on any launch that has an invocation for each.

std::vector<Expected> square_each_reference(const Input& input, const Run&) {
    const auto x = get(input, "x").as<std::uint32_t>();
    Array squares(ElementType::u32, x.size());
    std::ranges::transform(x, squares.as<std::uint32_t>().begin(),
                           [](std::uint32_t one) { return one * one; });
    return {{.output = "results", .reference = share(std::move(squares))}};
}

void plan_square_each(PlanBuilder& plan, const Run& run) {
    const Values& values = run.values;
    const PlanBuffer x = plan.input("x", ElementType::u32);
    const PlanBuffer results = plan.output("results", ElementType::u32);
    plan.upload(x);
    plan.launch("the square of each", "thread_index/square_each_start", {reads(x), writes(results)}).push = {
        word(values[key::width]), word(values[key::height])};
    plan.download(results);
    plan.set_cost(2 * sizeof(std::uint32_t) * plan.elements(), plan.elements());
    plan.main_output("results");
}

void square_each_remarks(Remarks& say, const Run& run) {
    const Extent all = launched(run.values, /*in_rows=*/true);
    if (all.x < run.values[key::width] || all.y < run.values[key::height])
        say.refuse(key::grid,
                   fmt::format("{} invocations do not cover {} elements. Give more workgroups, or auto.",
                               text_of(all), text_of(run.plan.main().domain)));
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson = with_variants<Facts>(
        {.id = "thread_index",
         .title = "Thread index",
         .parameters = parameters(),
         .domain = {"width", "height"},
         .input = input,
         .input_files = {".png"},
         .input_from_user = input_from_user,
         .reference_depends_on_launch = true,
         .wrong_on_purpose = wrong_on_purpose},
        {.plan = plan, .remarks = remarks, .reference = reference, .result = result, .pictures = pictures},
        {{{"add", "One each",
           "Each invocation adds one pair of numbers, and nobody asks whether there is one."},
          {.guarded = false}},
         {{"square", "One each, squared", "As one each; behind the results lies somebody else's array."},
          {.guarded = false, .squares = true}},
         {{"guarded", "With a guard", "Whoever has no element ends at once."}},
         {{"picture", "Rows and columns",
           "x is the column of a picture and y its row, with a guard for both."},
          {.in_rows = true}},
         {{"swapped", "x and y mixed up", "x is taken for the row and y for the column."},
          {.in_rows = true, .swapped = true}},
         {{"early", "Fetched too early", "The results are copied back before the kernel has begun."},
          {.fetched_early = true},
          {.kernel = "thread_index/guarded.comp"}}},
        {{{"square_each", "The square of each element", "Of a picture, whatever its size."},
          {},
          {.has_baseline = false,
           .task = {.plan = plan_square_each,
                    .remarks = square_each_remarks,
                    .reference = square_each_reference,
                    .pictures = no_op}}}});
    return lesson;
}

}  // namespace gridstride::lessons::thread_index
