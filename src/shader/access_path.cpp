#include "shader/access_path.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace gridstride::shader {

namespace {

using TypeKind = SpirvType::Kind;

class AccessResolver {
 public:
    AccessResolver(const SpirvModule& module, std::uint32_t variable);
    void step(std::uint32_t index);
    AccessPath finish() &&;

 private:
    const SpirvType& type() const { return module_.type(path_.type); }
    void step_into_member(std::uint32_t number);
    /// Sets the site's array to the current one, unless an outer array is set.
    void set_outermost_array();
    std::uint64_t bytes() const;

    const SpirvModule& module_;
    AccessPath path_;
    bool is_in_block_ = false;  ///< the next member is a variable in the source
    bool is_in_array_ = false;
    std::uint64_t matrix_stride_ = 0;  ///< declared for the current member; 0: the type's own
    bool is_row_major_ = false;
    std::uint64_t component_stride_ = 0;  ///< of a column; 0: components are contiguous
};

AccessResolver::AccessResolver(const SpirvModule& module, std::uint32_t variable) : module_(module) {
    const std::uint32_t pointer = module.type_of(variable);
    path_.variable = variable;
    path_.type = module.type(pointer).element;
    if (module.type(pointer).storage == spv::StorageClassWorkgroup) {
        path_.site.space = trace::MemorySpace::workgroup;
        path_.site.variable = module.name(variable);
        path_.site.variable_bytes = type().bytes;
        return;
    }
    if (type().kind != TypeKind::structure)
        throw std::runtime_error(
            fmt::format("binding {} is an array of buffers. Declare each buffer separately",
                        module.decoration(variable, spv::DecorationBinding).value_or(0)));
    is_in_block_ = true;
    path_.site.space = trace::MemorySpace::buffer;
    path_.site.variable = module.name(path_.type);
    path_.site.binding = module.decoration(variable, spv::DecorationBinding).value_or(0);
}

void AccessResolver::set_outermost_array() {
    if (is_in_array_) return;
    is_in_array_ = true;
    path_.site.first_byte = path_.offset;
    path_.site.element_bytes = type().stride;
}

void AccessResolver::step_into_member(std::uint32_t number) {
    const std::uint32_t structure = path_.type;
    if (number >= type().members.size())
        throw std::runtime_error(
            fmt::format("a structure of {} members has no member {}", type().members.size(), number));
    const SpirvType::Member member = type().members[number];
    const std::string name = module_.member_name(structure, number);
    path_.type = member.type;
    path_.offset += member.offset;
    if (is_in_block_) {
        path_.site.variable = name;
        path_.last_member = number;
    } else {
        (is_in_array_ ? path_.site.member : path_.site.variable) += "." + name;
    }
    matrix_stride_ = module_.decoration(structure, number, spv::DecorationMatrixStride).value_or(0);
    is_row_major_ = module_.decoration(structure, number, spv::DecorationRowMajor).has_value();
    if (std::exchange(is_in_block_, false)) path_.site.variable_bytes = bytes();
}

void AccessResolver::step(std::uint32_t index) {
    const SpirvType& whole = type();
    AccessPath::Index index_step{index, whole.stride, whole.count};
    switch (whole.kind) {
        case TypeKind::structure:
            step_into_member(static_cast<std::uint32_t>(module_.constants().number(index).value_or(~0ull)));
            return;
        case TypeKind::array:
            if (!whole.has_known_length)
                throw std::runtime_error("the length of an array cannot be computed");
            [[fallthrough]];
        case TypeKind::runtime_array:
            set_outermost_array();
            break;
        case TypeKind::matrix: {
            const SpirvType& column = module_.type(whole.element);
            if (is_row_major_) component_stride_ = matrix_stride_;
            index_step.stride = is_row_major_        ? column.stride
                                : matrix_stride_ > 0 ? matrix_stride_
                                                     : whole.stride;
            break;
        }
        case TypeKind::vector:
            if (component_stride_ > 0) index_step.stride = component_stride_;
            component_stride_ = 0;
            if (const auto known = module_.constants().number(index); known && *known < 4)
                path_.site.member += {'.', "xyzw"[*known]};
            break;
        default:
            throw std::runtime_error("an index is applied to a type without elements");
    }
    path_.type = whole.element;
    path_.indices.push_back(index_step);
}

std::uint64_t AccessResolver::bytes() const {
    const SpirvType& accessed = type();
    if (accessed.kind != TypeKind::matrix || matrix_stride_ == 0) return accessed.bytes;
    const SpirvType& column = module_.type(accessed.element);
    const std::uint64_t lines = is_row_major_ ? column.count : accessed.count;
    const std::uint64_t line_count = is_row_major_ ? accessed.count : column.count;
    return (lines - 1) * matrix_stride_ + line_count * column.stride;
}

AccessPath AccessResolver::finish() && {
    const SpirvType& accessed = type();
    trace::Site& site = path_.site;
    site.bytes = bytes();
    if (accessed.is_array()) set_outermost_array();
    if (accessed.kind == TypeKind::vector) path_.component_stride = component_stride_;
    site.value = value_type(module_, path_.type);
    site.components = accessed.kind == TypeKind::vector ? static_cast<std::uint32_t>(accessed.count) : 1;
    return std::move(path_);
}

}  // namespace

trace::ValueType value_type(const SpirvModule& module, std::uint32_t type) {
    using trace::ValueType;
    const SpirvType& whole = module.type(type);
    const SpirvType& number = whole.kind == TypeKind::vector ? module.type(whole.element) : whole;
    const auto select_by_bits = [&](ValueType bits_8, ValueType bits_16, ValueType bits_32,
                                    ValueType bits_64) {
        switch (number.bits) {
            case 8:
                return bits_8;
            case 16:
                return bits_16;
            case 32:
                return bits_32;
            case 64:
                return bits_64;
            default:
                return ValueType::none;
        }
    };
    switch (number.kind) {
        case TypeKind::boolean:
            return ValueType::boolean;
        case TypeKind::integer:
            return number.is_signed
                       ? select_by_bits(ValueType::i8, ValueType::i16, ValueType::i32, ValueType::i64)
                       : select_by_bits(ValueType::u8, ValueType::u16, ValueType::u32, ValueType::u64);
        case TypeKind::floating:
            return select_by_bits(ValueType::none, ValueType::f16, ValueType::f32, ValueType::f64);
        default:
            return ValueType::none;
    }
}

AccessPath resolve_access(const SpirvModule& module, const AccessChain& chain) {
    AccessResolver walk(module, chain.variable);
    for (const std::uint32_t index : chain.indices)
        walk.step(index);
    return std::move(walk).finish();
}

}  // namespace gridstride::shader
