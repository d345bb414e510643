/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_OPS_DEQUANT_HPP
#define SIMAAI_KERNELS_OPS_DEQUANT_HPP

/**
 * @file ops/dequant.hpp
 * ops/dequant.h for C++20. Included by it; nothing throws and nothing allocates.
 */

#include <simaai/kernels/ops/dequant.h>
#include <simaai/kernels/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

namespace simaai::kernels::ops::dequant
{

/** Quantization parameters, the same for every element of the tensor: sima_dequant_params. */
struct Params {
    /** Finite and greater than zero. Required: zero, which Params{} holds, is refused. */
    float scale;
    /** Any int32; 0 for symmetric quantization. */
    std::int32_t zero_point = 0;
};

/** What is asked for: sima_dequant_request. It views the arrays, which are read during a call. */
struct Request {
    /** One tensor of DType::Int8. */
    std::span<const TensorSpec> inputs;
    /** One tensor of DType::Float32 or DType::BFloat16, with the input's shape. */
    std::span<const TensorSpec> outputs;
    /** Scale and zero point. */
    Params params;
};

/** An admitted request that knows no hardware: sima_dequant_plan, held in place. */
class Plan
{
  public:
    /** Nothing admitted; every call refuses it. */
    constexpr Plan() noexcept = default;
    /**
     * A plan that C functions filled.
     * @param plan copied.
     */
    constexpr explicit Plan(const sima_dequant_plan &plan) noexcept : plan_(plan)
    {
    }

    /**
     * Bytes that a port's buffer must hold, gaps included.
     * @param port Port::Input or Port::Output.
     * @return what sima_dequant_required_bytes() says.
     */
    [[nodiscard]] std::size_t required_bytes(const Port port) const noexcept
    {
        return sima_dequant_required_bytes(&plan_, static_cast<sima_port>(port));
    }
    /**
     * What a port's buffer address must be a multiple of.
     * @param port Port::Input or Port::Output.
     * @return what sima_dequant_required_alignment() says.
     */
    [[nodiscard]] std::size_t required_alignment(const Port port) const noexcept
    {
        return sima_dequant_required_alignment(&plan_, static_cast<sima_port>(port));
    }
    /** @return the same plan, for C functions; valid as long as this object. */
    [[nodiscard]] constexpr const sima_dequant_plan &c_plan() const noexcept
    {
        return plan_;
    }

  private:
    sima_dequant_plan plan_{};
};

} // namespace simaai::kernels::ops::dequant

namespace simaai::kernels::detail
{

/* One admission for every backend: `check` is its C function, `Plan` holds what that fills. */
template <typename Plan, typename CPlan>
[[nodiscard]] std::variant<Plan, Error>
admit(const ops::dequant::Request &request,
      sima_status (*const check)(const sima_dequant_request *, CPlan *, sima_error *)) noexcept
{
    const TensorSpec input = first_or_none(request.inputs);
    const TensorSpec output = first_or_none(request.outputs);
    if (const Status status = check_stride_count(input, Port::Input); !status.ok()) {
        return status.error();
    }
    if (const Status status = check_stride_count(output, Port::Output); !status.ok()) {
        return status.error();
    }
    const sima_tensor_spec c_input = to_c(input);
    const sima_tensor_spec c_output = to_c(output);
    sima_dequant_request c_request{};
    c_request.op = SIMA_OP_DEQUANT;
    c_request.inputs = &c_input;
    c_request.input_count = request.inputs.size();
    c_request.outputs = &c_output;
    c_request.output_count = request.outputs.size();
    c_request.params = {request.params.scale, request.params.zero_point};
    CPlan plan;
    sima_error error;
    if (check(&c_request, &plan, &error) != SIMA_OK) {
        return to_error(error);
    }
    return Plan{plan};
}

} // namespace simaai::kernels::detail

namespace simaai::kernels::ops::dequant
{

/**
 * Admits a request, for any backend.
 * @param request what is asked for; nothing of it is kept.
 * @return the plan, or what sima_dequant_check_inference() refuses and why. Also
 *         StatusCode::InvalidLayout: the number of strides differs from the rank (port).
 */
[[nodiscard]] inline std::variant<Plan, Error> check_inference(const Request &request) noexcept
{
    return detail::admit<Plan>(request, sima_dequant_check_inference);
}

} // namespace simaai::kernels::ops::dequant

#endif /* SIMAAI_KERNELS_OPS_DEQUANT_HPP */
