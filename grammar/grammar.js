// The grammar of schedule files: Python as its language reference gives it, layer by layer, and the constructs of the
// schedule DSL as nodes of their own. Node names of plain Python are the customary ones. A DSL construct is recognised by
// its spelling alone (`Tensor[...]`, `tf.x(...)`, `with Mesh(...)`); what it means is decided behind the syntax tree.
// `tree-sitter generate --abi 14` in this folder writes src/parser.c and what goes with it.
//
// Layers below `expression` are separate hidden rules, as in the reference, so operators need no precedence numbers. PREC
// orders what is left: a DSL construct before the plain Python that has the same spelling.

const PREC = {
  plain: 0,
  dsl: 1, // `Tensor[` is a tensor type before it is a subscript of a name
  state: 2, // `x @ {..}`, `2 @ m.x`, `.. | Swizzle(..)` before plain operators
  scope: 3, // `with x[..] as y` is a mesh scope before it is a plain `with`
  statement: 1, // dynamic: `match x:` and `@func` before the names `match` and `func`
  compound: 2, // dynamic: `with (a, b):` has two items, not one tuple
};

// Words that are ordinary names except where a rule below asks for them.
const SOFT = ["match", "case", "type", "tf", "T", "Tensor", "ConstTensor", "Mesh", "Swizzle", "module", "func", "prim_func"];

const comma1 = (rule) => seq(rule, repeat(seq(",", rule)));
const commas = (rule) => seq(comma1(rule), optional(","));
const listed = (rule) => choice(seq(rule, ","), seq(rule, repeat1(seq(",", rule)), optional(",")));

module.exports = grammar({
  name: "tilewright",

  externals: ($) => [
    $._newline,
    $._indent,
    $._dedent,
    $.string_start,
    $.string_content,
    $.escape_sequence,
    $.string_end,
    $.format_content,
    $._recovering, // in no rule: valid only while the parser recovers from an error
  ],

  extras: ($) => [$.comment, /\s/, /\\\r?\n|\\\r/],

  word: ($) => $.identifier,

  conflicts: ($) => [
    [$._name, $.match_statement],
    [$._name, $.module_decorator],
    [$._name, $._module_call],
    [$._name, $._func_call],
    [$._name, $._prim_func_call],
    [$._name, $.func_decorator],
    [$._name, $.prim_func_decorator],
    [$.with_item, $._named],
  ],

  supertypes: ($) => [$.expression],

  inline: ($) => [$._simple_statement, $._compound_statement],

  rules: {
    module: ($) => repeat($._statement),

    _statement: ($) => choice($._simple_statements, $._compound_statement),

    // ---- simple statements ------------------------------------------------------------------------------------------
    _simple_statements: ($) => seq($._simple_statement, repeat(seq(";", $._simple_statement)), optional(";"), $._newline),

    _simple_statement: ($) =>
      choice(
        $.expression_statement,
        $.return_statement,
        $.delete_statement,
        $.assert_statement,
        $.raise_statement,
        $.import_statement,
        $.import_from_statement,
        $.global_statement,
        $.nonlocal_statement,
        $.type_alias_statement,
        $.pass_statement,
        $.break_statement,
        $.continue_statement,
      ),

    expression_statement: ($) => choice($._star_expressions, $.yield, $.assignment, $.augmented_assignment),

    assignment: ($) =>
      choice(
        seq(field("left", $._star_expressions), "=", field("right", $._assigned)),
        seq(field("left", $.expression), ":", field("type", $.type), optional(seq("=", field("right", $._assigned)))),
      ),
    _assigned: ($) => choice($._star_expressions, $.yield, alias($._chained_assignment, $.assignment)),
    _chained_assignment: ($) => seq(field("left", $._star_expressions), "=", field("right", $._assigned)),

    augmented_assignment: ($) =>
      seq(
        field("left", $.expression),
        field("operator", choice("+=", "-=", "*=", "/=", "@=", "//=", "%=", "**=", ">>=", "<<=", "&=", "^=", "|=")),
        field("right", choice($._star_expressions, $.yield)),
      ),

    return_statement: ($) => seq("return", optional($._star_expressions)),
    delete_statement: ($) => seq("del", commas($.expression)),
    assert_statement: ($) => seq("assert", $.expression, optional(seq(",", $.expression))),
    raise_statement: ($) => seq("raise", optional(seq($.expression, optional(seq("from", field("cause", $.expression)))))),
    global_statement: ($) => seq("global", comma1($._name)),
    nonlocal_statement: ($) => seq("nonlocal", comma1($._name)),
    pass_statement: (_) => "pass",
    break_statement: (_) => "break",
    continue_statement: (_) => "continue",

    type_alias_statement: ($) =>
      seq("type", field("name", $._name), optional(field("type_parameters", $.type_parameters)), "=", field("value", $.expression)),

    import_statement: ($) => seq("import", comma1(field("name", choice($.dotted_name, $.aliased_import)))),
    import_from_statement: ($) =>
      seq(
        "from",
        field("module_name", choice($.dotted_name, $.relative_import)),
        "import",
        choice($.wildcard_import, comma1($._imported), seq("(", commas($._imported), ")")),
      ),
    _imported: ($) => field("name", choice($.dotted_name, $.aliased_import)),
    wildcard_import: (_) => "*",
    relative_import: ($) => seq($.import_prefix, optional($.dotted_name)),
    import_prefix: (_) => repeat1(choice(".", "...")),
    dotted_name: ($) => seq($._name, repeat(seq(".", $.identifier))),
    aliased_import: ($) => seq(field("name", $.dotted_name), "as", field("alias", $._name)),

    // ---- compound statements ----------------------------------------------------------------------------------------
    _compound_statement: ($) =>
      choice(
        $.if_statement,
        $.for_statement,
        $.tile_loop,
        $.while_statement,
        $.try_statement,
        $.with_statement,
        $.mesh_scope,
        $.match_statement,
        $.function_definition,
        $.class_definition,
        $.decorated_definition,
        $.module_declaration,
        $.func_declaration,
        $.prim_func_declaration,
      ),

    // The fields stand here and not where the suites are used: else comments before a block would have them too.
    _suite: ($) => choice(field("body", alias($._simple_statements, $.block)), seq($._indent, field("body", $.block))),
    _consequence: ($) =>
      choice(field("consequence", alias($._simple_statements, $.block)), seq($._indent, field("consequence", $.block))),
    block: ($) => seq(repeat1($._statement), $._dedent),

    if_statement: ($) =>
      seq(
        "if",
        field("condition", $._named),
        ":",
        $._consequence,
        repeat(field("alternative", $.elif_clause)),
        optional(field("alternative", $.else_clause)),
      ),
    elif_clause: ($) => seq("elif", field("condition", $._named), ":", $._consequence),
    else_clause: ($) => seq("else", ":", $._suite),

    for_statement: ($) =>
      seq(
        optional("async"),
        "for",
        field("left", $._targets),
        "in",
        field("right", $._star_expressions),
        ":",
        $._suite,
        optional(field("alternative", $.else_clause)),
      ),
    tile_loop: ($) =>
      prec(
        PREC.scope,
        seq(
          "for",
          field("left", $._targets),
          "in",
          field("right", alias($._tile_call, $.op_call)),
          ":",
          $._suite,
          optional(field("alternative", $.else_clause)),
        ),
      ),
    while_statement: ($) =>
      seq("while", field("condition", $._named), ":", $._suite, optional(field("alternative", $.else_clause))),

    try_statement: ($) =>
      seq(
        "try",
        ":",
        $._suite,
        choice(
          seq(repeat1($.except_clause), optional($.else_clause), optional($.finally_clause)),
          $.finally_clause,
        ),
      ),
    except_clause: ($) =>
      seq(
        "except",
        optional("*"),
        optional(seq(field("type", choice($.expression, alias($._exceptions, $.expression_list))), optional(seq("as", field("alias", $._name))))),
        ":",
        $._suite,
      ),
    _exceptions: ($) => listed($.expression),
    finally_clause: ($) => seq("finally", ":", $._suite),

    with_statement: ($) => seq(optional("async"), "with", $._with_items, ":", $._suite),
    _with_items: ($) =>
      choice(
        comma1($.with_item),
        prec.dynamic(PREC.compound, seq("(", $.with_item, repeat(seq(",", $._group_item)), optional(","), ")")),
      ),
    with_item: ($) => prec.dynamic(PREC.plain, seq(field("value", $.expression), optional(seq("as", field("alias", $._target))))),

    mesh_scope: ($) =>
      seq(
        "with",
        choice(
          seq(alias($._mesh_item, $.with_item), repeat(seq(",", $.with_item))),
          prec.dynamic(PREC.compound, seq("(", alias($._group_mesh_item, $.with_item), repeat(seq(",", $._group_item)), optional(","), ")")),
        ),
        ":",
        $._suite,
      ),
    _mesh_item: ($) =>
      prec(
        PREC.scope,
        seq(field("value", choice($.mesh_call, alias($.subscript, $.mesh_slice))), optional(seq("as", field("alias", $._target)))),
      ),
    _group_mesh_item: ($) =>
      prec(PREC.scope, seq(field("value", choice($.mesh_call, alias($.subscript, $.mesh_slice))), "as", field("alias", $._target))),
    _group_item: ($) => choice($.with_item, alias($._group_mesh_item, $.with_item)),

    match_statement: ($) =>
      prec.dynamic(
        PREC.statement,
        seq("match", field("subject", choice($._named, $._star_list)), ":", $._indent, field("body", alias($._cases, $.block))),
      ),
    _cases: ($) => seq(repeat1($.case_clause), $._dedent),
    case_clause: ($) =>
      seq("case", field("pattern", $.case_pattern), optional(field("guard", $.if_guard)), ":", $._suite),
    if_guard: ($) => seq("if", $._named),

    function_definition: ($) =>
      seq(
        optional("async"),
        "def",
        field("name", $._name),
        optional(field("type_parameters", $.type_parameters)),
        field("parameters", $.parameters),
        optional(seq("->", field("return_type", $.type))),
        ":",
        $._suite,
      ),
    class_definition: ($) =>
      seq(
        "class",
        field("name", $._name),
        optional(field("type_parameters", $.type_parameters)),
        optional(field("superclasses", $.argument_list)),
        ":",
        $._suite,
      ),
    decorated_definition: ($) =>
      seq(repeat1($.decorator), field("definition", choice($.function_definition, $.class_definition))),
    decorator: ($) => seq("@", $._named, $._newline),

    type_parameters: ($) => seq("[", commas($.type_parameter), "]"),
    type_parameter: ($) =>
      seq(
        optional(choice("*", "**")),
        field("name", $._name),
        optional(seq(":", field("bound", $.expression))),
        optional(seq("=", field("default", choice($.expression, $.list_splat)))),
      ),

    // ---- declarations of the DSL ------------------------------------------------------------------------------------
    module_declaration: ($) =>
      seq(
        repeat($.decorator),
        alias($.module_decorator, $.decorator),
        repeat($.decorator),
        field("definition", $.class_definition),
      ),
    func_declaration: ($) =>
      seq(
        repeat($.decorator),
        alias($.func_decorator, $.decorator),
        repeat($.decorator),
        field("definition", $.function_definition),
      ),
    prim_func_declaration: ($) =>
      seq(
        repeat($.decorator),
        alias($.prim_func_decorator, $.decorator),
        repeat($.decorator),
        field("definition", $.function_definition),
      ),
    module_decorator: ($) => dslDecorator($, "module", $._module_call),
    _module_call: ($) => dslCall($, "module"),
    func_decorator: ($) => dslDecorator($, "func", $._func_call),
    _func_call: ($) => dslCall($, "func"),
    prim_func_decorator: ($) => dslDecorator($, "prim_func", $._prim_func_call),
    _prim_func_call: ($) => dslCall($, "prim_func"),

    // ---- parameters -------------------------------------------------------------------------------------------------
    parameters: ($) => seq("(", optional(commas($._parameter)), ")"),
    _parameter: ($) =>
      choice(
        $._name,
        $.default_parameter,
        $.typed_parameter,
        $.typed_default_parameter,
        $.list_splat_pattern,
        $.dictionary_splat_pattern,
        $.keyword_separator,
        $.positional_separator,
      ),
    default_parameter: ($) => seq(field("name", $._name), "=", field("value", $.expression)),
    typed_parameter: ($) =>
      seq(choice($._name, $.list_splat_pattern, $.dictionary_splat_pattern), ":", field("type", $.type)),
    typed_default_parameter: ($) =>
      seq(field("name", $._name), ":", field("type", $.type), "=", field("value", $.expression)),
    list_splat_pattern: ($) => seq("*", $._name),
    dictionary_splat_pattern: ($) => seq("**", $._name),
    keyword_separator: (_) => "*",
    positional_separator: (_) => "/",
    lambda_parameters: ($) =>
      commas(
        choice(
          $._name,
          $.default_parameter,
          $.list_splat_pattern,
          $.dictionary_splat_pattern,
          $.keyword_separator,
          $.positional_separator,
        ),
      ),
    type: ($) => choice($.expression, $.list_splat),

    // ---- expressions, loosest first ---------------------------------------------------------------------------------
    _star_expressions: ($) => choice($.expression, $.list_splat, $.expression_list),
    expression_list: ($) => listed(choice($.expression, $.list_splat)),
    _star_list: ($) => choice($.list_splat, alias($._named_list, $.expression_list)),
    _named_list: ($) => listed(choice($._named, $.list_splat)),

    _targets: ($) => choice($._target, $.pattern_list),
    pattern_list: ($) => listed($._target),
    _target: ($) => choice($._bitor, alias($._starred_target, $.list_splat)),
    _starred_target: ($) => seq("*", $._bitor),

    _named: ($) => choice($.expression, $.named_expression),
    named_expression: ($) => seq(field("name", $._name), ":=", field("value", $.expression)),

    yield: ($) =>
      choice(seq("yield", optional($._star_expressions)), seq("yield", "from", field("from", $.expression))),

    expression: ($) => choice($.conditional_expression, $.lambda, $._disjunction),

    conditional_expression: ($) =>
      seq(field("body", $._disjunction), "if", field("condition", $._disjunction), "else", field("alternative", $.expression)),
    lambda: ($) => seq("lambda", optional(field("parameters", $.lambda_parameters)), ":", field("body", $.expression)),

    _disjunction: ($) => choice(alias($._or, $.boolean_operator), $._conjunction),
    _or: ($) => seq($._conjunction, repeat1(seq(field("operator", "or"), $._conjunction))),
    _conjunction: ($) => choice(alias($._and, $.boolean_operator), $._inversion),
    _and: ($) => seq($._inversion, repeat1(seq(field("operator", "and"), $._inversion))),
    _inversion: ($) => choice($.not_operator, $.comparison_operator, $._bitor),
    not_operator: ($) => seq("not", field("argument", $._inversion)),
    comparison_operator: ($) =>
      seq(
        $._bitor,
        repeat1(
          seq(
            field(
              "operators",
              choice("<", "<=", "==", "!=", ">=", ">", "in", seq("not", "in"), "is", seq("is", "not")),
            ),
            $._bitor,
          ),
        ),
      ),

    _bitor: ($) => choice(alias($._bitor_operation, $.binary_operator), $.swizzled_layout, $._bitxor),
    _bitxor: ($) => choice(alias($._bitxor_operation, $.binary_operator), $._bitand),
    _bitand: ($) => choice(alias($._bitand_operation, $.binary_operator), $._shift),
    _shift: ($) => choice(alias($._shift_operation, $.binary_operator), $._sum),
    _sum: ($) => choice(alias($._sum_operation, $.binary_operator), $._term),
    _term: ($) =>
      choice(alias($._term_operation, $.binary_operator), $.split_axis, $.value_state, $._factor),
    _factor: ($) => choice($.unary_operator, $._power),
    unary_operator: ($) => seq(field("operator", choice("+", "-", "~")), field("argument", $._factor)),
    _power: ($) => choice(alias($._power_operation, $.binary_operator), $._awaited),
    _awaited: ($) => choice($.await, $._primary),
    await: ($) => seq("await", $._primary),
    _bitor_operation: ($) => binary($._bitor, "|", $._bitxor),
    _bitxor_operation: ($) => binary($._bitxor, "^", $._bitand),
    _bitand_operation: ($) => binary($._bitand, "&", $._shift),
    _shift_operation: ($) => binary($._shift, choice("<<", ">>"), $._sum),
    _sum_operation: ($) => binary($._sum, choice("+", "-"), $._term),
    _term_operation: ($) => binary($._term, choice("*", "/", "//", "%", "@"), $._factor),
    _power_operation: ($) => binary($._awaited, "**", $._factor),

    // The DSL's own operators.
    swizzled_layout: ($) =>
      prec(
        PREC.state,
        seq(field("layout", $._bitor), field("operator", "|"), field("swizzle", alias($._swizzle_call, $.call))),
      ),
    split_axis: ($) =>
      prec(PREC.state, seq(field("extent", $._term), field("operator", "@"), field("axis", alias($._name_attribute, $.attribute)))),
    value_state: ($) =>
      prec(PREC.state, seq(field("layout", $._term), field("operator", "@"), field("state", $.set))),

    // ---- primaries --------------------------------------------------------------------------------------------------
    _primary: ($) => choice($._atom_or_trailer, $.mesh_call, $.subscript),
    _atom_or_trailer: ($) =>
      choice(
        $._name,
        $.attribute,
        alias($._name_attribute, $.attribute),
        alias($._op_name, $.attribute),
        alias($._tile_name, $.attribute),
        alias($._instruction_name, $.attribute),
        $.call,
        alias($._swizzle_call, $.call),
        $.op_call,
        alias($._tile_call, $.op_call),
        $.instruction_call,
        $.tensor_type,
        $.const_tensor_type,
        $.integer,
        $.float,
        $.imaginary,
        $.string,
        $.concatenated_string,
        $.true,
        $.false,
        $.none,
        $.ellipsis,
        $.parenthesized_expression,
        $.tuple,
        $.generator_expression,
        $.list,
        $.list_comprehension,
        $.set,
        $.set_comprehension,
        $.dictionary,
        $.dictionary_comprehension,
      ),

    _name: ($) => choice($.identifier, ...SOFT.map((word) => alias(word, $.identifier))),

    // `name.name` is read as one piece: it may be the axis of a split.
    _name_attribute: ($) => prec(PREC.dsl, seq(field("object", $._name), ".", field("attribute", $.identifier))),
    attribute: ($) => seq(field("object", $._primary), ".", field("attribute", $.identifier)),
    call: ($) => seq(field("function", $._primary), field("arguments", choice($.argument_list, $.generator_expression))),
    subscript: ($) =>
      seq(field("value", $._primary), "[", commas(field("subscript", choice($._named, $.slice, $.list_splat))), "]"),
    slice: ($) =>
      seq(
        field("start", optional($.expression)),
        ":",
        field("stop", optional($.expression)),
        optional(seq(":", field("step", optional($.expression)))),
      ),

    argument_list: ($) => seq("(", optional(commas($._argument)), ")"),
    _argument: ($) => choice($._named, $.keyword_argument, alias($._argument_splat, $.list_splat), $.dictionary_splat),
    _argument_splat: ($) => seq("*", $.expression),
    keyword_argument: ($) => seq(field("name", $._name), "=", field("value", $.expression)),
    list_splat: ($) => seq("*", $._bitor),
    dictionary_splat: ($) => seq("**", $.expression),

    // Names, calls and types of the DSL.
    tensor_type: ($) => tensorType($, "Tensor"),
    const_tensor_type: ($) => tensorType($, "ConstTensor"),
    _op_name: ($) =>
      prec(PREC.dsl, seq(field("object", alias("tf", $.identifier)), ".", field("attribute", $.identifier))),
    _tile_name: ($) =>
      prec(PREC.dsl, seq(field("object", alias("tf", $.identifier)), ".", field("attribute", alias("tile", $.identifier)))),
    op_call: ($) => prec(PREC.dsl, seq(field("function", alias($._op_name, $.attribute)), $._arguments)),
    _tile_call: ($) => prec(PREC.dsl, seq(field("function", alias($._tile_name, $.attribute)), $._arguments)),
    _instruction_name: ($) =>
      prec(
        PREC.dsl,
        seq(
          field("object", choice(alias("T", $.identifier), alias($._instruction_name, $.attribute))),
          ".",
          field("attribute", $.identifier),
        ),
      ),
    instruction_call: ($) => prec(PREC.dsl, seq(field("function", alias($._instruction_name, $.attribute)), $._arguments)),
    mesh_call: ($) =>
      prec(PREC.dsl, seq(field("function", alias("Mesh", $.identifier)), field("arguments", alias($._mesh_arguments, $.argument_list)))),
    _mesh_arguments: ($) =>
      seq("(", optional(seq(choice($._argument, $._mesh_argument), repeat(seq(",", $._argument)), optional(","))), ")"),
    _mesh_argument: ($) => prec(PREC.scope, alias($.subscript, $.mesh_slice)),
    _swizzle_call: ($) =>
      prec(PREC.dsl, seq(field("function", alias("Swizzle", $.identifier)), $._arguments)),
    _arguments: ($) => field("arguments", choice($.argument_list, $.generator_expression)),

    // ---- displays ---------------------------------------------------------------------------------------------------
    parenthesized_expression: ($) => seq("(", choice($._named, $.yield), ")"),
    tuple: ($) => seq("(", optional(listed(choice($._named, $.list_splat))), ")"),
    list: ($) => seq("[", optional(commas(choice($._named, $.list_splat))), "]"),
    set: ($) => seq("{", commas(choice($._named, $.list_splat)), "}"),
    dictionary: ($) => seq("{", optional(commas(choice($.pair, $.dictionary_splat))), "}"),
    pair: ($) => seq(field("key", $.expression), ":", field("value", $.expression)),

    generator_expression: ($) => seq("(", field("body", $._named), $._clauses, ")"),
    list_comprehension: ($) => seq("[", field("body", $._named), $._clauses, "]"),
    set_comprehension: ($) => seq("{", field("body", $._named), $._clauses, "}"),
    dictionary_comprehension: ($) => seq("{", field("body", $.pair), $._clauses, "}"),
    _clauses: ($) => repeat1(seq($.for_in_clause, repeat($.if_clause))),
    for_in_clause: ($) =>
      seq(optional("async"), "for", field("left", $._targets), "in", field("right", $._disjunction)),
    if_clause: ($) => seq("if", $._disjunction),

    // ---- patterns of match ------------------------------------------------------------------------------------------
    case_pattern: ($) => choice($._pattern, $.splat_pattern, alias($._open_sequence, $.tuple_pattern)),
    _open_sequence: ($) => listed(choice($._pattern, $.splat_pattern)),
    _pattern: ($) => choice($.as_pattern, $._or_pattern),
    as_pattern: ($) => seq($._or_pattern, "as", field("alias", $._name)),
    _or_pattern: ($) => choice($.union_pattern, $._closed_pattern),
    union_pattern: ($) => seq($._closed_pattern, repeat1(seq("|", $._closed_pattern))),
    _closed_pattern: ($) =>
      choice(
        $._signed_number,
        $.complex_pattern,
        $.string,
        $.concatenated_string,
        $.true,
        $.false,
        $.none,
        $.dotted_name,
        $.class_pattern,
        $.group_pattern,
        $.tuple_pattern,
        $.list_pattern,
        $.dict_pattern,
      ),
    _signed_number: ($) => seq(optional("-"), choice($.integer, $.float, $.imaginary)),
    complex_pattern: ($) => seq($._signed_number, choice("+", "-"), $.imaginary),
    class_pattern: ($) => seq($.dotted_name, "(", optional(commas(choice($._pattern, $.keyword_pattern))), ")"),
    keyword_pattern: ($) => seq(field("name", $._name), "=", $._pattern),
    group_pattern: ($) => seq("(", $._pattern, ")"),
    tuple_pattern: ($) => seq("(", optional(choice(listed(choice($._pattern, $.splat_pattern)), $.splat_pattern)), ")"),
    list_pattern: ($) => seq("[", optional(commas(choice($._pattern, $.splat_pattern))), "]"),
    dict_pattern: ($) => seq("{", optional(commas(choice($._pair_pattern, $.splat_pattern))), "}"),
    _pair_pattern: ($) =>
      seq(choice($._signed_number, $.complex_pattern, $.string, $.concatenated_string, $.true, $.false, $.none, $.dotted_name), ":", $._pattern),
    splat_pattern: ($) => seq(choice("*", "**"), $._name),

    // ---- atoms ------------------------------------------------------------------------------------------------------
    string: ($) => seq($.string_start, repeat(choice($.string_content, $.escape_sequence, $.interpolation)), $.string_end),
    concatenated_string: ($) => seq($.string, repeat1($.string)),
    interpolation: ($) =>
      seq(
        "{",
        field("expression", choice($._star_expressions, $.yield)),
        optional(field("debug", "=")),
        optional(field("type_conversion", $.type_conversion)),
        optional(field("format_specifier", $.format_specifier)),
        "}",
      ),
    type_conversion: (_) => /![a-zA-Z]/,
    format_specifier: ($) => seq(choice(":", ":="), repeat(choice($.format_content, $.escape_sequence, $.interpolation))),

    integer: (_) =>
      token(choice(/0[xX](_?[0-9a-fA-F])+/, /0[oO](_?[0-7])+/, /0[bB](_?[01])+/, /[1-9](_?[0-9])*/, /0(_?0)*/)),
    float: (_) => token(float()),
    imaginary: (_) => token(seq(choice(float(), digits()), /[jJ]/)),
    true: (_) => "True",
    false: (_) => "False",
    none: (_) => "None",
    ellipsis: (_) => "...",
    identifier: (_) => /[_\p{XID_Start}][_\p{XID_Continue}]*/,
    comment: (_) => token(seq("#", /[^\r\n]*/)),
  },
});

function binary(left, operator, right) {
  return seq(field("left", left), field("operator", operator), field("right", right));
}

function dslCall($, word) {
  return seq(field("function", alias(word, $.identifier)), field("arguments", $.argument_list));
}

function dslDecorator($, word, call) {
  return prec.dynamic(PREC.statement, seq("@", choice(alias(word, $.identifier), alias(call, $.call)), $._newline));
}

function tensorType($, word) {
  return prec(
    PREC.dsl,
    seq(
      field("constructor", alias(word, $.identifier)),
      "[",
      commas(field("argument", choice($._named, $.slice, $.list_splat))),
      "]",
    ),
  );
}

function digits() {
  return /[0-9](_?[0-9])*/;
}
function float() {
  const exponent = /[eE][+-]?[0-9](_?[0-9])*/;
  return choice(
    seq(digits(), ".", optional(digits()), optional(exponent)),
    seq(".", digits(), optional(exponent)),
    seq(digits(), exponent),
  );
}
