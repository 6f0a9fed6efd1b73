--- A suggestion at the cursor: what of it still fits the text, and its next word or line.
local api = vim.api
local edits = require('retouch.edits')
local position = require('retouch.position')

local M = {}

---@class retouch.Suggestion
---@field bufnr integer
---@field client_id integer
---@field id any The server's name for it.
---@field command? lsp.Command
---@field row integer
---@field col integer Byte column where its text begins.
---@field before string The line up to there.
---@field text string
---@field tail string What it replaces behind the cursor.
---@field after string The rest of the line behind that.
---@field taken integer UTF-16 units of it that were accepted already.

---@param client_id integer
---@param command? lsp.Command
---@return any
local function id_of(client_id, command)
  return command and command.arguments and command.arguments[1] or client_id
end

--- A suggestion from its span, which begins before the cursor on its line. It may end before the
--- cursor too, if what was typed since is the beginning of the text.
---@param place {bufnr: integer, client_id: integer, span: retouch.Span, row: integer, col: integer}
---@param text string
---@param command? lsp.Command
---@return retouch.Suggestion?
function M.new(place, text, command)
  local span, row, col = place.span, place.row, place.col
  if span.row ~= row or span.end_row ~= row or span.col > col then
    return nil
  end
  local end_col = math.max(span.end_col, col)
  local line = api.nvim_buf_get_lines(place.bufnr, row, row + 1, false)[1] or ''
  local new = {
    bufnr = place.bufnr,
    client_id = place.client_id,
    id = id_of(place.client_id, command),
    command = command,
    row = row,
    col = span.col,
    before = line:sub(1, span.col),
    text = table.concat(edits.lines(text), '\n'),
    tail = line:sub(col + 1, end_col),
    after = line:sub(end_col + 1),
    taken = 0,
  }
  return M.rest(new, row, col) and new or nil
end

--- A suggestion from an item of `textDocument/inlineCompletion`; nil if it doesn't fit the text.
---@param bufnr integer
---@param client vim.lsp.Client
---@param item any
---@param cursor integer[] Row and byte column.
---@return retouch.Suggestion?
function M.from_item(bufnr, client, item, cursor)
  if type(item) ~= 'table' or type(item.insertText) ~= 'string' then
    return nil
  end
  local row, col = cursor[1], cursor[2]
  local span = { row = row, col = col, end_row = row, end_col = col }
  if type(item.range) == 'table' then
    span = position.span(bufnr, item.range, client.offset_encoding)
  end
  local place = { bufnr = bufnr, client_id = client.id, span = span, row = row, col = col }
  return M.new(place, item.insertText, type(item.command) == 'table' and item.command or nil)
end

--- What is left of a suggestion with the cursor here: nil if what was typed contradicts it, if the
--- line has changed otherwise, or if nothing is left.
---@param suggestion retouch.Suggestion
---@param row integer
---@param col integer
---@return string?
function M.rest(suggestion, row, col)
  if row ~= suggestion.row or col < suggestion.col then
    return nil
  end
  local line = api.nvim_buf_get_lines(suggestion.bufnr, row, row + 1, false)[1] or ''
  local typed = line:sub(suggestion.col + 1, col)
  local rest = suggestion.text:sub(#typed + 1)
  local fits = line:sub(1, suggestion.col) == suggestion.before
    and vim.startswith(suggestion.text, typed)
    and line:sub(col + 1) == suggestion.tail .. suggestion.after
    and rest ~= suggestion.tail
  return fits and rest or nil
end

--- The first word of a text, with the white space before it.
---@param text string
---@return string
function M.word(text)
  return vim.fn.matchstr(text, [=[^\_s*\%(\k\+\|[^[:keyword:][:space:]]\+\|$\)]=])
end

--- The first line of a text; from a line's end, the line break and the line behind it.
---@param text string
---@return string
function M.line(text)
  return assert(text:match('^\n?[^\n]*'))
end

return M
