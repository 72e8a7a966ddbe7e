-- The grammar colours a schedule: Neovim loads its parser and queries, and the DSL's own words have captures of their own.
local t = dofile(vim.fs.joinpath(vim.env.TW_ROOT, 'tests/editors/nvim/harness.lua'))

t.run(function()
  local buffer = t.open('linear.py', t.read('tests/golden/analyze/persist-01-linear/program.py'))
  t.client(buffer)
  t.eventually('the highlighter runs', function() return vim.treesitter.highlighter.active[buffer] end)
  local parser = vim.treesitter.get_parser(buffer, 'tilewright')
  t.equal(parser:lang(), 'tilewright', 'language')
  t.equal(parser:parse(true)[1]:root():has_error(), false, 'a parse without errors')
  local function captures(part, inside)
    local row, column = t.find(buffer, part)
    column = column + part:find(inside, 1, true) - 1
    return vim.iter(vim.treesitter.get_captures_at_pos(buffer, row, column)):map(function(c) return c.capture end):totable()
  end
  t.equal(vim.list_contains(captures('def walk', 'def'), 'keyword.function') or vim.list_contains(captures('def walk', 'def'), 'keyword'), true, 'def is a keyword')
  t.equal(#captures('with Mesh', 'Mesh') > 0, true, 'the mesh scope is captured')
  t.equal(vim.list_contains(captures('"bf16"', 'bf16'), 'string') or #captures('"bf16"', 'bf16') > 0, true, 'the dtype is captured')
end)
