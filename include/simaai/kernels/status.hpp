/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_STATUS_HPP
#define SIMAAI_KERNELS_STATUS_HPP

/**
 * @file status.hpp
 * status.h for C++20. Included by it; nothing throws and nothing allocates.
 */

#include <simaai/kernels/status.h>

#include <cstdint>
#include <string_view>

namespace simaai::kernels
{

/** Outcome of a call: sima_status, which says what each value means. */
enum class StatusCode : int {
    Ok = SIMA_OK,
    InvalidArgument = SIMA_INVALID_ARGUMENT,
    UnsupportedOperation = SIMA_UNSUPPORTED_OPERATION,
    InvalidArity = SIMA_INVALID_ARITY,
    UnsupportedDType = SIMA_UNSUPPORTED_DTYPE,
    InvalidShape = SIMA_INVALID_SHAPE,
    ShapeMismatch = SIMA_SHAPE_MISMATCH,
    InvalidLayout = SIMA_INVALID_LAYOUT,
    InvalidParameter = SIMA_INVALID_PARAMETER,
    SizeOverflow = SIMA_SIZE_OVERFLOW,
    NullBuffer = SIMA_NULL_BUFFER,
    MisalignedBuffer = SIMA_MISALIGNED_BUFFER,
    BufferTooSmall = SIMA_BUFFER_TOO_SMALL,
    AddressOverflow = SIMA_ADDRESS_OVERFLOW,
    OverlappingBuffers = SIMA_OVERLAPPING_BUFFERS,
    UnsupportedEnvironment = SIMA_UNSUPPORTED_ENVIRONMENT
};

/** Which tensor of an operation is meant: sima_port. */
enum class Port : int { None = SIMA_PORT_NONE, Input = SIMA_PORT_INPUT, Output = SIMA_PORT_OUTPUT };

/**
 * The name of a code as it is spelt in C, for logs.
 *
 * @param code any value.
 * @return static storage; "SIMA_UNKNOWN_STATUS" for a value outside the enumeration.
 */
[[nodiscard]] inline std::string_view name(const StatusCode code) noexcept
{
    return sima_status_name(static_cast<sima_status>(code));
}

/** Where and why a call ended: sima_error. */
struct Error {
    /** The cause. */
    StatusCode code = StatusCode::Ok;
    /** The tensor concerned, or Port::None. */
    Port port = Port::None;
    /** The logical axis concerned, counted from 0 at the outermost; -1 where none is. */
    std::int32_t axis = -1;
    /** What was found, what is admitted and what to do; static storage, empty on success. */
    std::string_view message{};
};

/** What a call without a result answers: success, or an error, from which it is made implicitly. */
class [[nodiscard]] Status
{
  public:
    /** Success. */
    constexpr Status() noexcept = default;
    /**
     * What an error says.
     * @param error copied; one whose code is StatusCode::Ok is success.
     */
    constexpr Status(const Error &error) noexcept : error_(error)
    {
    }

    /** @return whether the call did what it says. */
    [[nodiscard]] constexpr bool ok() const noexcept
    {
        return error_.code == StatusCode::Ok;
    }
    /** @return the cause, or StatusCode::Ok. */
    [[nodiscard]] constexpr StatusCode code() const noexcept
    {
        return error_.code;
    }
    /** @return the details; after success, those of no error. */
    [[nodiscard]] constexpr const Error &error() const noexcept
    {
        return error_;
    }

  private:
    Error error_{};
};

namespace detail
{

[[nodiscard]] inline Error to_error(const sima_error &error) noexcept
{
    return Error{static_cast<StatusCode>(error.status), static_cast<Port>(error.port), error.axis,
                 error.message};
}

} // namespace detail

} // namespace simaai::kernels

#endif /* SIMAAI_KERNELS_STATUS_HPP */
