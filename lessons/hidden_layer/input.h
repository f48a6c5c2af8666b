#pragma once

#include "hidden_layer/parameters.h"
#include "lesson/data.h"

namespace gridstride::lessons::hidden_layer {

/// "greyscales": floor(255 u), u uniform in [0, 1) (stream 0 of the seed), so whole numbers 0 … 254, as f32.
/// "weights": normal, mean 0.5, standard deviation 0.1 (stream 1), f32, one for each greyscale.
Input input(const Values& values);

/// The user's numbers as greyscales, with weights as in input(). A picture's width goes along. Throws Refusal
/// naming the first number that is not finite or whose magnitude is above 1e30: such a one could overflow on
/// its way to tanh.
Input input_from_user(const UserData& data, const Values& values);

}  // namespace gridstride::lessons::hidden_layer
