-- What the Neovim tests share: opening a file as a person would, waiting for what must appear, reading hints and diagnostics. A test is a
-- file that returns nothing; an error or an expectation that never comes true ends it with status 1. There is no sleep here.
local M = {}

vim.g.loaded_python3_provider = 0
vim.g.tilewright = { cmd = { vim.env.TW_SERVER, 'lsp' } }
vim.opt.runtimepath:prepend(vim.env.TW_PLUGIN)
vim.opt.swapfile = false
vim.cmd('filetype on')
vim.cmd.runtime('plugin/tilewright.lua')

function M.eventually(what, condition, limit)
  local ok, got
  vim.wait(limit or 20000, function()
    ok, got = pcall(condition)
    return ok and got
  end, 10)
  if not (ok and got) then
    error('never came true: ' .. what .. (ok and '' or ' (' .. tostring(got) .. ')'), 0)
  end
  return got
end

function M.equal(got, want, what)
  if not vim.deep_equal(got, want) then
    error(('%s: got %s, expected %s'):format(what, vim.inspect(got), vim.inspect(want)), 0)
  end
end

function M.contains(text, part, what)
  if not text:find(part, 1, true) then
    error(('%s: no %q in\n%s'):format(what, part, text), 0)
  end
end

-- Writes a file of this test and edits it; returns its buffer.
function M.open(name, text)
  local path = vim.fs.joinpath(vim.env.TW_FILES, name)
  local file = assert(io.open(path, 'w'))
  file:write(text)
  file:close()
  vim.cmd.edit(vim.fn.fnameescape(path))
  return vim.api.nvim_get_current_buf()
end

-- The text of a file of the repository.
function M.read(path)
  local file = assert(io.open(vim.fs.joinpath(vim.env.TW_ROOT, path)))
  local text = file:read('a')
  file:close()
  return text
end

function M.client(buffer)
  return M.eventually('the server attaches', function()
    local client = vim.lsp.get_clients({ bufnr = buffer, name = 'tilewright' })[1]
    return client and client.initialized and client
  end)
end

-- Row (from 0) and column of the first line that contains `part`.
function M.find(buffer, part)
  for row, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local column = line:find(part, 1, true)
    if column then
      return row - 1, column - 1
    end
  end
  error('not in the buffer: ' .. part, 0)
end

-- The hints of a row, joined as they are shown.
function M.hints(buffer, row)
  local texts = {}
  for _, item in ipairs(vim.lsp.inlay_hint.get({ bufnr = buffer })) do
    local hint = item.inlay_hint
    if hint.position.line == row then
      local label = hint.label
      if type(label) == 'table' then
        label = vim.iter(label):map(function(part) return part.value end):join('')
      end
      table.insert(texts, label)
    end
  end
  return table.concat(texts, ' ')
end

-- Waits until the hints of the line with `part` contain every one of `texts`.
function M.hinted(buffer, part, texts)
  return M.eventually(('hint %s at `%s`'):format(vim.inspect(texts), part), function()
    local shown = M.hints(buffer, (M.find(buffer, part)))
    for _, text in ipairs(texts) do
      if not shown:find(text, 1, true) then
        error('shown is ' .. shown, 0)
      end
    end
    return shown
  end)
end

-- Errors and warnings; remarks are no problems.
function M.problems(buffer)
  return vim.diagnostic.get(buffer, { severity = { min = vim.diagnostic.severity.WARN } })
end

-- Waits for a diagnostic with this code on the line with `part`; returns it.
function M.diagnosed(buffer, code, part)
  return M.eventually(('%s at `%s`'):format(code, part), function()
    local row = M.find(buffer, part)
    local seen = {}
    for _, diagnostic in ipairs(vim.diagnostic.get(buffer)) do
      if diagnostic.code == code and diagnostic.lnum == row then
        return diagnostic
      end
      table.insert(seen, ('%d: %s'):format(diagnostic.lnum + 1, diagnostic.code))
    end
    error('there is ' .. table.concat(seen, ', '), 0)
  end)
end

-- Replaces `old` by `new` in the line that contains it, as typing would.
function M.type(buffer, old, new)
  local row, column = M.find(buffer, old)
  vim.api.nvim_buf_set_text(buffer, row, column, row, column + #old, { new })
end

-- The text of the hover at a place.
function M.hover(buffer, part, inside)
  local row, column = M.find(buffer, part)
  column = column + (part:find(inside or part, 1, true) - 1)
  local client = M.client(buffer)
  vim.api.nvim_win_set_cursor(0, { row + 1, column })
  local reply = client:request_sync('textDocument/hover', vim.lsp.util.make_position_params(0, client.offset_encoding), 10000, buffer)
  local result = reply and reply.result
  return result and (type(result.contents) == 'table' and result.contents.value or result.contents) or ''
end

-- Runs a test and ends Neovim with its status.
function M.run(test)
  local ok, message = xpcall(test, function(problem)
    return type(problem) == 'string' and problem or debug.traceback(vim.inspect(problem))
  end)
  if not ok then
    io.stderr:write(message, '\n')
    local log = vim.lsp.get_log_path()
    local file = io.open(log)
    if file then
      io.stderr:write('the end of the client\'s log:\n', file:read('a'):sub(-2000), '\n')
    end
  end
  for _, client in ipairs(vim.lsp.get_clients()) do
    client:stop(true)
  end
  os.exit(ok and 0 or 1)
end

package.loaded.harness = M
return M
