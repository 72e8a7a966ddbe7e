-- :checkhealth tilewright names the server, the parser and the open schedule, and has nothing to complain about.
local t = dofile(vim.fs.joinpath(vim.env.TW_ROOT, 'tests/editors/nvim/harness.lua'))

t.run(function()
  local buffer = t.open('linear.py', t.read('tests/golden/analyze/persist-01-linear/program.py'))
  t.client(buffer)
  vim.cmd('checkhealth tilewright')
  local report = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  t.contains(report, 'server: ' .. vim.env.TW_SERVER, 'server')
  t.contains(report, 'parser: tilewright, ABI 14', 'parser')
  t.contains(report, 'query: highlights', 'queries')
  t.contains(report, 'attached to 1 buffer', 'open schedule')
  for _, word in ipairs({ 'ERROR', 'WARNING' }) do
    t.equal(report:find(word, 1, true), nil, word .. ' in\n' .. report)
  end
end)
