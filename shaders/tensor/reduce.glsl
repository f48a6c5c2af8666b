// Reduces many numbers to one, for each result of a launch: `team_size` invocations of a workgroup share a result, each takes every
// `team_size`-th number, and halves of them are combined in workgroup memory. If one result has many numbers and there are few
// results, a result is computed in parts, and a later launch reduces those.
//
// The includer defines NUMBER, a type; PARAMETERS, which begin with `uint numbers; uint parts; uint part_numbers;`; and
//     NUMBER identity                               the neutral element
//     NUMBER combine(NUMBER a, NUMBER b)
//     NUMBER number_at(uint e)                     number e % numbers of result e / numbers
//     void store_result(uint r, uint e, NUMBER result)    stores result r of this dispatch, e of the whole launch
layout(constant_id = 3) const uint team_size = 1;  // invocations per result: a power of two that divides the workgroup

shared NUMBER partials[gl_WorkGroupSize.x];

void main() {
    const uint invocation = gl_LocalInvocationID.x, results_at_once = gl_WorkGroupSize.x / team_size;
    for (uint first = gl_WorkGroupID.x * results_at_once; first < launch.count; first += launch.workgroup_count * results_at_once) {
        const uint r = first + invocation / team_size;
        NUMBER partial = identity;
        // [numbers]
        if (r < launch.count) {
            const uint whole = place_of(r) / launch.parts;
            const uint begin = place_of(r) % launch.parts * launch.part_numbers;
            const uint end = min(begin + launch.part_numbers, launch.numbers);
            for (uint k = begin + invocation % team_size; k < end; k += team_size)
                partial = combine(partial, number_at(whole * launch.numbers + k));
        }
        // [/numbers]
        partials[invocation] = partial;
        barrier();
        // [halves]
        for (uint distance = team_size / 2; distance > 0; distance /= 2) {
            if (invocation % team_size < distance) partials[invocation] = combine(partials[invocation], partials[invocation + distance]);
            barrier();
        }
        // [/halves]
        if (invocation % team_size == 0 && r < launch.count) store_result(r, place_of(r), partials[invocation]);
        barrier();  // the previous numbers are read before the next are stored
    }
}
