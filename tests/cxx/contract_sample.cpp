/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The interface's C++ sample, letter for letter: first what stands at file scope, then the
 * statements of a function that returns a Status.
 */

// clang-format off
#include <array>
#include <simaai/kernels/a65/dequant.h>

namespace k = simaai::kernels;
namespace dequant = k::a65::dequant;

namespace
{

k::Status dequantize(const std::array<k::ConstHostBuffer, 1> &input_views,
                     const std::array<k::HostBuffer, 1> &output_views)
{
const std::array inputs{k::TensorSpec{k::Shape{2, 3}, k::DType::Int8}};
// Same logical shape, two-byte BF16 words, one untouched word after each row.
const std::array outputs{
    k::TensorSpec{k::Shape{2, 3}, k::DType::BFloat16, k::Strided{{8, 2}}}};
const dequant::Request request{inputs, outputs,
                               dequant::Params{0.25f, -3}};
// This request is also accepted by ops::dequant::check_inference for EV74;
// only backend preparation, memory binding and submission differ.
auto checked = dequant::check_inference(request);
if (const auto *error = std::get_if<k::Error>(&checked)) return *error;
const auto &plan = std::get<dequant::Plan>(checked);

return dequant::execute(plan, input_views, output_views);
}
// clang-format on

} // namespace

#include <cstdint>
#include <cstdio>

int main()
{
    const std::array<std::int8_t, 6> input{-128, -3, 0, 1, 2, 127};
    /* (x + 3) / 4 is exact in BF16 for all of these: -31.25, 0, 0.75, 1, 1.25, 32.5. */
    constexpr std::uint16_t untouched = 0x5aa5;
    const std::array<std::uint16_t, 8> expected{0xc1fa, 0x0000, 0x3f40, untouched,
                                                0x3f80, 0x3fa0, 0x4202, untouched};
    std::array<std::uint16_t, 8> output{};
    output.fill(untouched);

    const k::Status status =
        dequantize({k::ConstHostBuffer{input.data(), sizeof input}},
                   {k::HostBuffer{output.data(), sizeof output - sizeof output[0]}});
    if (!status.ok()) {
        std::printf("%s: %.*s\n", k::name(status.code()).data(),
                    static_cast<int>(status.error().message.size()), status.error().message.data());
        return 1;
    }
    for (std::size_t i = 0; i < output.size(); ++i) {
        if (output[i] != expected[i]) {
            std::printf("word %zu is %04x, expected %04x\n", i, unsigned{output[i]},
                        unsigned{expected[i]});
            return 1;
        }
    }
    std::puts("8 words as expected");
    return 0;
}
