/* SPDX-License-Identifier: Apache-2.0 */

/* The example of docs/linking.md, taken out of it, and what it must give. */

#include "linking.hpp"

#include <cstdio>

int main()
{
    constexpr std::array<std::int8_t, 6> x{-128, -3, 0, 1, 2, 127};
    constexpr std::array<float, 6> expected{-31.25f, 0.0f, 0.75f, 1.0f, 1.25f, 32.5f};
    std::array<float, 6> y{};
    const k::Status status = dequantize(x, y);
    if (!status.ok() || y != expected) {
        std::puts(k::name(status.code()).data());
        return 1;
    }
    return 0;
}
