-- Starts tilewright in Python buffers that import the DSL and dresses them; other Python buffers see nothing of it.
if vim.g.loaded_tilewright then
  return
end
vim.g.loaded_tilewright = true
if vim.fn.has('nvim-0.11') == 0 then
  vim.notify('tilewright needs Neovim 0.11', vim.log.levels.WARN)
  return
end

local tilewright = require('tilewright')
local group = vim.api.nvim_create_augroup('tilewright', {})

vim.lsp.enable('tilewright')

vim.api.nvim_create_autocmd('LspAttach', {
  group = group,
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'tilewright' then
      tilewright.dress(event.buf)
    end
  end,
})

-- A file becomes a schedule when its import is typed: ask again where no server is attached yet.
vim.api.nvim_create_autocmd({ 'InsertLeave', 'TextChanged', 'BufWritePost' }, {
  group = group,
  callback = function(event)
    if vim.bo[event.buf].filetype ~= 'python' or vim.bo[event.buf].buftype ~= '' then
      return
    end
    if #vim.lsp.get_clients({ bufnr = event.buf, name = 'tilewright' }) == 0 then
      tilewright.attach(event.buf)
    end
  end,
})

local verbs = {
  hints = function(buffer)
    vim.lsp.inlay_hint.enable(not vim.lsp.inlay_hint.is_enabled({ bufnr = buffer }), { bufnr = buffer })
  end,
  report = tilewright.report,
  form = function(buffer, arguments)
    require('tilewright.form').open(buffer, arguments[1])
  end,
  restart = function()
    local buffers = {}
    for _, client in ipairs(vim.lsp.get_clients({ name = 'tilewright' })) do
      vim.list_extend(buffers, vim.tbl_keys(client.attached_buffers))
      client:stop()
    end
    local function stopped()
      return #vim.lsp.get_clients({ name = 'tilewright' }) == 0
    end
    vim.wait(2000, stopped, 20)
    for _, buffer in ipairs(buffers) do
      if vim.api.nvim_buf_is_valid(buffer) then
        tilewright.attach(buffer)
      end
    end
  end,
}

vim.api.nvim_create_user_command('Tilewright', function(call)
  local verb = verbs[call.fargs[1]]
  if verb then
    verb(vim.api.nvim_get_current_buf(), vim.list_slice(call.fargs, 2))
  else
    vim.notify('Tilewright: one of ' .. table.concat(vim.fn.sort(vim.tbl_keys(verbs)), ', '), vim.log.levels.ERROR)
  end
end, {
  nargs = '+',
  complete = function(typed, line)
    local names = line:find('^%s*%S+%s+form%s') and { 'ast', 'hir', 'tir' } or vim.fn.sort(vim.tbl_keys(verbs))
    return vim.iter(names):filter(function(name) return vim.startswith(name, typed) end):totable()
  end,
  desc = 'tilewright: toggle hints, show the report or another form, restart the server',
})
