--- Puts LSP text edits into a buffer: all or none, as one undo step, no line ends but the buffer's.
local api = vim.api
local position = require('retouch.position')
local undo = require('retouch.undo')

local M = {}

---@class retouch.Change
---@field span retouch.Span
---@field lines string[]

--- The lines of a text from the server. Buffers hold no line ends, so none may get in.
---@param text string
---@return string[]
function M.lines(text)
  return vim.split((text:gsub('\r\n?', '\n')), '\n', { plain = true })
end

--- A text edit as a change of this buffer. LSP may name the line behind the last one, which a
--- buffer doesn't have: there the newline moves from the end of the new text to its start.
---@param bufnr integer
---@param edit lsp.TextEdit
---@param encoding retouch.Encoding
---@return retouch.Change
function M.change(bufnr, edit, encoding)
  local count = api.nvim_buf_line_count(bufnr)
  local lines = M.lines(edit.newText)
  if edit.range['end'].line >= count and #lines > 1 and lines[#lines] == '' then
    lines[#lines] = nil
    if edit.range.start.line >= count then
      table.insert(lines, 1, '')
    end
  end
  return { span = position.span(bufnr, edit.range, encoding), lines = lines }
end

---@param a retouch.Change
---@param b retouch.Change
---@return boolean
local function behind(a, b)
  local x, y = a.span, b.span
  return x.row > y.row or (x.row == y.row and x.col > y.col)
end

---@param changes retouch.Change[] Last first.
---@return boolean
local function overlap(changes)
  for index = 2, #changes do
    local later, earlier = changes[index - 1].span, changes[index].span
    if
      earlier.end_row > later.row
      or (earlier.end_row == later.row and earlier.end_col > later.col)
    then
      return true
    end
  end
  return false
end

--- Apply changes that all refer to the text as it stands. Marks and the cursor follow.
---@param bufnr integer
---@param changes retouch.Change[]
---@param how? fun(bufnr: integer, change: fun()) A step of its own if nil.
---@return string? reason Why nothing was changed.
function M.apply(bufnr, changes, how)
  if not vim.bo[bufnr].modifiable then
    return 'the buffer is not modifiable'
  end
  changes = vim.list_slice(changes)
  table.sort(changes, behind)
  if overlap(changes) then
    return 'the edits overlap'
  end
  for _, change in ipairs(changes) do
    if not position.text(bufnr, change.span) then
      return 'an edit is outside the text'
    end
  end
  (how or undo.step)(bufnr, function()
    for _, change in ipairs(changes) do
      local span = change.span
      local lines = change.lines
      api.nvim_buf_set_text(bufnr, span.row, span.col, span.end_row, span.end_col, lines)
    end
  end)
end

--- The buffer of a document, if it is loaded.
---@param uri any
---@return integer?
function M.buffer(uri)
  if type(uri) ~= 'string' then
    return nil
  end
  local ok, bufnr = pcall(vim.uri_to_bufnr, uri)
  return ok and api.nvim_buf_is_loaded(bufnr) and bufnr or nil
end

--- The version of a buffer as servers know it, edits included that are not sent yet.
---@param bufnr integer
---@return integer
function M.version(bufnr)
  return vim.lsp.util.buf_versions[bufnr]
end

--- The text after the changes, without touching the buffer.
---@param bufnr integer
---@param changes retouch.Change[]
---@return string[]
function M.preview(bufnr, changes)
  local scratch = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(scratch, 0, -1, false, api.nvim_buf_get_lines(bufnr, 0, -1, false))
  M.apply(scratch, changes)
  local lines = api.nvim_buf_get_lines(scratch, 0, -1, false)
  api.nvim_buf_delete(scratch, { force = true })
  return lines
end

return M
