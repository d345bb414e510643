/* SPDX-License-Identifier: Apache-2.0 */
#include <simaai/kernels/a65/dequant.h>

std::size_t second_unit_required_bytes(const simaai::kernels::a65::dequant::Request &request);

std::size_t second_unit_required_bytes(const simaai::kernels::a65::dequant::Request &request)
{
    using namespace simaai::kernels;
    const auto checked = a65::dequant::check_inference(request);
    const auto *const plan = std::get_if<a65::dequant::Plan>(&checked);
    return plan == nullptr ? 0 : plan->required_bytes(Port::Output);
}
