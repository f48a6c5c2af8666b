#include "lab/judge.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace gridstride::lab {

namespace {

bool same_infinity(double a, double b) {
    return std::isinf(a) && std::isinf(b) && std::signbit(a) == std::signbit(b);
}

/// Exact outputs of one type are compared as bytes first: the usual case, and as fast as memory.
bool same_bytes(const Array& a, const Array& b) {
    return a.type() == b.type() && a.count() == b.count() &&
           std::memcmp(a.raw().data(), b.raw().data(), a.bytes()) == 0;
}

bool holds_floats(const Array& array) {
    return array.type() == ElementType::f32 || array.type() == ElementType::f64;
}

}  // namespace

Judgement judge(const Expected& expected, const Outputs& outputs) {
    Judgement judgement;
    const Array& reference = *expected.reference;
    const Array* actual = find(outputs, expected.output);
    if (!actual || actual->count() != reference.count()) {
        judgement.first_mismatch = Mismatch{expected.output, actual ? actual->count() : 0, NAN, NAN};
        return judgement;
    }
    const Tolerance& tolerance = expected.tolerance;
    const bool exact = tolerance.absolute == 0 && tolerance.relative == 0;
    if (exact && !holds_floats(*actual) && same_bytes(*actual, reference)) {
        judgement.right = true;
        return judgement;
    }
    for (std::size_t i = 0; i < reference.count(); ++i) {
        const double gpu = actual->number(i);
        const double wanted = reference.number(i);
        bool right = false;
        if (std::isfinite(gpu) && std::isfinite(wanted)) {
            const double difference = std::abs(gpu - wanted);
            const double scale = expected.scale ? expected.scale->number(i) : std::abs(wanted);
            judgement.max_abs_error = std::max(judgement.max_abs_error, difference);
            if (wanted != 0)
                judgement.max_rel_error = std::max(judgement.max_rel_error, difference / std::abs(wanted));
            right = difference <= tolerance.absolute + tolerance.relative * scale;
        } else {
            right = same_infinity(gpu, wanted);
        }
        if (!right && !judgement.first_mismatch)
            judgement.first_mismatch = Mismatch{expected.output, i, gpu, wanted};
    }
    judgement.right = !judgement.first_mismatch;
    return judgement;
}

bool guard_intact(std::span<const std::byte> region) {
    for (std::size_t at = 0; at + sizeof guard_word <= region.size(); at += sizeof guard_word) {
        std::uint32_t word = 0;
        std::memcpy(&word, region.data() + at, sizeof word);
        if (word != guard_word) return false;
    }
    return true;
}

}  // namespace gridstride::lab
