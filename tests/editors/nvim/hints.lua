-- Costs stand beside the statements of a schedule: the numbers are those of the golden report of the same program.
local t = dofile(vim.fs.joinpath(vim.env.TW_ROOT, 'tests/editors/nvim/harness.lua'))

t.run(function()
  local buffer = t.open('linear.py', t.read('tests/golden/analyze/persist-01-linear/program.py'))
  t.client(buffer)
  t.equal(t.eventually('hints are on', function() return vim.lsp.inlay_hint.is_enabled({ bufnr = buffer }) end), true, 'inlay hints')

  t.hinted(buffer, 'res = tf.zeros', { '[0,10814) ns' })
  t.hinted(buffer, 'at = tf.reshard', { '[531t+10818,531t+11044)*9 ns', 'gmem r8.00KB' })
  t.hinted(buffer, 'def walk', { 'predicted-ns=17639 waves=1' })
  t.hinted(buffer, 'with Mesh', { 'peak ', 'smem 16.00KB of 227.00KB' })
  t.equal(t.problems(buffer), {}, 'diagnostics of an accepted program')
end)
