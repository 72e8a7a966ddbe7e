-- Hover tells what a name holds, where it lives and what an operation takes.
local t = dofile(vim.fs.joinpath(vim.env.TW_ROOT, 'tests/editors/nvim/harness.lua'))

t.run(function()
  local buffer = t.open('linear.py', t.read('tests/golden/analyze/persist-01-linear/program.py'))
  t.hinted(buffer, 'def walk', { '17639' })

  local value = t.hover(buffer, 'at = tf.reshard')
  t.contains(value, 'Tensor[(64, 64), "bf16"', 'type of a value')
  t.contains(value, 'smem', 'storage of a value')
  t.contains(t.hover(buffer, 'tf.matmul(at', 'matmul'), 'out_dtype', 'signature of an operation')
  t.equal(t.hover(buffer, 'return res', 'return'), '', 'hover over a keyword')
end)
