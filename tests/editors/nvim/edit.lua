-- Hints follow the text: another tile size, other numbers; half a line typed does not take the server down.
local t = dofile(vim.fs.joinpath(vim.env.TW_ROOT, 'tests/editors/nvim/harness.lua'))

t.run(function()
  local buffer = t.open('linear.py', t.read('tests/golden/analyze/persist-01-linear/program.py'))
  local client = t.client(buffer)
  t.hinted(buffer, 'def walk', { '17639' })

  t.type(buffer, 'DEPTH = 64, 64, 192', 'DEPTH = 64, 64, 384')
  t.eventually('the prediction changes', function() return not t.hints(buffer, (t.find(buffer, 'def walk'))):find('17639', 1, true) end)
  t.type(buffer, 'DEPTH = 64, 64, 384', 'DEPTH = 64, 64, 192')
  t.hinted(buffer, 'def walk', { '17639' })

  t.type(buffer, 'acc + tf.matmul(at, bt, out_dtype="f32")', 'acc + tf.matmul(at, ')
  t.eventually('half a call is diagnosed', function() return #t.problems(buffer) > 0 end)
  t.type(buffer, 'acc + tf.matmul(at, ', 'acc + tf.matmul(at, bt, out_dtype="f32")')
  t.eventually('the diagnostic goes', function() return #t.problems(buffer) == 0 end)
  t.hinted(buffer, 'def walk', { '17639' })
  t.equal(client:is_stopped(), false, 'the server')
end)
