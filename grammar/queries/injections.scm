((comment) @injection.content
  (#set! injection.language "comment"))

; `re.compile("...")` and the like.
(call
  function: (attribute object: (identifier) @_module)
  arguments: (argument_list . (string (string_content) @injection.content))
  (#eq? @_module "re")
  (#set! injection.language "regex"))
