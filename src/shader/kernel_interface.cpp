#include "shader/kernel_interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "shader/spirv_module.h"

namespace gridstride::shader {

namespace {

using TypeKind = SpirvType::Kind;

class InterfaceReader {
 public:
    explicit InterfaceReader(std::span<const std::uint32_t> spirv) : module_(spirv, {}) {}

    KernelInterface read() &&;

 private:
    std::string type_text(std::uint32_t type) const;
    std::string declaration_text(std::uint32_t type, const std::string& name) const;
    std::string members_text(std::uint32_t structure) const;
    void add_scalars(std::uint32_t type, std::set<std::string>& scalars) const;
    /// Returns true if the variable, or every member of the structure, has the decoration.
    bool has_decoration(std::uint32_t variable, std::uint32_t structure, spv::Decoration decoration) const;
    void add_variable(const Instruction& i);
    void add_resource(std::uint32_t variable, std::uint32_t pointer);
    void add_push_constants(std::uint32_t structure);
    void read_workgroup_size();

    SpirvModule module_;
    KernelInterface interface_;
    std::uint32_t workgroup_size_ = 0;  ///< id of its constant; 0: none
};

std::string InterfaceReader::type_text(std::uint32_t type) const {
    const SpirvType& whole = module_.type(type);
    switch (whole.kind) {
        case TypeKind::boolean:
            return "bool";
        case TypeKind::integer:
            return fmt::format("{}int{}", whole.is_signed ? "" : "u",
                               whole.bits == 32 ? "" : fmt::format("{}_t", whole.bits));
        case TypeKind::floating:
            return whole.bits == 32 ? "float" : whole.bits == 64 ? "double" : "float16_t";
        case TypeKind::vector: {
            const std::string element = type_text(whole.element);
            if (element == "float") return fmt::format("vec{}", whole.count);
            if (element.ends_with("_t"))  // "u16vec4"
                return fmt::format("{}{}vec{}",
                                   element.starts_with('u')   ? "u"
                                   : element.starts_with('f') ? "f"
                                                              : "i",
                                   module_.type(whole.element).bits, whole.count);
            return fmt::format("{}vec{}", element.front(), whole.count);
        }
        case TypeKind::matrix: {
            const SpirvType& column = module_.type(whole.element);
            const char* const prefix = module_.type(column.element).bits == 64 ? "d" : "";
            return fmt::format("{}mat{}x{}", prefix, whole.count, column.count);
        }
        case TypeKind::structure:
            return fmt::format("{} {{{}}}", module_.name(type), members_text(type));
        default:
            return "an opaque type";
    }
}

/// Returns, for example, "uint x[4]".
std::string InterfaceReader::declaration_text(std::uint32_t type, const std::string& name) const {
    std::string lengths;
    while (module_.type(type).is_array()) {
        const SpirvType& array = module_.type(type);
        lengths += array.kind == TypeKind::array ? fmt::format("[{}]", array.count) : "[]";
        type = array.element;
    }
    return type_text(type) + (name.empty() ? "" : " ") + printable(name) + lengths;
}

std::string InterfaceReader::members_text(std::uint32_t structure) const {
    std::vector<std::string> members;
    for (std::uint32_t n = 0; n < module_.type(structure).members.size(); ++n)
        members.push_back(
            declaration_text(module_.type(structure).members[n].type, module_.member_name(structure, n)));
    return join(members, "; ");
}

void InterfaceReader::add_scalars(std::uint32_t type, std::set<std::string>& scalars) const {
    const SpirvType& whole = module_.type(type);
    if (whole.kind == TypeKind::structure)
        for (const SpirvType::Member& member : whole.members)
            add_scalars(member.type, scalars);
    else if (whole.is_array() || whole.kind == TypeKind::vector || whole.kind == TypeKind::matrix)
        add_scalars(whole.element, scalars);
    else
        scalars.insert(type_text(type));
}

bool InterfaceReader::has_decoration(std::uint32_t variable, std::uint32_t structure,
                                     spv::Decoration decoration) const {
    if (module_.decoration(variable, decoration)) return true;
    const auto count = static_cast<std::uint32_t>(module_.type(structure).members.size());
    for (std::uint32_t n = 0; n < count; ++n)
        if (!module_.decoration(structure, n, decoration)) return false;
    return count > 0;
}

void InterfaceReader::add_resource(std::uint32_t variable, std::uint32_t pointer) {
    std::uint32_t pointee = module_.type(pointer).element;
    std::string lengths;
    if (module_.type(pointee).is_array()) {
        lengths = "[]";
        pointee = module_.type(pointee).element;
    }
    const bool is_buffer = module_.points_to_storage_buffer(pointer);
    KernelInterface::Resource resource;
    resource.set = module_.decoration(variable, spv::DecorationDescriptorSet).value_or(0);
    resource.binding = module_.decoration(variable, spv::DecorationBinding).value_or(0);
    resource.is_one_buffer = is_buffer && lengths.empty();
    resource.is_readable = !is_buffer || !has_decoration(variable, pointee, spv::DecorationNonReadable);
    resource.is_writable = is_buffer && !has_decoration(variable, pointee, spv::DecorationNonWritable);
    for (const SpirvType::Member& member : module_.type(pointee).members) {
        const SpirvType& array = module_.type(member.type);
        if (!array.is_array()) continue;
        const SpirvType& element = module_.type(array.element);
        resource.has_padding |= array.stride > round_up(element.bytes, element.alignment);
    }
    if (is_buffer) add_scalars(pointee, resource.scalars);
    if (!is_buffer)
        resource.declaration = module_.type(pointee).kind == TypeKind::structure
                                   ? fmt::format("uniform {{{}}}{}", members_text(pointee), lengths)
                                   : fmt::format("uniform {}{}", printable(module_.name(variable)), lengths);
    else if (module_.type(pointee).members.size() == 1)
        resource.declaration = "buffer " + members_text(pointee) + lengths;
    else
        resource.declaration = fmt::format("buffer {{{}}}{}", members_text(pointee), lengths);
    if (is_buffer && !resource.is_writable) resource.declaration.insert(0, "readonly ");
    if (!resource.is_readable) resource.declaration.insert(0, "writeonly ");
    interface_.resources.push_back(std::move(resource));
}

void InterfaceReader::add_push_constants(std::uint32_t structure) {
    const std::vector<SpirvType::Member>& members = module_.type(structure).members;
    for (std::uint32_t n = 0; n < members.size(); ++n)
        interface_.push_constants.push_back(
            {static_cast<std::uint32_t>(members[n].offset),
             declaration_text(members[n].type, module_.member_name(structure, n))});
}

void InterfaceReader::add_variable(const Instruction& i) {
    switch (word_at(i, 3)) {
        case spv::StorageClassPushConstant:
            return add_push_constants(module_.type(word_at(i, 1)).element);
        case spv::StorageClassUniformConstant:
        case spv::StorageClassUniform:
        case spv::StorageClassStorageBuffer:
            return add_resource(word_at(i, 2), word_at(i, 1));
        default:
            return;
    }
}

void InterfaceReader::read_workgroup_size() {
    const std::vector<std::uint32_t>& parts = module_.constants().parts(workgroup_size_);
    for (std::size_t axis = 0; axis < std::min(parts.size(), interface_.sizes.size()); ++axis) {
        interface_.size_ids.at(axis) = module_.decoration(parts[axis], spv::DecorationSpecId);
        interface_.sizes.at(axis) = module_.constants().number(parts[axis]).value_or(0);
    }
}

KernelInterface InterfaceReader::read() && {
    for (const Instruction& i : module_.instructions()) {
        const spv::Op op = opcode_of(i);
        if (op == spv::OpVariable) add_variable(i);
        if (op == spv::OpExecutionMode && word_at(i, 2) == spv::ExecutionModeLocalSize)
            interface_.sizes = {word_at(i, 3), word_at(i, 4), word_at(i, 5)};
        if (op == spv::OpDecorate && word_at(i, 2) == spv::DecorationBuiltIn &&
            word_at(i, 3) == spv::BuiltInWorkgroupSize)
            workgroup_size_ = word_at(i, 1);
        const bool is_constant =
            op == spv::OpSpecConstant || op == spv::OpSpecConstantTrue || op == spv::OpSpecConstantFalse;
        const auto id = is_constant ? module_.decoration(word_at(i, 2), spv::DecorationSpecId) : std::nullopt;
        const std::string name = id ? module_.name(word_at(i, 2)) : "";
        if (!name.empty()) interface_.constants.push_back({*id, declaration_text(word_at(i, 1), name)});
    }
    if (workgroup_size_ != 0) read_workgroup_size();
    std::ranges::sort(interface_.resources, {},
                      [](const auto& one) { return std::tuple(one.set, one.binding); });
    std::ranges::sort(interface_.push_constants, {}, &KernelInterface::Value::offset_or_id);
    std::ranges::sort(interface_.constants, {}, &KernelInterface::Value::offset_or_id);
    return std::move(interface_);
}

}  // namespace

KernelInterface read_interface(std::span<const std::uint32_t> spirv) {
    return InterfaceReader(spirv).read();
}

}  // namespace gridstride::shader
