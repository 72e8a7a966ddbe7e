; Later patterns win over earlier ones.

; ---- names -----------------------------------------------------------------------------------------------------------
(identifier) @variable

((identifier) @constant
  (#match? @constant "^[A-Z][A-Z0-9_]+$"))

((identifier) @variable.builtin
  (#any-of? @variable.builtin "self" "cls"))

(attribute attribute: (identifier) @variable.member)
(keyword_argument name: (identifier) @variable.parameter)

(parameters (identifier) @variable.parameter)
(lambda_parameters (identifier) @variable.parameter)
(default_parameter name: (identifier) @variable.parameter)
(typed_parameter (identifier) @variable.parameter)
(typed_default_parameter name: (identifier) @variable.parameter)
(list_splat_pattern (identifier) @variable.parameter)
(dictionary_splat_pattern (identifier) @variable.parameter)

(import_statement name: (dotted_name (identifier) @module))
(import_from_statement module_name: (dotted_name (identifier) @module))
(relative_import (dotted_name (identifier) @module))
(aliased_import alias: (identifier) @module)

; ---- functions and types ----------------------------------------------------------------------------------------------
(call function: (identifier) @function.call)
(call function: (attribute attribute: (identifier) @function.method.call))
((call function: (identifier) @type)
  (#match? @type "^[A-Z]"))
((call function: (identifier) @function.builtin)
  (#any-of? @function.builtin
    "abs" "all" "any" "bool" "dict" "divmod" "enumerate" "float" "getattr" "int" "isinstance" "len" "list" "map" "max" "min"
    "print" "range" "repr" "reversed" "round" "set" "sorted" "str" "sum" "tuple" "type" "zip"))

(function_definition name: (identifier) @function)
(class_definition name: (identifier) @type)
(class_definition body: (block (function_definition name: (identifier) @function.method)))
(class_definition body: (block (decorated_definition (function_definition name: (identifier) @function.method))))
(type (identifier) @type)
(type (subscript value: (identifier) @type))
(type_parameter name: (identifier) @type)
(type_alias_statement name: (identifier) @type)

(decorator "@" @attribute)
(decorator (identifier) @attribute)
(decorator (call function: (identifier) @attribute))
(decorator (attribute attribute: (identifier) @attribute))
(decorator (call function: (attribute attribute: (identifier) @attribute)))
(decorator (instruction_call function: (attribute attribute: (identifier) @attribute)))

; ---- literals --------------------------------------------------------------------------------------------------------
[(integer) (imaginary)] @number
(float) @number.float
[(true) (false)] @boolean
(none) @constant.builtin
(ellipsis) @constant.builtin
(string) @string
(escape_sequence) @string.escape
(type_conversion) @punctuation.special
(format_specifier) @string.special
((module . (expression_statement (string) @string.documentation)))
(class_definition body: (block . (expression_statement (string) @string.documentation)))
(function_definition body: (block . (expression_statement (string) @string.documentation)))
(comment) @comment

; ---- keywords --------------------------------------------------------------------------------------------------------
["def" "lambda"] @keyword.function
["class" "type"] @keyword.type
["import" "from"] @keyword.import
["return" "yield"] @keyword.return
["if" "elif" "else" "match" "case"] @keyword.conditional
["for" "while"] @keyword.repeat
[(break_statement) (continue_statement)] @keyword.repeat
["try" "except" "finally" "raise"] @keyword.exception
["async" "await"] @keyword.coroutine
["and" "or" "not" "in" "is"] @keyword.operator
["as" "assert" "del" "global" "nonlocal" "with"] @keyword
(pass_statement) @keyword

; ---- operators and punctuation -----------------------------------------------------------------------------------------
[
  "+" "-" "*" "/" "//" "%" "@" "**" "<<" ">>" "&" "|" "^" "~" "<" "<=" "==" "!=" ">=" ">" "=" ":=" "->"
  "+=" "-=" "*=" "/=" "//=" "%=" "@=" "**=" ">>=" "<<=" "&=" "^=" "|="
] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," "." ";" ":"] @punctuation.delimiter
(decorator "@" @attribute)
(interpolation "{" @punctuation.special "}" @punctuation.special)

; ---- the schedule DSL ------------------------------------------------------------------------------------------------
(tensor_type constructor: (identifier) @type.builtin)
(const_tensor_type constructor: (identifier) @type.builtin)
(mesh_call function: (identifier) @type.builtin)
(op_call function: (attribute object: (identifier) @module.builtin attribute: (identifier) @function.call))
(instruction_call function: (attribute attribute: (identifier) @function.macro))
(tile_loop right: (op_call function: (attribute attribute: (identifier) @keyword.repeat)))
(split_axis operator: "@" @keyword.operator)
(value_state operator: "@" @keyword.operator)
(swizzled_layout operator: "|" @keyword.operator)
(swizzled_layout swizzle: (call function: (identifier) @type.builtin))
(module_declaration (decorator [(identifier) @keyword.directive (call function: (identifier) @keyword.directive)]))
(func_declaration (decorator [(identifier) @keyword.directive (call function: (identifier) @keyword.directive)]))
(prim_func_declaration (decorator [(identifier) @keyword.directive (call function: (identifier) @keyword.directive)]))
(func_declaration definition: (function_definition name: (identifier) @function))
(prim_func_declaration definition: (function_definition name: (identifier) @function))
