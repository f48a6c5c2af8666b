// One launch: each workgroup scans a tile in registers, publishes its sum, and looks back at the sums of the tiles before it.
// D. Merrill and M. Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVIDIA, 2016.
// A kernel first requires extensions and defines what vectors.glsl needs, and the conversion of an ELEMENT to bits and back.
#include "vectors.glsl"
#include "words.glsl"

// [status]
const uint nothing_known = 0;
const uint sum_known = 1;     // of the tile
const uint prefix_known = 2;  // up to it

// 0 in the first launch, 1 in the second one,
// 0 in the third one, and so on.
shared uint parity;

// Each of two words has the parity, the flag
// and half of the value, which has 32 bits.
void publish(uint tile, uint flag,
             ELEMENT value) {
    const uint bits = TO_BITS(value);
    const uint head = parity << 2 | flag;
    store_word(2 * tile,
               head << 16 | bits >> 16);
    store_word(2 * tile + 1,
               head << 16 | bits & 0xffff);
}

// Returns the flag and the bits of the value.
uvec2 load_status(uint tile) {
    const uint high = load_word(2 * tile);
    const uint low = load_word(2 * tile + 1);
    const uint head = low >> 16;
    // They differ between the two stores. A
    // status of the last launch is none.
    const bool is_known = high >> 16 == head
        && head >> 2 == parity;
    return uvec2(
        is_known ? head & 3 : nothing_known,
        high << 16 | low & 0xffff);
}
// [/status]

// The sum of a tile that this subgroup does not wait for any longer. Each tile before another one is full.
ELEMENT recount(uint tile) {
    ELEMENT4 sum = ELEMENT4(0);
    const uint first = tile * vectors_of_tile();
    for (uint q = lane; q < vectors_of_tile(); q += lanes) sum += NUMBERS[first + q];
    return subgroupAdd((sum.x + sum.y) + (sum.z + sum.w));
}

// The first lane for which the condition holds, or the number of lanes.
uint first_lane(bool condition) {
    const uvec4 ballot = subgroupBallot(condition);
    return subgroupAny(condition) ? subgroupBallotFindLSB(ballot) : lanes;
}

// One subgroup calls this. Returns the sum of all tiles before `tile`.
ELEMENT look_back(uint tile) {
    ELEMENT sum = ELEMENT(0);  // of the tiles of this lane
    uint polls_left = polls;
    // [look_back]
    for (uint end = tile; end > 0; end -= lanes) {
        // Lane 0 has the tile before `end`,
        // lane 1 the one before that.
        const bool exists = lane < end;
        const uint mine =
            exists ? end - 1 - lane : 0;
        uvec2 status = load_status(mine);
        uint nearest;
        while (true) {
            // Before tile 0, nothing is added.
            if (!exists)
                status = uvec2(prefix_known, 0);
            nearest = first_lane(
                status.x == prefix_known);
            const uint missing = first_lane(
                status.x == nothing_known);
            if (missing >= nearest) break;
            if (polls_left > 0) {
                --polls_left;
                status = load_status(mine);
                continue;
            }
            const uint bits = TO_BITS(
                recount(end - 1 - missing));
            if (lane == missing)
                status = uvec2(sum_known, bits);
        }
        if (lane <= nearest)
            sum += FROM_BITS(status.y);
        if (nearest < lanes) break;
    }
    // [/look_back]
    return subgroupAdd(sum);
}

shared uint tile_of_workgroup;
shared ELEMENT before_tile;

void main() {
    // [ticket]
    if (gl_LocalInvocationIndex == 0) {
        // Two launches count to 2 tile_count.
        const uint ticket = take_ticket();
        parity = ticket / tile_count();
        tile_of_workgroup =
            ticket - parity * tile_count();
        if (ticket == 2 * tile_count() - 1)
            reset_tickets();
    }
    barrier();
    const uint tile = tile_of_workgroup;
    // [/ticket]
    // [main]
    load(tile);
    const ELEMENT own = scan_in_subgroup();
    ELEMENT total;
    const ELEMENT before_subgroup =
        sum_before_subgroup(own, total);
    if (gl_SubgroupID == 0) {
        if (lane == 0)
            publish(tile, sum_known, total);
        const ELEMENT sum = look_back(tile);
        if (lane == 0) {
            publish(tile, prefix_known,
                    sum + total);
            before_tile = sum;
        }
    }
    barrier();
    store(tile, before_tile + before_subgroup);
    // [/main]
}
