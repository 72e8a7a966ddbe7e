-- How Neovim 0.11 starts the server: `vim.lsp.enable('tilewright')` reads this table (plugin/tilewright.lua calls it). Python files that do not
-- import the DSL get no client: root_dir only answers for schedules.
local tilewright = require('tilewright')

return {
  cmd = function(dispatchers)
    return vim.lsp.rpc.start(tilewright.command(), dispatchers)
  end,
  filetypes = { 'python' },
  root_dir = function(buffer, answer)
    if tilewright.is_schedule(buffer) then
      answer(vim.fs.root(buffer, { '.git', 'pyproject.toml' }) or vim.fs.dirname(vim.api.nvim_buf_get_name(buffer)))
    end
  end,
}
