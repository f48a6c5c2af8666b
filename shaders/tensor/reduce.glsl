// Reduces many numbers to one, for each result of a launch: `sharers` invocations of a workgroup share a result, each takes every
// `sharers`-th number, and halves of them are combined in workgroup memory. If one result has many numbers and there are few
// results, a result is computed in parts, and a later launch reduces those.
//
// The includer defines NUMBER, a type; PARAMETERS, which begin with `uint numbers; uint parts; uint part_numbers;`; and
//     NUMBER nothing                               the neutral element
//     NUMBER with(NUMBER a, NUMBER b)
//     NUMBER number_at(uint e)                     number e % numbers of result e / numbers
//     void leave(uint r, uint e, NUMBER result)    stores result r of this dispatch, e of the whole launch
layout(constant_id = 3) const uint sharers = 1;  // invocations per result: a power of two that divides the workgroup

shared NUMBER kept[gl_WorkGroupSize.x];

void main() {
    const uint me = gl_LocalInvocationID.x, at_once = gl_WorkGroupSize.x / sharers;
    for (uint first = gl_WorkGroupID.x * at_once; first < launch.count; first += launch.workgroup_count * at_once) {
        const uint r = first + me / sharers;
        NUMBER mine = nothing;
        // [numbers]
        if (r < launch.count) {
            const uint whole = place_of(r) / launch.parts;
            const uint begin = place_of(r) % launch.parts * launch.part_numbers;
            const uint end = min(begin + launch.part_numbers, launch.numbers);
            for (uint k = begin + me % sharers; k < end; k += sharers)
                mine = with(mine, number_at(whole * launch.numbers + k));
        }
        // [/numbers]
        kept[me] = mine;
        barrier();
        // [halves]
        for (uint half_of = sharers / 2; half_of > 0; half_of /= 2) {
            if (me % sharers < half_of) kept[me] = with(kept[me], kept[me + half_of]);
            barrier();
        }
        // [/halves]
        if (me % sharers == 0 && r < launch.count) leave(r, place_of(r), kept[me]);
        barrier();  // the previous numbers are read before the next are stored
    }
}
