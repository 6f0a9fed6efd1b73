--- Places in a buffer: LSP positions in a client's encoding <-> rows and byte columns.
local api = vim.api

local M = {}

---@alias retouch.Encoding 'utf-8'|'utf-16'|'utf-32'

--- A stretch of text: 0-based rows, byte columns, the end not included.
---@class retouch.Span
---@field row integer
---@field col integer
---@field end_row integer
---@field end_col integer

---@param bufnr integer
---@param row integer
---@return string
local function line(bufnr, row)
  return api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ''
end

--- Byte offset in `text` of a column in the encoding's units; past the end is the end.
---@param text string
---@param units integer
---@param encoding retouch.Encoding
---@return integer
function M.byte(text, units, encoding)
  return vim.str_byteindex(text, encoding, math.max(0, units), false)
end

--- Column in the encoding's units of a byte offset in `text`.
---@param text string
---@param byte integer
---@param encoding retouch.Encoding
---@return integer
function M.units(text, byte, encoding)
  return vim.str_utfindex(text, encoding, math.min(byte, #text), false)
end

--- Row and byte column of an LSP position; a position past the end becomes the end.
---@param bufnr integer
---@param position lsp.Position
---@param encoding retouch.Encoding
---@return integer row
---@return integer col
function M.from_lsp(bufnr, position, encoding)
  local last = api.nvim_buf_line_count(bufnr) - 1
  if position.line > last then
    return last, #line(bufnr, last)
  end
  return position.line, M.byte(line(bufnr, position.line), position.character, encoding)
end

---@param bufnr integer
---@param row integer
---@param col integer
---@param encoding retouch.Encoding
---@return lsp.Position
function M.to_lsp(bufnr, row, col, encoding)
  return { line = row, character = M.units(line(bufnr, row), col, encoding) }
end

---@param bufnr integer
---@param range lsp.Range
---@param encoding retouch.Encoding
---@return retouch.Span
function M.span(bufnr, range, encoding)
  local row, col = M.from_lsp(bufnr, range.start, encoding)
  local end_row, end_col = M.from_lsp(bufnr, range['end'], encoding)
  return { row = row, col = col, end_row = end_row, end_col = end_col }
end

---@param bufnr integer
---@param span retouch.Span
---@param encoding retouch.Encoding
---@return lsp.Range
function M.range(bufnr, span, encoding)
  return {
    start = M.to_lsp(bufnr, span.row, span.col, encoding),
    ['end'] = M.to_lsp(bufnr, span.end_row, span.end_col, encoding),
  }
end

--- The text of a span, by lines; nil if the buffer no longer has such a span.
---@param bufnr integer
---@param span retouch.Span
---@return string[]?
function M.text(bufnr, span)
  local ok, lines =
    pcall(api.nvim_buf_get_text, bufnr, span.row, span.col, span.end_row, span.end_col, {})
  return ok and lines or nil
end

--- The span an extmark covers now, or nil if it is gone.
---@param bufnr integer
---@param namespace integer
---@param mark integer
---@return retouch.Span?
function M.marked(bufnr, namespace, mark)
  local found = api.nvim_buf_get_extmark_by_id(bufnr, namespace, mark, { details = true })
  if not found[1] then
    return nil
  end
  local details = assert(found[3])
  return {
    row = found[1],
    col = found[2],
    end_row = details.end_row or found[1],
    end_col = details.end_col or found[2],
  }
end

--- Put an extmark over a span. It moves with edits around it; text typed at its edges stays out.
---@param bufnr integer
---@param namespace integer
---@param span retouch.Span
---@return integer
function M.mark(bufnr, namespace, span)
  local empty = span.row == span.end_row and span.col == span.end_col
  return api.nvim_buf_set_extmark(bufnr, namespace, span.row, span.col, {
    end_row = span.end_row,
    end_col = span.end_col,
    right_gravity = not empty,
    end_right_gravity = false,
  })
end

return M
