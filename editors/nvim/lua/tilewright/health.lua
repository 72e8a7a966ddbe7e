-- `:checkhealth tilewright`: what a person needs to know when nothing shows.
local M = {}

function M.check()
  local tilewright = require('tilewright')
  local health = vim.health
  health.start('tilewright')

  if vim.fn.has('nvim-0.11') == 1 then
    health.ok('Neovim ' .. tostring(vim.version()))
  else
    health.error('Neovim 0.11 or later is needed', 'vim.lsp.config and vim.lsp.enable do not exist before')
  end

  local command = tilewright.command()
  if vim.fn.executable(command[1]) == 1 then
    local done = vim.system({ command[1], '--version' }, { text = true }):wait(5000)
    if done.code == 0 then
      health.ok('server: ' .. command[1] .. ', ' .. vim.trim(done.stdout))
    else
      health.error('server: ' .. command[1] .. ' does not answer --version', vim.trim(done.stderr or ''))
    end
  else
    health.error('server: no `tilewright` on PATH and none beside this plugin', {
      'build it with scripts/demo or scripts/test',
      "or name it: vim.g.tilewright = { cmd = { '/path/to/tilewright', 'lsp' } }",
    })
  end

  if tilewright.has_parser() then
    health.ok('parser: tilewright, ABI ' .. tostring(vim.treesitter.language.inspect('tilewright').abi_version))
    for _, name in ipairs({ 'highlights', 'folds' }) do
      local found, query = pcall(vim.treesitter.query.get, 'tilewright', name)
      if found and query then
        health.ok('query: ' .. name)
      else
        health.warn('query: ' .. name .. (found and ' is missing' or ' does not fit the parser: ' .. tostring(query)))
      end
    end
  else
    health.warn('parser: not installed, schedules are coloured as Python', 'use the plugin folder that the build makes: build/release/nvim')
  end

  local clients = vim.lsp.get_clients({ name = 'tilewright' })
  if #clients == 0 then
    health.info('no schedule is open: the server starts with the first Python file that imports tilefoundry.dsl or tvm_tirx')
  end
  for _, client in ipairs(clients) do
    health.ok(('attached to %d buffer(s), root %s, positions in %s'):format(vim.tbl_count(client.attached_buffers), client.root_dir or 'none', client.offset_encoding))
    for buffer in pairs(client.attached_buffers) do
      for _, other in ipairs(vim.lsp.get_clients({ bufnr = buffer })) do
        if other.offset_encoding ~= client.offset_encoding then
          health.warn(('%s counts positions in %s, tilewright in %s'):format(other.name, other.offset_encoding, client.offset_encoding))
        end
      end
    end
  end
end

return M
