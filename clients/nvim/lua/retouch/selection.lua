--- Which text a command is about: a visual selection, a range of lines, the line or the cursor.
local api = vim.api

local M = {}

--- How a user command was called; the fields used of `nvim_create_user_command`'s argument.
---@class retouch.Call
---@field range integer
---@field line1 integer
---@field line2 integer
---@field bang boolean

---@param first integer 1-based.
---@param last integer
---@return retouch.Span
local function whole_lines(first, last)
  local text = api.nvim_buf_get_lines(0, last - 1, last, false)[1] or ''
  return { row = first - 1, col = 0, end_row = last - 1, end_col = #text }
end

--- The selection that was just left, if the command's range stands for it and it is by characters.
---@param call retouch.Call
---@return retouch.Span?
local function by_characters(call)
  local from, to = api.nvim_buf_get_mark(0, '<'), api.nvim_buf_get_mark(0, '>')
  local same = call.range == 2 and call.line1 == from[1] and call.line2 == to[1]
  if not same or vim.fn.visualmode() ~= 'v' then
    return nil
  end
  local line = api.nvim_buf_get_lines(0, to[1] - 1, to[1], false)[1] or ''
  local end_col = math.min(to[2], #line)
  if vim.o.selection ~= 'exclusive' and end_col < #line then
    end_col = end_col + vim.str_utf_end(line, end_col + 1) + 1
  end
  return { row = from[1] - 1, col = from[2], end_row = to[1] - 1, end_col = end_col }
end

--- The span of a command: the selection, else the lines of the range, else the cursor's line.
---@param call retouch.Call
---@return retouch.Span
function M.span(call)
  local row = api.nvim_win_get_cursor(0)[1]
  if call.range == 0 then
    return whole_lines(row, row)
  end
  return by_characters(call) or whole_lines(call.line1, call.line2)
end

--- The empty span at the cursor. In normal mode on the last letter of a line it is behind it, since
--- the cursor can't go there.
---@return retouch.Span
function M.at_cursor()
  local row, col = unpack(api.nvim_win_get_cursor(0))
  local line = api.nvim_get_current_line()
  if api.nvim_get_mode().mode:sub(1, 1) == 'n' and col < #line then
    local next_col = col + vim.str_utf_end(line, col + 1) + 1
    col = next_col == #line and next_col or col
  end
  return { row = row - 1, col = col, end_row = row - 1, end_col = col }
end

--- The lines of the window that can be seen.
---@return retouch.Span
function M.visible()
  return whole_lines(vim.fn.line('w0'), vim.fn.line('w$'))
end

return M
