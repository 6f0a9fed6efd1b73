--- Takes a suggestion, or its next word or line, into the text: one undo step of its own.
local api = vim.api
local edits = require('retouch.edits')
local suggestions = require('retouch.ghost.suggestion')

local M = {}

---@alias retouch.Piece 'all'|'word'|'line'

---@type table<retouch.Piece, fun(rest: string): string>
local CUT = {
  all = function(rest)
    return rest
  end,
  word = suggestions.word,
  line = suggestions.line,
}

---@param client vim.lsp.Client
---@param suggestion retouch.Suggestion
local function report_all(client, suggestion)
  if suggestion.command then
    client:request('workspace/executeCommand', {
      command = suggestion.command.command,
      arguments = suggestion.command.arguments,
    }, function() end, suggestion.bufnr)
  end
end

--- What is left of a suggestion behind its accepted part, as a suggestion at the cursor.
---@param suggestion retouch.Suggestion
---@param rest string
---@param cursor integer[]
---@param units integer
---@return retouch.Suggestion
local function remainder(suggestion, rest, cursor, units)
  local line = api.nvim_buf_get_lines(suggestion.bufnr, cursor[1], cursor[1] + 1, false)[1] or ''
  return vim.tbl_extend('force', suggestion, {
    row = cursor[1],
    col = cursor[2],
    before = line:sub(1, cursor[2]),
    text = rest,
    taken = units,
  })
end

---@param bufnr integer
---@param row integer
---@param col integer
---@param tail string
---@param piece string
---@return integer[]? cursor Nil if the text can't be changed.
local function put(bufnr, row, col, tail, piece)
  local lines = edits.lines(piece)
  local span = { row = row, col = col, end_row = row, end_col = col + #tail }
  if edits.apply(bufnr, { { span = span, lines = lines } }) then
    return nil
  end
  local cursor = { row + #lines - 1, (#lines == 1 and col or 0) + #lines[#lines] }
  api.nvim_win_set_cursor(0, { cursor[1] + 1, cursor[2] })
  return cursor
end

--- Take a piece at the cursor of the current window. Returns what is left, as a suggestion.
---@param suggestion retouch.Suggestion
---@param piece retouch.Piece
---@return retouch.Suggestion?
function M.take(suggestion, piece)
  local row, col = unpack(api.nvim_win_get_cursor(0))
  row = row - 1
  local rest = suggestions.rest(suggestion, row, col)
  local client = vim.lsp.get_client_by_id(suggestion.client_id)
  if not rest or not client then
    return nil
  end
  local text = CUT[piece](rest)
  local whole = text == rest
  local cursor = put(suggestion.bufnr, row, col, whole and suggestion.tail or '', text)
  if not cursor then
    return nil
  elseif whole then
    report_all(client, suggestion)
    return nil
  end
  local gone = suggestion.text:sub(1, #suggestion.text - #rest + #text)
  local units = suggestion.taken + vim.str_utfindex(gone, 'utf-16')
  client:notify('retouch/didAccept', { id = suggestion.id, acceptedLength = units })
  return remainder(suggestion, rest:sub(#text + 1), cursor, units)
end

return M
