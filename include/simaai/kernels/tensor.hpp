/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_TENSOR_HPP
#define SIMAAI_KERNELS_TENSOR_HPP

/**
 * @file tensor.hpp
 * tensor.h for C++20. Included by it; nothing throws and nothing allocates.
 */

#include <simaai/kernels/status.hpp>
#include <simaai/kernels/tensor.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <type_traits>
#include <variant>

namespace simaai::kernels
{

/** Element type: sima_dtype. */
enum class DType : int {
    Invalid = SIMA_DTYPE_INVALID,
    Int8 = SIMA_DTYPE_INT8,
    UInt8 = SIMA_DTYPE_UINT8,
    Int16 = SIMA_DTYPE_INT16,
    Int32 = SIMA_DTYPE_INT32,
    Float16 = SIMA_DTYPE_FLOAT16,
    BFloat16 = SIMA_DTYPE_BFLOAT16,
    Float32 = SIMA_DTYPE_FLOAT32
};

/**
 * One number for each axis, outermost first, held in place. Axes beyond SIMA_MAX_RANK are counted
 * but not kept, and admission refuses their count.
 */
class AxisValues
{
  public:
    /** No axis. */
    constexpr AxisValues() noexcept = default;
    /**
     * One axis for each number.
     * @param values outermost first; copied.
     */
    constexpr AxisValues(const std::initializer_list<std::int64_t> values) noexcept
        : AxisValues(std::span(values.begin(), values.size()))
    {
    }
    /**
     * One axis for each number.
     * @param values outermost first; copied.
     */
    constexpr explicit AxisValues(const std::span<const std::int64_t> values) noexcept
        : rank_(values.size())
    {
        std::copy_n(values.begin(), kept(), values_.begin());
    }

    /** @return the number of axes. */
    [[nodiscard]] constexpr std::size_t rank() const noexcept
    {
        return rank_;
    }
    /** @return the numbers that are kept: of the SIMA_MAX_RANK outermost axes at most. */
    [[nodiscard]] constexpr std::span<const std::int64_t> values() const noexcept
    {
        return std::span(values_).first(kept());
    }

  private:
    [[nodiscard]] constexpr std::size_t kept() const noexcept
    {
        return std::min(rank_, values_.size());
    }

    std::array<std::int64_t, SIMA_MAX_RANK> values_{};
    std::size_t rank_ = 0;
};

/** A tensor's extents, in elements. Shape{} is a scalar's. */
using Shape = AxisValues;

/** Row-major without gaps. */
struct Contiguous {
};

/** Each axis moves by its own stride. */
struct Strided {
    /** Bytes from one index to the next, one number for each axis; the rules are those of
     *  sima_tensor_spec::stride. */
    AxisValues strides;
};

/** How the bytes of a tensor are found from its logical coordinates. */
using Layout = std::variant<Contiguous, Strided>;

/** A tensor's shape, type and layout: sima_tensor_spec. It points nowhere. */
struct TensorSpec {
    /** Elements along each axis. */
    Shape shape{};
    /** Type of every element. */
    DType dtype = DType::Invalid;
    /** Contiguous, or Strided. */
    Layout layout{};
};

namespace detail
{

template <typename Element>
concept Readable = std::is_trivially_copyable_v<Element>;

template <typename Element>
concept Writable = Readable<Element> && !std::is_const_v<Element>;

} // namespace detail

/** Storage lent for reading: sima_const_host_buffer. The caller keeps it alive. */
struct ConstHostBuffer {
    /** No storage: for an empty tensor. */
    constexpr ConstHostBuffer() noexcept = default;
    /**
     * Storage by address.
     * @param address lowest address.
     * @param bytes   bytes from there on that may be read.
     */
    constexpr ConstHostBuffer(const void *const address, const std::size_t bytes) noexcept
        : data(address), size(bytes)
    {
    }
    /**
     * The storage that a span views.
     * @param elements not copied.
     */
    template <detail::Readable Element, std::size_t Count>
    constexpr ConstHostBuffer(const std::span<Element, Count> elements) noexcept
        : data(elements.data()), size(elements.size_bytes())
    {
    }

    /** Lowest address. */
    const void *data = nullptr;
    /** Bytes from `data` on that may be read. */
    std::size_t size = 0;
};

/** Storage lent for writing: sima_host_buffer. The caller keeps it alive. */
struct HostBuffer {
    /** No storage: for an empty tensor. */
    constexpr HostBuffer() noexcept = default;
    /**
     * Storage by address.
     * @param address lowest address.
     * @param bytes   bytes from there on that may be written.
     */
    constexpr HostBuffer(void *const address, const std::size_t bytes) noexcept
        : data(address), size(bytes)
    {
    }
    /**
     * The storage that a span views.
     * @param elements not copied.
     */
    template <detail::Writable Element, std::size_t Count>
    constexpr HostBuffer(const std::span<Element, Count> elements) noexcept
        : data(elements.data()), size(elements.size_bytes())
    {
    }

    /** Lowest address. */
    void *data = nullptr;
    /** Bytes from `data` on that may be written. */
    std::size_t size = 0;
};

namespace detail
{

/* A rank that C refuses where there are more axes than it can name. */
[[nodiscard]] constexpr std::int32_t c_rank(const Shape &shape) noexcept
{
    constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(std::min(shape.rank(), most));
}

[[nodiscard]] inline sima_tensor_spec to_c(const TensorSpec &spec) noexcept
{
    sima_tensor_spec result{};
    result.dtype = static_cast<sima_dtype>(spec.dtype);
    result.rank = c_rank(spec.shape);
    std::ranges::copy(spec.shape.values(), result.extent);
    if (const auto *const strided = std::get_if<Strided>(&spec.layout)) {
        result.layout = SIMA_LAYOUT_STRIDED;
        std::ranges::copy(strided->strides.values(), result.stride);
    }
    return result;
}

/* C has no number of strides to compare: this is the one rule that the C functions cannot check. */
[[nodiscard]] inline Status check_stride_count(const TensorSpec &spec, const Port port) noexcept
{
    const auto *const strided = std::get_if<Strided>(&spec.layout);
    if (strided == nullptr || strided->strides.rank() == spec.shape.rank()) {
        return {};
    }
    return Error{StatusCode::InvalidLayout, port, -1,
                 "the number of strides differs from the rank; give one stride, in bytes, for each "
                 "axis"};
}

/* The one element that an operation takes, or a default one in place of none: C refuses any other
 * count than one before it looks at what is there. */
template <typename Element>
[[nodiscard]] constexpr Element first_or_none(const std::span<const Element> elements) noexcept
{
    return elements.empty() ? Element{} : elements.front();
}

} // namespace detail

} // namespace simaai::kernels

#endif /* SIMAAI_KERNELS_TENSOR_HPP */
