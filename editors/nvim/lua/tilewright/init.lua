-- What the other files of the plugin share: which buffers are schedules, and where the server is.
local M = {}

local defaults = {
  cmd = nil, -- a list such as { '/path/to/tilewright', 'lsp' }; found by itself when nil
  inlay_hints = true, -- costs beside the statements, switched on when the server attaches
  highlight = true, -- the tilewright grammar in place of Python's, where its parser is installed
}

-- Settings: `vim.g.tilewright = { inlay_hints = false }` before the plugin loads.
function M.settings()
  return vim.tbl_extend('force', defaults, vim.g.tilewright or {})
end

local marks = { '^%s*from%s+tilefoundry[%s.]', '^%s*import%s+tilefoundry', '^%s*from%s+tvm_tirx[%s.]', '^%s*import%s+tvm_tirx' }

-- A schedule is a Python buffer with an import of the DSL among its first lines.
function M.is_schedule(buffer)
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, 2000, false)) do
    if line:find('t', 1, true) then
      for _, mark in ipairs(marks) do
        if line:find(mark) then
          return true
        end
      end
    end
  end
  return false
end

-- This file lies in PLUGIN/lua/tilewright.
local plugin = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))))

-- The server's command line: as set, from PATH, or the build this plugin folder belongs to.
function M.command()
  local set = M.settings().cmd
  if set then
    return set
  end
  local places = { vim.fn.exepath('tilewright'), vim.fs.joinpath(plugin, '..', 'tilewright'), vim.fs.joinpath(plugin, '..', '..', 'build', 'release', 'tilewright') }
  for _, place in ipairs(places) do
    if place ~= '' and vim.fn.executable(place) == 1 then
      return { vim.fs.normalize(place), 'lsp' }
    end
  end
  return { 'tilewright', 'lsp' }
end

-- Starts the server for a buffer that became a schedule after it was opened, or whose server was stopped.
function M.attach(buffer)
  local config = vim.lsp.config.tilewright
  config.root_dir(buffer, function(root)
    vim.lsp.start(vim.tbl_extend('force', config, { root_dir = root }), { bufnr = buffer })
  end)
end

-- Whether Neovim can load the grammar's parser.
function M.has_parser()
  return vim.treesitter.language.add('tilewright') == true
end

-- Grammar and hints for one buffer.
function M.dress(buffer)
  local settings = M.settings()
  if settings.highlight and M.has_parser() and vim.treesitter.query.get('tilewright', 'highlights') then
    vim.treesitter.start(buffer, 'tilewright')
  end
  if settings.inlay_hints then
    vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
  end
end

-- The report of `tilewright analyze` about a buffer's file, in a window of its own.
function M.report(buffer)
  local command = { M.command()[1], 'analyze', vim.api.nvim_buf_get_name(buffer), '-', '--compute-cost', '--memory', '--roofline', '--performance' }
  vim.system(command, { text = true }, vim.schedule_wrap(function(done)
    local text = done.code == 0 and done.stdout or done.stderr
    vim.cmd.new()
    local shown = vim.api.nvim_get_current_buf()
    vim.api.nvim_buf_set_lines(shown, 0, -1, false, vim.split(text, '\n', { trimempty = true }))
    vim.bo[shown].buftype, vim.bo[shown].bufhidden, vim.bo[shown].modified = 'nofile', 'wipe', false
    vim.bo[shown].modifiable = false
    vim.wo.wrap = false
    -- Set last: the report imports the DSL as its source does, but it is no file a server could know.
    vim.bo[shown].syntax = 'python'
  end))
end

return M
