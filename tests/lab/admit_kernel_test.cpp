// The gate that people's own kernels pass, shown damaged ones. Nothing here reaches a driver.
#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <vector>

#include "lab/own_kernel.h"
#include "shader/kernel_store.h"

namespace gridstride::lab {
namespace {

TEST(Gate, WhatSpirvValRefusesNeverReachesTheDriver) {
    Dispatch dispatch;
    dispatch.workgroup_size = 64;
    dispatch.bindings = {{0}, {1}, {2}, {3}, {4}};
    dispatch.push.resize(8);
    Limits device;
    device.device_name = "a device";
    device.subgroup_arithmetic = device.float64 = device.storage16 = device.float32_atomic_add = true;
    std::mt19937 random(20261121);
    int refused = 0, admitted = 0;
    for (const std::string kernel : {"reduction/tree_sequential.u32", "reduction/single_pass.f32",
                                     "histogram/atomic_shared", "gaussian/vec4", "hidden_layer/fused"}) {
        const std::vector<std::uint32_t> good = shader::load_kernel(kernel);
        EXPECT_NO_THROW(admit(good, dispatch, device)) << kernel;
        for (int i = 0; i < 120; ++i) {
            std::vector<std::uint32_t> mutant = good;
            for (std::uint32_t flips = 1 + random() % 3; flips > 0; --flips) {
                std::uint32_t& word = mutant[random() % mutant.size()];
                word = random() % 2 == 0 ? word ^ (1u << (random() % 32)) : random() % 512;
            }
            const bool valid = shader::validate(mutant).empty();
            bool let_through = true;
            try {
                admit(mutant, dispatch, device);
            } catch (const std::runtime_error&) {
                let_through = false;
            }
            EXPECT_TRUE(valid || !let_through) << kernel << " mutant " << i;
            (let_through ? admitted : refused) += 1;
        }
    }
    EXPECT_GT(refused, 100);
    EXPECT_GT(admitted, 10) << "a gate that refuses everything proves nothing";
}

}  // namespace
}  // namespace gridstride::lab
