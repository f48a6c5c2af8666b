// Transfers: the same arrays on host and device, and the cost of each transfer between them.
#include "figures/lesson_headers.h"

namespace gridstride::lessons::transfers {

namespace {

enum class Fetch { all, counted };

constexpr Key<HostMemory> memory{"memory"};
constexpr Key<std::uint64_t> pieces{"pieces"}, rounds{"rounds"};
constexpr Key<WaitMode> waiting{"waiting"};
constexpr Key<Sequence> steps{"steps"};
constexpr Key<Fetch> fetch{"fetch"};

/// The arrays. The launches compute the samples.
enum ArrayNumber : std::size_t { pulses, noise, samples, array_count };
/// A kind of step: a transfer of one of the arrays, or a launch that computes the samples.
struct StepKind {
    const char* id;
    const char* label;
    std::optional<ArrayNumber> copied_array = {};
    bool up = false;
};
enum StepNumber : std::uint32_t { pulses_up, noise_up, adding, rectifying, down, up };
constexpr StepKind step_kinds[] = {{"pulses_up", "upload the pulses", pulses, true},
                                   {"noise_up", "upload the noise", noise, true},
                                   {"add", "launch: pulses plus noise"},
                                   {"rectify", "launch: the magnitude of each sample"},
                                   {"down", "download the samples", samples},
                                   {"up", "upload the samples", samples, true}};

std::vector<Parameter> parameters() {
    std::vector<Parameter::Choice> choices;
    for (const StepKind& kind : step_kinds)
        choices.push_back({kind.id, kind.label});
    return common_parameters(
        1000003, 256,
        {choice_parameter(memory, "Host memory", "The kind of host memory for pulses, noise and sum.",
                          Invalidates::launch,
                          {{"pageable", "pageable: the host copies first"},
                           {"pinned", "pinned: the device copies directly"},
                           {"mapped", "mapped: kernels access it directly"}}),
         number_parameter(pieces, "Pieces",
                          "The number of pieces of each upload. Each piece is submitted and waited for.", 1,
                          1, 1000, Invalidates::launch),
         number_parameter(rounds, "Rounds",
                          "How often the noise is added, each time to half of the previous result.", 1, 1,
                          20000, Invalidates::reference),
         choice_parameter(waiting, "Waiting", "How the host waits for the device.", Invalidates::launch,
                          {{"sleep", "it sleeps until it is woken"}, {"poll", "it polls the device"}}),
         sequence_parameter(steps, "Steps of the chain",
                            "Transfers and launches, in the order of their execution.",
                            std::vector{pulses_up, noise_up, adding, down, up, rectifying, down}, 12,
                            Invalidates::launch, std::move(choices)),
         choice_parameter(
             fetch, "Fetch", "How much of the positions is downloaded.", Invalidates::launch,
             {{"all", "the whole array"}, {"counted", "only the counted positions, after their count"}})});
}

struct Facts {
    std::vector<std::string_view> own_parameters;  ///< only this variant uses them
    bool has_steps = false;
};
using Run = gridstride::Run<Facts>;

// The steps of the chain.

/// The content of a copy of an array: nothing; a result of missing data; pulses plus noise; the final
/// content.
enum class Content { nothing, invalid, added, final };
struct Copy {
    Content content = Content::nothing;
    int version = 0;  ///< how often kernels have changed the array
    bool operator==(const Copy&) const = default;
};
using Copies = std::array<Copy, array_count>;
struct StepState {
    std::uint32_t number = 0;
    Copies on_host, on_device;  ///< after the step
    /// The transfer copies what is already there, or no later step uses the result.
    bool is_redundant = false;

    const StepKind& kind() const { return step_kinds[number]; }
};
/// The states of the copies after each step. If the steps are not a valid plan, `problem` is a sentence that
/// says why.
struct ChainResult {
    std::vector<StepState> states;
    std::string problem;

    bool is_right() const {
        return !states.empty() && states.back().on_host[samples].content == Content::final;
    }
};

/// Returns the content of the samples on the device after a launch.
Content content_after(std::uint32_t launch, const Copies& on_device) {
    const auto is = [&](ArrayNumber array, Content content) { return on_device[array].content == content; };
    if (launch == adding)
        return is(pulses, Content::final) && is(noise, Content::final) ? Content::added : Content::invalid;
    return is(samples, Content::added) || is(samples, Content::final) ? Content::final : Content::invalid;
}

/// Marks transfers that change nothing and, going backwards from the end, steps whose result no later step
/// uses.
void mark_redundant_steps(const StepState& start, std::vector<StepState>& states) {
    std::array<bool, array_count> needed_on_host{}, needed_on_device{};
    needed_on_host[samples] = true;
    for (std::size_t i = states.size(); i-- > 0;) {
        StepState& state = states[i];
        const StepState& before = i > 0 ? states[i - 1] : start;
        if (const auto array = state.kind().copied_array) {
            bool& from = (state.kind().up ? needed_on_host : needed_on_device)[*array];
            bool& to = (state.kind().up ? needed_on_device : needed_on_host)[*array];
            const bool changes = state.on_host != before.on_host || state.on_device != before.on_device;
            state.is_redundant = !changes || !to;
            if (state.is_redundant) continue;
            to = false;
            from = true;
        } else {
            state.is_redundant = !needed_on_device[samples];
            if (!state.is_redundant && state.number == adding) needed_on_device = {true, true, false};
        }
    }
}

ChainResult simulate_chain(const Sequence& sequence) {
    ChainResult result;
    StepState current_state;
    current_state.on_host[pulses].content = current_state.on_host[noise].content = Content::final;
    const StepState start = current_state;
    bool has_launch = false, has_download = false;
    for (const std::uint32_t step : sequence.choices) {
        current_state.number = step;
        const bool is_upload = current_state.kind().up;
        if (const auto array = current_state.kind().copied_array) {
            const Copy& from = (is_upload ? current_state.on_host : current_state.on_device)[*array];
            Copy& to = (is_upload ? current_state.on_device : current_state.on_host)[*array];
            if (is_upload && from.content == Content::nothing)
                result.problem =
                    "up comes before down, when the host has no samples to upload yet. Put down before up.";
            to = from;
            if (to.content == Content::nothing) to.content = Content::invalid;
            has_download = has_download || !is_upload;
        } else {
            Copy& copy = current_state.on_device[samples];
            copy = {content_after(step, current_state.on_device), copy.version + 1};
            has_launch = true;
        }
        result.states.push_back(current_state);
    }
    if (!has_launch)
        result.problem = "No step is a launch, so nothing would run. Insert add or rectify.";
    else if (!has_download)
        result.problem = "No step downloads the samples to the host. Insert down at the end.";
    mark_redundant_steps(start, result.states);
    return result;
}

// The input and the definitions.

/// "pulses", one of random height in each 512 samples, and "noise". Both are integer multiples of 2^-16 below
/// 8, so that their sum is exact in f32 with any rounding mode.
Input input(const Values& values) {
    constexpr std::size_t period = 512, width = 64;
    const std::size_t n = values[key::elements];
    const auto round_to_grid = [](double number) {
        return static_cast<float>(std::round(number * 0x1p16) * 0x1p-16);
    };
    const Array heights = uniform_f32(n / period + 1, values[key::seed], 0.5, 3);
    const Array random_noise = normal_f32(n, values[key::seed], 0, 0.125, /*stream=*/1);
    const auto pulse = [&](std::size_t i) {
        const double offset_from_middle =
            (static_cast<double>(i % period) - width) / width;  // -1 … 1 inside a pulse
        return round_to_grid(std::max(0.0, 1 - offset_from_middle * offset_from_middle) *
                             heights.as<float>()[i / period]);
    };
    const auto noise = [&](std::size_t i) {
        return std::clamp(round_to_grid(random_noise.as<float>()[i]), -1.0F, 1.0F);
    };
    return {{"pulses", generate_array<float>(n, pulse)}, {"noise", generate_array<float>(n, noise)}};
}

struct InputPair {
    std::span<const float> pulses, noise;
    explicit InputPair(const Input& input)
        : pulses(get(input, "pulses").as<float>()), noise(get(input, "noise").as<float>()) {}
    float sum(std::size_t i) const { return pulses[i] + noise[i]; }
};

constexpr float loudness_threshold = 1;

/// One round is exact. Each further one halves the sum and adds the noise again.
std::vector<Expected> reference(const Input& input, const Run& run) {
    const InputPair pair(input);
    const std::size_t n = pair.noise.size();
    const std::uint64_t round_count = run[rounds];
    if (round_count == 1)
        return {{"sum", generate_array<float>(n, [&](std::size_t i) { return pair.sum(i); })}};
    return {make_expected("sum", n, [&](std::size_t i) {
        Bounded all{pair.sum(i)};
        for (std::uint64_t round = 1; round < round_count; ++round) {
            const Bounded before = all;
            all = all * Bounded{0.5} + Bounded{pair.noise[i]};
            // A fixed point: further rounds change nothing.
            if (all.value == before.value && all.error == before.error) break;
        }
        return all;
    })};
}

std::vector<Expected> chain_reference(const Input& input, const Run&) {
    const InputPair pair(input);
    const auto rectified = [&](std::size_t i) { return std::abs(pair.sum(i)); };
    return {{"samples", generate_array<float>(pair.noise.size(), rectified)}};
}

std::vector<Expected> loud_reference(const Input& input, const Run&) {
    const InputPair pair(input);
    std::vector<std::uint32_t> positions;
    for (std::size_t i = 0; i < pair.noise.size(); ++i)
        if (pair.sum(i) >= loudness_threshold) positions.push_back(static_cast<std::uint32_t>(i));
    return {{"loud", share<std::uint32_t>(positions)}};
}

// The exercise packs the magnitudes of two samples into each word, so that half of the bytes come back.

constexpr std::uint64_t samples_per_word = 2;
constexpr float fixed_point_scale = 8192;  // a magnitude is below 8

std::vector<Expected> pack_reference(const Input& input, const Run&) {
    const InputPair pair(input);
    const std::size_t n = pair.noise.size();
    const auto to_fixed_point = [&](std::size_t i) {
        return i < n ? static_cast<std::uint32_t>(std::abs(pair.sum(i)) * fixed_point_scale) : 0U;
    };
    const auto packed = [&](std::size_t i) {
        return to_fixed_point(2 * i) | to_fixed_point(2 * i + 1) << 16U;
    };
    return {{"words", generate_array<std::uint32_t>(divide_up(n, samples_per_word), packed)}};
}

double on_cpu(const Input& input, const Values& values, SumRanges sum_ranges) {
    const InputPair pair(input);
    const std::uint64_t count = values[rounds];
    const std::span<float> sum = scratch_array(ElementType::f32, pair.pulses.size()).as<float>();
    // A block stays in the L1 cache during its rounds, and each instruction processes many elements.
    constexpr std::size_t block = 256;
    return sum_ranges(sum.size(), std::size_t{1} << 14, [&](std::size_t begin, std::size_t end) {
        for (std::size_t first = begin; first < end; first += block) {
            const std::size_t last = std::min(end, first + block);
            for (std::size_t i = first; i < last; ++i)
                sum[i] = pair.sum(i);
            for (std::uint64_t round = 1; round < count; ++round)
                for (std::size_t i = first; i < last; ++i)
                    sum[i] = sum[i] * 0.5F + pair.noise[i];
        }
        return double{sum[begin]} + sum[end - 1];
    });
}

// The launches.

void launch_addition(PlanBuilder& plan, PlanBuffer pulses, PlanBuffer noise, PlanBuffer sum,
                     std::uint64_t times) {
    Dispatch& launch =
        plan.launch("add", "transfers/add", {reads_each(pulses), reads_each(noise), writes_each(sum)});
    launch.push = {word(times)};
    launch.iterations_per_pass = 1 + times;
}

std::array<PlanBuffer, 2> plan_inputs(PlanBuilder& plan, std::uint64_t count = 1) {
    const std::array pair{plan.input("pulses"), plan.input("noise")};
    for (const PlanBuffer buffer : pair)
        plan.upload_in_pieces(buffer, count);
    return pair;
}

void plan(PlanBuilder& plan, const Run& run) {
    plan.set_wait_mode(run[waiting]);
    plan.set_host_memory(run[memory]);
    const auto [pulses, noise] = plan_inputs(plan, run[pieces]);
    const PlanBuffer sum = plan.output("sum");
    launch_addition(plan, pulses, noise, sum, run[rounds]);
    plan.download_main(sum);
    plan.set_cost({pulses, noise, sum}, plan.elements() * (2 * run[rounds] - 1));
}

/// All three buffers are outputs, so that a launch before the upload of its data reads poison values.
void plan_chain(PlanBuilder& plan, const Run& run) {
    plan.set_wait_mode(run[waiting]);
    // A remark refuses steps that are not a valid plan; they get the plan of the default steps.
    const bool is_plan = simulate_chain(run[steps]).problem.empty();
    const Sequence sequence = is_plan ? run[steps] : Values(parameters())[steps];
    std::vector<PlanBuffer> buffers;
    for (const char* const name : {"pulses", "noise", "samples"})
        buffers.push_back(plan.output(name));
    for (const std::uint32_t step : sequence.choices) {
        if (const auto array = step_kinds[step].copied_array)
            step_kinds[step].up ? plan.upload(buffers[*array]) : plan.download(buffers[*array]);
        else if (step == adding)
            launch_addition(plan, buffers[pulses], buffers[noise], buffers[samples], /*times=*/1);
        else
            plan.launch("rectify", run.kernel(), {updates_each(buffers[samples])});
    }
    plan.set_cost({buffers[pulses], buffers[noise], buffers[samples]}, plan.elements() * 2);
    plan.main_output("samples");
}

/// Returns the positions in ascending order; the kernel stores them in any order.
Array sort_positions(std::span<const Array* const> arrays) {
    const std::uint32_t count = arrays[0]->as<std::uint32_t>().front();
    const auto positions = arrays[1]->as<std::uint32_t>();
    Array loud = Array::of(positions.first(std::min<std::size_t>(count, positions.size())));
    std::ranges::sort(loud.as<std::uint32_t>());
    return loud;
}

void plan_loud(PlanBuilder& plan, const Run& run) {
    plan.set_wait_mode(run[waiting]);
    const auto [pulses, noise] = plan_inputs(plan);
    const PlanBuffer count = plan.filled_output("count", ElementType::u32, {1});
    const PlanBuffer positions = plan.output("positions", ElementType::u32);
    plan.launch("find loud samples", run.kernel(),
                {reads_each(pulses), reads_each(noise), updates(count), writes(positions)})
        .push = {word(loudness_threshold)};
    plan.download(count);
    plan.download(positions, run[fetch] == Fetch::counted ? "count" : "");
    plan.host_step("sort", "loud", &sort_positions, {"count", "positions"});
    plan.set_cost({pulses, noise}, plan.elements() * 2);
    plan.main_output("loud");
}

void plan_pack(PlanBuilder& plan, const Run& run) {
    plan.set_per_invocation(samples_per_word);
    const auto [pulses, noise] = plan_inputs(plan);
    const PlanBuffer words =
        plan.output("words", ElementType::u32, {divide_up(plan.elements(), samples_per_word)});
    plan.launch("pack two samples per word", run.kernel(),
                {reads_each(pulses), reads_each(noise), writes(words)});
    plan.download_main(words);
    plan.set_cost({pulses, noise, words}, plan.elements() * 2);
}

bool wrong_on_purpose(const Values& values, const Variant& variant) {
    return Run::get_facts(variant).has_steps && !simulate_chain(values[steps]).is_right();
}

void remarks(Remarks& add, const Run& run) {
    if (run.facts.has_steps) {
        const ChainResult result = simulate_chain(run[steps]);
        if (!result.problem.empty())
            add.refuse(steps, result.problem);
        else if (!result.is_right())
            add.caution(steps, "With these steps, the host ends with wrong samples.");
    }
    for (const Variant& variant : run.variants())
        for (const std::string_view id : Run::get_facts(variant).own_parameters)
            if (run.variant.id != variant.id && !run.is_default(id))
                add.add(Severity::note, id, fmt::format("Only the variant {} uses this.", variant.id));
    if (run.limits.is_cpu)
        add.note(memory, "This device is the CPU: a transfer is a copy within host memory.");
}

std::vector<Fact> result(const Run& run, const Outputs& outputs) {
    std::vector<Fact> facts;
    if (const Array* const sum = find(outputs, "sum"))
        facts.push_back({"highest", "Highest sum", summarize_numbers(*sum).largest});
    if (find(outputs, "samples")) {
        const auto redundant_transfers = std::ranges::count_if(
            simulate_chain(run[steps]).states,
            [](const StepState& state) { return state.is_redundant && state.kind().copied_array; });
        facts.push_back(
            {"needless_bytes", "Bytes of redundant transfers",
             static_cast<std::uint64_t>(redundant_transfers) * run[key::elements] * sizeof(float)});
    }
    if (const Array* const loud = find(outputs, "loud"))
        facts.push_back({"loud", "Loud samples", std::uint64_t{loud->count()}});
    return facts;
}

// Pictures.

/// Draws one column per step, with the state of each copy after it.
void draw_copies(Figures& add, const Run& run, const ChainResult& result) {
    enum Cell : std::uint8_t { nothing, valid, old, invalid, trip, launch, redundant };
    Cells cells{.kinds = {{"", ColorRole::quiet, Cells::Fill::empty},
                          {"valid copy", ColorRole::right},
                          {"outdated copy", ColorRole::quiet, Cells::Fill::hatched},
                          {"computed from missing data", ColorRole::wrong, Cells::Fill::outlined},
                          {"transfer", ColorRole::upload},
                          {"launch", ColorRole::kernel},
                          {"redundant", ColorRole::wrong, Cells::Fill::hatched}},
                .cell_name = "step"};
    Cells::Row& step_row = cells.add_row("step", result.states.size(), [&](std::size_t step) {
        const StepState& state = result.states[step];
        return state.is_redundant ? redundant : state.kind().copied_array ? trip : launch;
    });
    for (const StepState& state : result.states)
        step_row.cell_texts.emplace_back(state.kind().id);
    const auto kind_of = [](const Copy& copy, const Copy& other) {
        if (copy.content == Content::nothing) return nothing;
        if (copy.content == Content::invalid) return invalid;
        return copy.version < other.version ? old : valid;
    };
    const std::string names[] = {"pulses", "noise", run.plan.main_output};
    for (const bool on_host : {true, false})
        for (std::size_t array = 0; array < array_count; ++array) {
            const std::string label = fmt::format("{} on the {}", names[array], on_host ? "host" : "device");
            cells.add_row(label, result.states.size(), [&](std::size_t step) {
                const Copy &host = result.states[step].on_host[array],
                           &device = result.states[step].on_device[array];
                return on_host ? kind_of(host, device) : kind_of(device, host);
            });
        }
    add.cells("copies", "Where the valid copy is", remove_unused_kinds(std::move(cells)),
              "Each column is a step of the plan and shows the copies after it.");
}

void draw_transfers(Figures& add, const ChainResult& result, const Report& report) {
    constexpr ColorRole color_roles[] = {ColorRole::upload, ColorRole::kernel, ColorRole::download};
    Timeline timeline{.rows = {{"to the device", {}, 0}, {"launches", {}, 0}, {"to the host", {}, 0}}};
    double needless_ns = 0, end = 0;
    for (const StepTime& entry : report.timeline) {
        Timeline::Bar bar{entry.label, color_roles[static_cast<std::size_t>(entry.phase)], entry.start_ns,
                          entry.duration_ns};
        end = std::max(end, entry.start_ns + entry.duration_ns);
        // An upload in pieces has more steps than the chain; none of them is redundant.
        if (entry.step < result.states.size() && result.states[entry.step].is_redundant) {
            needless_ns += entry.duration_ns;
            bar = {"redundant", ColorRole::wrong, entry.start_ns, entry.duration_ns, /*striped=*/true};
        }
        timeline.rows[static_cast<std::size_t>(entry.phase)].bars.push_back(std::move(bar));
    }
    std::string note = format_byte_text(report.uploaded_bytes + report.downloaded_bytes) +
                       " were transferred between host and device.";
    if (needless_ns > 0)
        note += fmt::format(" The striped steps were redundant: {} of {}.", format_time(needless_ns).text(),
                            format_time(end).text());
    add.plot(Plot{.id = "trips",
                  .title = "The transfers of the last run",
                  .content = std::move(timeline),
                  .note = std::move(note)});
}

void draw_waveform(Figures& add, const Run&) {
    constexpr std::size_t max_shown = 512;
    FigureBuilder& figure = add.figure("waveform", "Pulses and noise", "sample", "level");
    figure.line("noise", add.input("noise").first(max_shown), ColorRole::download);
    for (const char* const output_name : {"sum", "samples"})
        if (const PlotArray output = add.output(output_name))
            figure.line(output_name, output.first(max_shown));
    figure.line("pulses", add.input("pulses").first(max_shown), ColorRole::upload);
}

void draw_chain(Figures& add, const Run& run, const Sequence& sequence) {
    const ChainResult result = simulate_chain(sequence);
    if (!result.problem.empty()) return;
    draw_copies(add, run, result);
    if (add.report() && !add.report()->timeline.empty()) draw_transfers(add, result, *add.report());
}

void pictures(Figures& add, const Run& run) {
    if (run[memory] != HostMemory::mapped) draw_chain(add, run, {{pulses_up, noise_up, adding, down}});
    draw_waveform(add, run);
}
void chain_pictures(Figures& add, const Run& run) {
    draw_chain(add, run, run[steps]);
    draw_waveform(add, run);
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson = with_variants<Facts>(
        {.id = "transfers",
         .title = "Transfers",
         .parameters = parameters(),
         .noun = "samples",
         .input = input,
         .wrong_on_purpose = wrong_on_purpose,
         .baseline = on_cpu},
        {.plan = plan, .remarks = remarks, .reference = reference, .result = result, .pictures = pictures},
        {{{"add", "Pulses plus noise", "Two uploads, one launch, and one download of the sum."},
          {.own_parameters = {memory.id, pieces.id, rounds.id}}},
         {{"chain", "Two launches",
           "A second launch rectifies the sum; the parameter steps sets the order of transfers and "
           "launches."},
          {.own_parameters = {steps.id}, .has_steps = true},
          {.kernel = "transfers/rectify.comp",
           .has_baseline = false,
           .task = {.plan = plan_chain, .reference = chain_reference, .pictures = chain_pictures}}},
         {{"loud", "Loud samples", "The positions at which pulses plus noise are loud: a few of many."},
          {.own_parameters = {fetch.id}},
          {.has_baseline = false,
           .task = {.plan = plan_loud, .reference = loud_reference, .pictures = draw_waveform}}}},
        {{{"pack", "Two samples per word",
           "Pack two samples into each word, so that half as many bytes are downloaded."},
          {},
          {.per_invocation = samples_per_word,
           .has_baseline = false,
           .task = {.plan = plan_pack, .remarks = no_op, .reference = pack_reference, .pictures = no_op}}}});
    return lesson;
}

}  // namespace gridstride::lessons::transfers
