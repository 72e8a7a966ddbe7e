-- Another form of the schedule stands beside it, follows the text and, both ways, the cursor.
local t = dofile(vim.fs.joinpath(vim.env.TW_ROOT, 'tests/editors/nvim/harness.lua'))

local function lineAt(window)
  local row = vim.api.nvim_win_get_cursor(window)[1]
  return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), row - 1, row, false)[1]
end

local function go(window, part)
  vim.api.nvim_set_current_win(window)
  local row, column = t.find(vim.api.nvim_win_get_buf(window), part)
  vim.api.nvim_win_set_cursor(window, { row + 1, column })
  vim.api.nvim_exec_autocmds('CursorMoved', { buffer = vim.api.nvim_win_get_buf(window) })
end

t.run(function()
  local source = t.open('linear.py', t.read('tests/golden/analyze/persist-01-linear/program.py'))
  t.client(source)
  local here = vim.api.nvim_get_current_win()
  vim.cmd('Tilewright form hir')
  local form = require('tilewright.form').buffer(source)
  t.equal(vim.api.nvim_get_current_win(), here, 'the cursor stays in the source')
  t.eventually('the form is shown', function() return #vim.api.nvim_buf_get_lines(form, 0, -1, false) > 10 end)
  local there = vim.fn.win_findbuf(form)[1]
  t.contains(table.concat(vim.api.nvim_buf_get_lines(form, 0, -1, false), '\n'), 'def walk', 'the form')

  go(here, 'at = tf.reshard')
  t.contains(lineAt(there), 'at = tf.reshard', 'the form follows the source')
  go(there, 'tf.insert_slice')
  t.contains(lineAt(here), 'tf.insert_slice', 'the source follows the form')

  vim.api.nvim_set_current_win(here)
  t.type(source, 'at = tf.reshard', 'left = tf.reshard')
  t.type(source, 'tf.matmul(at', 'tf.matmul(left')
  vim.api.nvim_exec_autocmds('TextChanged', { buffer = source })
  t.eventually('the form follows the text', function() return table.concat(vim.api.nvim_buf_get_lines(form, 0, -1, false), '\n'):find('left = tf.reshard', 1, true) end)
  t.equal(vim.bo[form].modifiable, false, 'the form is not edited')
end)
