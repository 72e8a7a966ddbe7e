(module_declaration definition: (class_definition name: (identifier) @name)) @definition.module
(class_definition name: (identifier) @name) @definition.class
(class_definition body: (block [
  (function_definition name: (identifier) @name)
  (func_declaration definition: (function_definition name: (identifier) @name))
  (prim_func_declaration definition: (function_definition name: (identifier) @name))
  (decorated_definition definition: (function_definition name: (identifier) @name))
] @definition.method))
(module [
  (function_definition name: (identifier) @name)
  (func_declaration definition: (function_definition name: (identifier) @name))
  (prim_func_declaration definition: (function_definition name: (identifier) @name))
  (decorated_definition definition: (function_definition name: (identifier) @name))
] @definition.function)
(module (expression_statement (assignment left: (identifier) @name) @definition.constant))

(call function: [(identifier) @name (attribute attribute: (identifier) @name)]) @reference.call
(op_call function: (attribute attribute: (identifier) @name)) @reference.call
(instruction_call function: (attribute attribute: (identifier) @name)) @reference.call
