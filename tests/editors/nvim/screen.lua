-- What a person sees: a second Neovim in a terminal, its screen read back as text, with the hint on the line of its statement.
local t = dofile(vim.fs.joinpath(vim.env.TW_ROOT, 'tests/editors/nvim/harness.lua'))

t.run(function()
  vim.o.columns, vim.o.lines = 220, 50
  local path = vim.fs.joinpath(vim.env.TW_FILES, 'linear.py')
  vim.fn.writefile(vim.split(t.read('tests/golden/analyze/persist-01-linear/program.py'), '\n'), path)
  local buffer = vim.api.nvim_create_buf(true, false)
  vim.api.nvim_set_current_buf(buffer)
  local command = { vim.env.TW_NVIM, '--clean', '-n', '-i', 'NONE',
    '--cmd', 'let g:loaded_python3_provider = 0 | let g:tilewright = #{ cmd: [$TW_SERVER, "lsp"] }',
    '--cmd', 'set runtimepath^=$TW_PLUGIN nowrap noswapfile', path }
  local job = vim.fn.jobstart(command, { term = true })
  local function line(part)
    return vim.iter(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)):find(function(text) return text:find(part, 1, true) end) or ''
  end
  t.eventually('the hint of the fill is on the screen', function()
    local shown = line('res = tf.zeros')
    return shown:find('[0,10814) ns', 1, true) or error(table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n'), 0)
  end)
  t.contains(line('def walk'), '17639', 'the prediction on the screen')
  vim.fn.jobstop(job)
end)
