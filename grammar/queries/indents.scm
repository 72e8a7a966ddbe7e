; A block is indented, a bracket's content too; a clause goes back to its statement.
[
  (class_definition)
  (function_definition)
  (for_statement)
  (tile_loop)
  (while_statement)
  (with_statement)
  (mesh_scope)
  (if_statement)
  (try_statement)
  (match_statement)
  (case_clause)
] @indent.begin

[
  (parameters)
  (argument_list)
  (parenthesized_expression)
  (tensor_type)
  (const_tensor_type)
  (subscript)
  (tuple)
  (list)
  (set)
  (dictionary)
  (list_comprehension)
  (set_comprehension)
  (dictionary_comprehension)
  (generator_expression)
] @indent.begin

[
  (elif_clause)
  (else_clause)
  (except_clause)
  (finally_clause)
] @indent.branch

[")" "]" "}"] @indent.branch

[
  (return_statement)
  (raise_statement)
  (pass_statement)
  (break_statement)
  (continue_statement)
] @indent.dedent

(string) @indent.auto
(comment) @indent.ignore
(ERROR) @indent.auto
