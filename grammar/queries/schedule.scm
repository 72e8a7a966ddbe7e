; The constructs of the schedule DSL by name. Captures say what a construct is, not what it means.

(module_declaration definition: (class_definition name: (identifier) @module.name)) @module
(func_declaration definition: (function_definition name: (identifier) @function.name)) @function
(prim_func_declaration definition: (function_definition name: (identifier) @function.name)) @function

(tensor_type) @tensor
(const_tensor_type) @tensor.const

(mesh_scope) @mesh.scope
(mesh_scope (with_item value: (mesh_call)) @mesh)
(mesh_scope (with_item value: (mesh_slice) @mesh.slice))
(mesh_call arguments: (argument_list . (mesh_slice) @mesh.slice))
(mesh_scope (with_item alias: (identifier) @mesh.name))

(tile_loop left: (identifier) @tile.name) @tile

(split_axis axis: (attribute) @axis) @layout.split
(swizzled_layout) @layout.swizzle
(value_state state: (set) @state)

(op_call function: (attribute attribute: (identifier) @op))
(instruction_call function: (attribute) @instruction)

; Where a value lives is the last string of its type.
((tensor_type argument: (string) @storage .)
  (#any-of? @storage "\"gmem\"" "\"smem\"" "\"rmem\"" "\"tmem\""))
