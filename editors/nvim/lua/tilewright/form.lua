-- A window beside a schedule with another form of it (hir, tir, ast) that follows the text while it is typed and the cursor both ways.
local M = {}

local forms = { 'ast', 'hir', 'tir' }
local namespace = vim.api.nvim_create_namespace('tilewright.form')
local views = {} -- by source buffer: { source, buffer, form, map, encoding, at }
local moving = false -- a cursor is being set by us

-- The place of the cursor of a window as the server counts.
local function position(window, encoding)
  local row, column = unpack(vim.api.nvim_win_get_cursor(window))
  local line = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), row - 1, row, false)[1] or ''
  return { line = row - 1, character = vim.str_utfindex(line, encoding, math.min(column, #line)) }
end

local function before(a, b)
  return a.line < b.line or (a.line == b.line and a.character <= b.character)
end

-- How much text a range spans: lines count before characters.
local function extent(range)
  return (range['end'].line - range.start.line) * 10000 + range['end'].character - range.start.character
end

-- The pair whose range of one side (1 source, 2 form) is the narrowest around a place, else one that lies on its line.
local function pair(map, side, place)
  local best, onLine
  for _, one in ipairs(map) do
    local range = one[side]
    local stop = range['end']
    if before(range.start, place) and before(place, stop) and (not best or extent(range) <= extent(best[side])) then
      best = one
    end
    if range.start.line <= place.line and place.line <= stop.line and (not onLine or extent(range) < extent(onLine[side])) then
      onLine = one
    end
  end
  return best or onLine
end

local function mark(buffer, range)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  local last = math.min(range['end'].line, vim.api.nvim_buf_line_count(buffer) - 1)
  for row = range.start.line, last do
    vim.api.nvim_buf_set_extmark(buffer, namespace, row, 0, { line_hl_group = 'Visual' })
  end
end

-- Shows in the windows of `other` what belongs to the cursor of the current window.
local function follow(view, side)
  if moving or not view.map then
    return
  end
  local found = pair(view.map, side, position(0, view.encoding))
  if not found or found == view.at then
    return
  end
  view.at = found
  local other = side == 1 and view.buffer or view.source
  mark(view.source, found[1])
  mark(view.buffer, found[2])
  moving = true
  for _, window in ipairs(vim.fn.win_findbuf(other)) do
    local start = found[3 - side].start
    if start.line < vim.api.nvim_buf_line_count(other) then
      vim.api.nvim_win_set_cursor(window, { start.line + 1, start.character })
    end
  end
  moving = false
end

local function show(view, text, language)
  local at = {}
  for _, window in ipairs(vim.fn.win_findbuf(view.buffer)) do
    at[window] = vim.api.nvim_win_get_cursor(window)
  end
  moving = true
  vim.bo[view.buffer].modifiable = true
  vim.api.nvim_buf_set_lines(view.buffer, 0, -1, false, vim.split(text, '\n', { trimempty = true }))
  vim.bo[view.buffer].modifiable = false
  -- The syntax alone: a file type would bring servers to a text that is no file.
  vim.bo[view.buffer].syntax = language
  for window, cursor in pairs(at) do
    vim.api.nvim_win_set_cursor(window, { math.min(cursor[1], vim.api.nvim_buf_line_count(view.buffer)), cursor[2] })
  end
  moving = false
end

-- Asks the server for the form of the text as it is now. What it refuses leaves the last good one in place, with the reason in its name line.
local function refresh(view)
  local client = vim.lsp.get_clients({ bufnr = view.source, name = 'tilewright' })[1]
  if not client then
    return
  end
  view.encoding = client.offset_encoding
  local window = vim.fn.win_findbuf(view.source)[1]
  local parameters = {
    textDocument = vim.lsp.util.make_text_document_params(view.source),
    position = window and position(window, view.encoding) or nil,
    form = view.form,
  }
  client:request('tilewright/form', parameters, function(problem, result)
    if not vim.api.nvim_buf_is_valid(view.buffer) then
      return
    end
    vim.b[view.buffer].tilewright_stale = problem and problem.message or nil
    for _, shown in ipairs(vim.fn.win_findbuf(view.buffer)) do
      vim.wo[shown].winbar = view.form .. (problem and ': ' .. problem.message:gsub('%%', '%%%%') or '')
    end
    if problem or not result then
      return
    end
    view.map, view.at = result.map, nil
    show(view, result.text, result.languageId)
    if vim.api.nvim_get_current_buf() == view.source then
      follow(view, 1)
    end
  end, view.source)
end

local function close(view)
  views[view.source] = nil
  pcall(vim.api.nvim_del_augroup_by_id, view.group)
  if vim.api.nvim_buf_is_valid(view.source) then
    vim.api.nvim_buf_clear_namespace(view.source, namespace, 0, -1)
  end
end

-- Opens the window, or turns the one that is open to another form.
function M.open(source, form)
  form = form or 'hir'
  if not vim.tbl_contains(forms, form) then
    vim.notify('Tilewright form: one of ' .. table.concat(forms, ', '), vim.log.levels.ERROR)
    return
  end
  local view = views[source]
  if view then
    view.form = form
    return refresh(view)
  end
  view = { source = source, form = form, buffer = vim.api.nvim_create_buf(false, true) }
  views[source] = view
  vim.bo[view.buffer].bufhidden = 'wipe'
  vim.api.nvim_buf_set_name(view.buffer, ('tilewright://%d/form'):format(source))
  local here = vim.api.nvim_get_current_win()
  local window = vim.api.nvim_open_win(view.buffer, false, { split = 'right', win = here })
  vim.wo[window].wrap, vim.wo[window].number, vim.wo[window].cursorline = false, false, true
  view.group = vim.api.nvim_create_augroup('tilewright.form.' .. source, {})
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'CursorMovedI' }, { group = view.group, buffer = source, callback = function() follow(view, 1) end })
  vim.api.nvim_create_autocmd('CursorMoved', { group = view.group, buffer = view.buffer, callback = function() follow(view, 2) end })
  vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI' }, { group = view.group, buffer = source, callback = function() refresh(view) end })
  vim.api.nvim_create_autocmd('BufWipeout', { group = view.group, buffer = view.buffer, callback = function() close(view) end })
  vim.api.nvim_create_autocmd('BufWipeout', {
    group = view.group,
    buffer = source,
    callback = function()
      close(view)
      vim.schedule(function() pcall(vim.api.nvim_buf_delete, view.buffer, { force = true }) end)
    end,
  })
  refresh(view)
end

function M.buffer(source)
  return views[source] and views[source].buffer
end

return M
