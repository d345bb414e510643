/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_A65_DEQUANT_HPP
#define SIMAAI_KERNELS_A65_DEQUANT_HPP

/**
 * @file a65/dequant.hpp
 * a65/dequant.h for C++20. Included by it; nothing throws and nothing allocates.
 */

#include <simaai/kernels/a65/dequant.h>
#include <simaai/kernels/ops/dequant.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <variant>

namespace simaai::kernels::a65::dequant
{

using ops::dequant::Params;
using ops::dequant::Request;

/** A plan that this backend can execute: sima_a65_dequant_plan, held in place. */
class Plan
{
  public:
    /** Nothing prepared; execute() refuses it. */
    constexpr Plan() noexcept = default;
    /**
     * A plan that C functions filled.
     * @param plan copied.
     */
    constexpr explicit Plan(const sima_a65_dequant_plan &plan) noexcept : plan_(plan)
    {
    }

    /** @return a copy of the shared half, for another backend. */
    [[nodiscard]] ops::dequant::Plan shared() const noexcept
    {
        return ops::dequant::Plan{plan_.shared};
    }
    /**
     * Bytes that a port's buffer must hold, gaps included.
     * @param port Port::Input or Port::Output.
     * @return what sima_dequant_required_bytes() says.
     */
    [[nodiscard]] std::size_t required_bytes(const Port port) const noexcept
    {
        return sima_dequant_required_bytes(&plan_.shared, static_cast<sima_port>(port));
    }
    /**
     * What a port's buffer address must be a multiple of.
     * @param port Port::Input or Port::Output.
     * @return what sima_dequant_required_alignment() says.
     */
    [[nodiscard]] std::size_t required_alignment(const Port port) const noexcept
    {
        return sima_dequant_required_alignment(&plan_.shared, static_cast<sima_port>(port));
    }
    /** @return the name of the selected kernel, for logs; empty where nothing was prepared. */
    [[nodiscard]] std::string_view kernel_name() const noexcept
    {
        const char *const found = sima_a65_dequant_kernel_name(&plan_);
        return found == nullptr ? std::string_view{} : std::string_view{found};
    }
    /** @return the same plan, for C functions; valid as long as this object. */
    [[nodiscard]] constexpr const sima_a65_dequant_plan &c_plan() const noexcept
    {
        return plan_;
    }

  private:
    sima_a65_dequant_plan plan_{};
};

/**
 * Selects the kernel for an admitted request.
 * @param shared copied, not kept.
 * @return the plan, or what sima_a65_dequant_prepare() refuses and why.
 */
[[nodiscard]] inline std::variant<Plan, Error> prepare(const ops::dequant::Plan &shared) noexcept
{
    sima_a65_dequant_plan plan;
    sima_error error;
    if (sima_a65_dequant_prepare(&shared.c_plan(), &plan, &error) != SIMA_OK) {
        return detail::to_error(error);
    }
    return Plan{plan};
}

/**
 * Admission and preparation in one call.
 * @param request what is asked for; nothing of it is kept.
 * @return the plan, or what ops::dequant::check_inference() refuses and why.
 */
[[nodiscard]] inline std::variant<Plan, Error> check_inference(const Request &request) noexcept
{
    return detail::admit<Plan>(request, sima_a65_dequant_check_inference);
}

/**
 * Runs the operation on the caller's buffers and returns when the output is complete.
 * @param plan    prepared; one plan may serve many threads at once.
 * @param inputs  one buffer.
 * @param outputs one buffer. Gaps between elements are not written.
 * @return success, or what sima_a65_dequant_execute() refuses and why; then nothing was written.
 */
inline Status execute(const Plan &plan, const std::span<const ConstHostBuffer> inputs,
                      const std::span<const HostBuffer> outputs) noexcept
{
    const ConstHostBuffer input = detail::first_or_none(inputs);
    const HostBuffer output = detail::first_or_none(outputs);
    const sima_const_host_buffer c_input{input.data, input.size};
    const sima_host_buffer c_output{output.data, output.size};
    sima_error error;
    if (sima_a65_dequant_execute(&plan.c_plan(), &c_input, inputs.size(), &c_output, outputs.size(),
                                 &error) != SIMA_OK) {
        return detail::to_error(error);
    }
    return {};
}

} // namespace simaai::kernels::a65::dequant

#endif /* SIMAAI_KERNELS_A65_DEQUANT_HPP */
