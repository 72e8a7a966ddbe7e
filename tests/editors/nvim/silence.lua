-- Python that is no schedule gets no client, no hint and no diagnostic; it becomes a schedule when the import is typed.
local t = dofile(vim.fs.joinpath(vim.env.TW_ROOT, 'tests/editors/nvim/harness.lua'))

t.run(function()
  local plain = t.open('plain.py', 'import os\n\n\ndef gemm(a, b):\n    return a @ b +\n')
  local schedule = t.open('linear.py', t.read('tests/golden/analyze/persist-01-linear/program.py'))
  t.client(schedule) -- by now the first buffer had its turn
  t.equal(vim.lsp.get_clients({ bufnr = plain, name = 'tilewright' }), {}, 'clients of a plain file')
  t.equal(vim.diagnostic.get(plain), {}, 'diagnostics of a plain file')
  t.equal(vim.lsp.inlay_hint.is_enabled({ bufnr = plain }), false, 'hints of a plain file')

  vim.cmd.buffer(plain)
  vim.api.nvim_buf_set_lines(plain, 0, 1, false, { 'from tilefoundry.dsl import *' })
  vim.api.nvim_exec_autocmds('InsertLeave', { buffer = plain })
  t.equal(t.client(plain).name, 'tilewright', 'client once the import is there')
  t.eventually('the unfinished line is diagnosed', function() return #vim.diagnostic.get(plain) > 0 end)
end)
