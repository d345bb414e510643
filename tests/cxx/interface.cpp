/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The C++ interface against the C functions that it stands on: what it passes on, what it checks
 * itself, and what it promises as types.
 */

#include <simaai/kernels/a65/dequant.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <string_view>
#include <type_traits>
#include <vector>

namespace k = simaai::kernels;
namespace ops = k::ops::dequant;
namespace a65 = k::a65::dequant;

std::size_t second_unit_required_bytes(const a65::Request &request);

/* Once armed, an allocation ends the program. */
static bool allocation_is_forbidden = false;

static void *allocate(const std::size_t bytes)
{
    void *const memory = allocation_is_forbidden ? nullptr : std::malloc(bytes);
    if (memory == nullptr) {
        std::puts("an allocation");
        std::abort();
    }
    return memory;
}

void *operator new(const std::size_t bytes)
{
    return allocate(bytes);
}

void operator delete(void *const memory) noexcept
{
    std::free(memory);
}

void operator delete(void *const memory, std::size_t) noexcept
{
    std::free(memory);
}

namespace
{

int checks = 0;

void require(const bool condition, const int line)
{
    ++checks;
    if (!condition) {
        std::printf("interface.cpp:%d: not so\n", line);
        std::exit(1);
    }
}

#define REQUIRE(...) require((__VA_ARGS__), __LINE__)

/* What the interface promises as types. */
static_assert(std::is_same_v<a65::Request, ops::Request>);
static_assert(std::is_trivially_copyable_v<ops::Plan> && std::is_trivially_copyable_v<a65::Plan>);
static_assert(std::is_trivially_copyable_v<k::TensorSpec> &&
              std::is_trivially_copyable_v<k::Status>);
static_assert(std::is_convertible_v<k::Error, k::Status>);
static_assert(!std::is_convertible_v<k::Status, bool>);
static_assert(std::is_same_v<decltype(k::Error::message), std::string_view>);
static_assert(std::is_constructible_v<k::ConstHostBuffer, std::span<const float>>);
static_assert(std::is_constructible_v<k::ConstHostBuffer, std::span<float, 4>>);
static_assert(std::is_constructible_v<k::HostBuffer, std::span<float>>);
static_assert(!std::is_constructible_v<k::HostBuffer, std::span<const float>>);
static_assert(!std::is_constructible_v<k::ConstHostBuffer, std::span<std::vector<int>>>);
static_assert(noexcept(a65::check_inference(std::declval<const a65::Request &>())));
static_assert(noexcept(ops::check_inference(std::declval<const ops::Request &>())));
static_assert(noexcept(a65::prepare(std::declval<const ops::Plan &>())));
static_assert(noexcept(a65::execute(std::declval<const a65::Plan &>(), {}, {})));
static_assert(k::Shape{}.rank() == 0);
static_assert(k::Shape{2, 3}.rank() == 2 && k::Shape{2, 3}.values()[1] == 3);
static_assert(k::Shape{1, 2, 3, 4, 5, 6, 7}.rank() == 7);
static_assert(k::Shape{1, 2, 3, 4, 5, 6, 7}.values().size() == SIMA_MAX_RANK);
static_assert(k::Strided{{8}}.strides.rank() == 1 && k::Strided{{}}.strides.rank() == 0);
static_assert(k::Status{}.ok() && k::Status{}.error().message.empty());

constexpr k::TensorSpec int8_row{k::Shape{4}, k::DType::Int8};
constexpr k::TensorSpec f32_row{k::Shape{4}, k::DType::Float32};

k::Error error_of(const k::TensorSpec &input, const k::TensorSpec &output,
                  const ops::Params params = {0.5f})
{
    const auto shared = ops::check_inference({{&input, 1}, {&output, 1}, params});
    const auto checked = a65::check_inference({{&input, 1}, {&output, 1}, params});
    const auto *const error = std::get_if<k::Error>(&checked);
    const auto *const shared_error = std::get_if<k::Error>(&shared);
    REQUIRE(error != nullptr && shared_error != nullptr);
    REQUIRE(error->code == shared_error->code && error->port == shared_error->port &&
            error->axis == shared_error->axis && error->message == shared_error->message);
    REQUIRE(!error->message.empty());
    return *error;
}

a65::Plan plan_of(const k::TensorSpec &input, const k::TensorSpec &output, const ops::Params params)
{
    const auto checked = a65::check_inference({{&input, 1}, {&output, 1}, params});
    const auto *const plan = std::get_if<a65::Plan>(&checked);
    REQUIRE(plan != nullptr);
    return *plan;
}

void test_enumerations()
{
    const std::array<std::pair<k::StatusCode, const char *>, 16> names{{
        {k::StatusCode::Ok, "SIMA_OK"},
        {k::StatusCode::InvalidArgument, "SIMA_INVALID_ARGUMENT"},
        {k::StatusCode::UnsupportedOperation, "SIMA_UNSUPPORTED_OPERATION"},
        {k::StatusCode::InvalidArity, "SIMA_INVALID_ARITY"},
        {k::StatusCode::UnsupportedDType, "SIMA_UNSUPPORTED_DTYPE"},
        {k::StatusCode::InvalidShape, "SIMA_INVALID_SHAPE"},
        {k::StatusCode::ShapeMismatch, "SIMA_SHAPE_MISMATCH"},
        {k::StatusCode::InvalidLayout, "SIMA_INVALID_LAYOUT"},
        {k::StatusCode::InvalidParameter, "SIMA_INVALID_PARAMETER"},
        {k::StatusCode::SizeOverflow, "SIMA_SIZE_OVERFLOW"},
        {k::StatusCode::NullBuffer, "SIMA_NULL_BUFFER"},
        {k::StatusCode::MisalignedBuffer, "SIMA_MISALIGNED_BUFFER"},
        {k::StatusCode::BufferTooSmall, "SIMA_BUFFER_TOO_SMALL"},
        {k::StatusCode::AddressOverflow, "SIMA_ADDRESS_OVERFLOW"},
        {k::StatusCode::OverlappingBuffers, "SIMA_OVERLAPPING_BUFFERS"},
        {k::StatusCode::UnsupportedEnvironment, "SIMA_UNSUPPORTED_ENVIRONMENT"},
    }};
    for (const auto &[code, spelt] : names) {
        REQUIRE(k::name(code) == spelt);
    }
    /* One more has no name yet: the list above is whole. */
    REQUIRE(k::name(static_cast<k::StatusCode>(names.size())) == "SIMA_UNKNOWN_STATUS");
}

void test_admission()
{
    using k::StatusCode;
    REQUIRE(error_of({k::Shape{4}, k::DType::UInt8}, f32_row).code == StatusCode::UnsupportedDType);
    REQUIRE(error_of({}, f32_row).code == StatusCode::UnsupportedDType);
    REQUIRE(error_of(int8_row, {k::Shape{4}, k::DType::Float16}).port == k::Port::Output);
    REQUIRE(error_of(int8_row, {k::Shape{5}, k::DType::Float32}).axis == 0);
    REQUIRE(error_of(int8_row, f32_row, {}).code == StatusCode::InvalidParameter);
    REQUIRE(error_of(int8_row, f32_row, {std::numeric_limits<float>::infinity()}).port ==
            k::Port::None);
    REQUIRE(error_of({k::Shape{2, -1}, k::DType::Int8}, f32_row).code == StatusCode::InvalidShape);
    REQUIRE(error_of({k::Shape{1, 1, 1, 1, 1, 1, 4}, k::DType::Int8},
                     {k::Shape{1, 1, 1, 1, 1, 1, 4}, k::DType::Float32})
                .code == StatusCode::InvalidShape);
    REQUIRE(error_of(int8_row, {k::Shape{4}, k::DType::Float32, k::Strided{{2}}}).code ==
            StatusCode::InvalidLayout);
}

void test_stride_count()
{
    const k::TensorSpec in{k::Shape{2, 2}, k::DType::Int8};
    const k::Error few = error_of(in, {k::Shape{2, 2}, k::DType::Float32, k::Strided{{8}}});
    REQUIRE(few.code == k::StatusCode::InvalidLayout && few.port == k::Port::Output);
    REQUIRE(few.axis == -1 && few.message.find("number of strides") != few.message.npos);
    const k::Error many = error_of({k::Shape{2, 2}, k::DType::Int8, k::Strided{{4, 2, 1}}},
                                   {k::Shape{2, 2}, k::DType::Float32});
    REQUIRE(many.code == k::StatusCode::InvalidLayout && many.port == k::Port::Input);
    REQUIRE(many.message == few.message);
    /* A scalar has no stride to give. */
    (void)plan_of({k::Shape{}, k::DType::Int8, k::Strided{{}}},
                  {k::Shape{}, k::DType::Float32, k::Strided{}}, {0.5f});
}

void test_arity()
{
    const std::array<k::TensorSpec, 2> inputs{int8_row, int8_row};
    const std::array<k::TensorSpec, 2> outputs{f32_row, f32_row};
    const std::span all_in(inputs);
    const std::span all_out(outputs);
    for (std::size_t in = 0; in <= 2; ++in) {
        for (std::size_t out = 0; out <= 2; ++out) {
            const auto checked =
                a65::check_inference({all_in.first(in), all_out.first(out), {0.5f}});
            const auto *const error = std::get_if<k::Error>(&checked);
            REQUIRE((error == nullptr) == (in == 1 && out == 1));
            REQUIRE(error == nullptr || error->code == k::StatusCode::InvalidArity);
        }
    }
}

/* The plan that C makes of the same request, byte for byte. */
void test_plan_is_that_of_c()
{
    const k::TensorSpec input{k::Shape{2, 3}, k::DType::Int8};
    const k::TensorSpec output{k::Shape{2, 3}, k::DType::BFloat16, k::Strided{{8, 2}}};
    const a65::Plan plan = plan_of(input, output, {0.3f, -3});

    sima_tensor_spec c_input{};
    c_input.dtype = SIMA_DTYPE_INT8;
    c_input.rank = 2;
    c_input.extent[0] = 2;
    c_input.extent[1] = 3;
    sima_tensor_spec c_output = c_input;
    c_output.dtype = SIMA_DTYPE_BFLOAT16;
    c_output.layout = SIMA_LAYOUT_STRIDED;
    c_output.stride[0] = 8;
    c_output.stride[1] = 2;
    sima_dequant_request request{};
    request.op = SIMA_OP_DEQUANT;
    request.inputs = &c_input;
    request.input_count = 1;
    request.outputs = &c_output;
    request.output_count = 1;
    request.params.scale = 0.3f;
    request.params.zero_point = -3;
    sima_a65_dequant_plan c_plan;
    REQUIRE(sima_a65_dequant_check_inference(&request, &c_plan, nullptr) == SIMA_OK);

    REQUIRE(std::memcmp(&plan.c_plan(), &c_plan, sizeof c_plan) == 0);
    REQUIRE(plan.kernel_name() == sima_a65_dequant_kernel_name(&c_plan));
    REQUIRE(plan.required_bytes(k::Port::Input) == 6 &&
            plan.required_bytes(k::Port::Output) == 14 && plan.required_bytes(k::Port::None) == 0);
    REQUIRE(plan.required_alignment(k::Port::Input) == 1 &&
            plan.required_alignment(k::Port::Output) == 2);
    REQUIRE(second_unit_required_bytes({{&input, 1}, {&output, 1}, {0.3f, -3}}) == 14);

    const auto shared = ops::check_inference({{&input, 1}, {&output, 1}, {0.3f, -3}});
    const auto &shared_plan = std::get<ops::Plan>(shared);
    REQUIRE(shared_plan.required_bytes(k::Port::Output) == 14 &&
            shared_plan.required_alignment(k::Port::Output) == 2);
    REQUIRE(std::memcmp(&plan.shared().c_plan(), &shared_plan.c_plan(),
                        sizeof(sima_dequant_plan)) == 0);
    const auto prepared = a65::prepare(shared_plan);
    REQUIRE(std::memcmp(&std::get<a65::Plan>(prepared).c_plan(), &c_plan, sizeof c_plan) == 0);
}

void test_plan_of_nothing()
{
    const auto prepared = a65::prepare(ops::Plan{});
    REQUIRE(std::get<k::Error>(prepared).code == k::StatusCode::InvalidArgument);
    REQUIRE(a65::Plan{}.kernel_name().empty());
    REQUIRE(a65::Plan{}.required_bytes(k::Port::Input) == 0);
    REQUIRE(a65::execute(a65::Plan{}, {}, {}).code() == k::StatusCode::InvalidArgument);
}

void test_execution()
{
    const std::array<std::int8_t, 4> x{-128, -1, 0, 127};
    std::array<float, 4> y{};
    const a65::Plan plan = plan_of(int8_row, f32_row, {0.5f});
    const std::array in{k::ConstHostBuffer{std::span{x}}};
    const std::array out{k::HostBuffer{std::span{y}}};
    REQUIRE(in[0].data == x.data() && in[0].size == 4);
    REQUIRE(out[0].data == y.data() && out[0].size == 16);

    REQUIRE(a65::execute(plan, in, out).ok());
    REQUIRE(y[0] == -64.0f && y[1] == -0.5f && y[2] == 0.0f && y[3] == 63.5f);

    y.fill(9.0f);
    const std::array twice{in[0], in[0]};
    REQUIRE(a65::execute(plan, {}, out).code() == k::StatusCode::InvalidArity);
    REQUIRE(a65::execute(plan, twice, out).code() == k::StatusCode::InvalidArity);
    REQUIRE(a65::execute(plan, in, {}).error().port == k::Port::Output);
    const std::array none{k::HostBuffer{}};
    REQUIRE(a65::execute(plan, in, none).code() == k::StatusCode::NullBuffer);
    const std::array small{k::HostBuffer{std::span{y}.first(3)}};
    const k::Status status = a65::execute(plan, in, small);
    REQUIRE(!status.ok() && status.code() == k::StatusCode::BufferTooSmall);
    REQUIRE(status.error().message.find("required_bytes") != std::string_view::npos);
    REQUIRE(y[0] == 9.0f && y[3] == 9.0f);
}

void test_empty_tensor()
{
    const a65::Plan plan =
        plan_of({k::Shape{0, 3}, k::DType::Int8}, {k::Shape{0, 3}, k::DType::Float32}, {0.5f});
    const std::array<k::ConstHostBuffer, 1> in{};
    const std::array<k::HostBuffer, 1> out{};
    REQUIRE(plan.required_bytes(k::Port::Output) == 0);
    REQUIRE(a65::execute(plan, in, out).ok());
    REQUIRE(a65::execute(plan, {}, out).code() == k::StatusCode::InvalidArity);
}

} // namespace

int main()
{
    allocation_is_forbidden = true;
    test_enumerations();
    test_admission();
    test_stride_count();
    test_arity();
    test_plan_is_that_of_c();
    test_plan_of_nothing();
    test_execution();
    test_empty_tensor();
    allocation_is_forbidden = false;
    std::printf("%d checks\n", checks);
    return 0;
}
