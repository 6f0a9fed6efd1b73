--- Draws lines of text over a span of a buffer, by extmarks alone: the text itself is not touched.
--- Cells over the old text are overlays, cells beyond it push the rest of the line to the right,
--- rows the old text does not have become virtual lines. No option of the window is changed.
local api = vim.api

local M = {}

--- A piece of a row with its highlight group.
---@alias retouch.Chunk [string, string?]
---@alias retouch.Row retouch.Chunk[]

M.namespace = api.nvim_create_namespace('retouch.paint')

local PRIORITY = 220

---@param text string
---@param cell? integer Screen column where it begins; tells how wide a tab is.
---@return integer
local function cells(text, cell)
  return vim.fn.strdisplaywidth(text, cell or 0)
end

---@param row retouch.Row
---@return integer
local function width(row)
  local sum = 0
  for _, chunk in ipairs(row) do
    sum = sum + cells(chunk[1])
  end
  return sum
end

--- The row with blanks for tabs and other control characters.
---@param row retouch.Row
---@param cell integer
---@return retouch.Row
local function flat(row, cell)
  local out = {}
  for _, chunk in ipairs(row) do
    local text = chunk[1]:gsub('[^\t%C]', ' ')
    local parts = vim.split(text, '\t', { plain = true })
    for index, part in ipairs(parts) do
      local tab = index < #parts and (' '):rep(cells('\t', cell + cells(part))) or ''
      out[#out + 1] = { part .. tab, chunk[2] }
      cell = cell + cells(part .. tab)
    end
  end
  return out
end

--- Cut a row in two. The first has exactly `room` cells: padded, or a blank for half a wide letter.
---@param row retouch.Row
---@param room integer
---@return retouch.Row head
---@return retouch.Row tail
local function cut(row, room)
  local head, tail = {}, {}
  for _, chunk in ipairs(row) do
    local text = chunk[1]
    if #tail == 0 and cells(text) <= room then
      head[#head + 1] = chunk
      room = room - cells(text)
    elseif #tail == 0 then
      local kept = {}
      for _, char in ipairs(vim.fn.split(text, '\\zs')) do
        if cells(char) > room then
          break
        end
        kept[#kept + 1] = char
        room = room - cells(char)
      end
      local first = table.concat(kept)
      head[#head + 1] = { first, chunk[2] }
      tail[#tail + 1] = { text:sub(#first + 1), chunk[2] }
    else
      tail[#tail + 1] = chunk
    end
  end
  if room > 0 then
    head[#head + 1] = { (' '):rep(room) }
  end
  return head, tail
end

--- Cells that inline virtual text of others (inlay hints) adds inside a piece of a row.
---@param bufnr integer
---@param row integer
---@param from integer
---@param to integer
---@return integer
local function hints(bufnr, row, from, to)
  local sum = 0
  local options = { details = true, type = 'virt_text' }
  local found = api.nvim_buf_get_extmarks(bufnr, -1, { row, from + 1 }, { row, to - 1 }, options)
  for _, mark in ipairs(found) do
    local details = assert(mark[4])
    if details.virt_text_pos == 'inline' and details.ns_id ~= M.namespace then
      sum = sum + width(details.virt_text)
    end
  end
  return sum
end

--- Text columns of a window that shows the buffer, and whether it wraps lines; nil if none does.
---@param bufnr integer
---@return integer?
---@return boolean? wraps
function M.columns(bufnr)
  local window = vim.fn.bufwinid(bufnr)
  if window == -1 then
    return nil
  end
  local info = vim.fn.getwininfo(window)[1]
  return math.max(1, info.width - info.textoff), vim.wo[window].wrap
end

---@class retouch.Brush
---@field bufnr integer
---@field namespace integer
---@field marks integer[]

---@param brush retouch.Brush
---@param row integer
---@param col integer
---@param options vim.api.keyset.set_extmark
local function put(brush, row, col, options)
  options.priority = PRIORITY
  options.undo_restore = false
  local id = api.nvim_buf_set_extmark(brush.bufnr, brush.namespace, row, col, options)
  brush.marks[#brush.marks + 1] = id
end

--- Byte column, from `col` on, of the letter at a screen cell of the line.
---@param line string
---@param col integer
---@param cell integer
---@return integer
local function column_at(line, col, cell)
  local at = cells(line:sub(1, col))
  while col < #line and at < cell do
    local stop = col + 1 + vim.str_utf_end(line, col + 1)
    at = at + cells(line:sub(col + 1, stop), at)
    col = stop
  end
  return col
end

--- Overlays of a row from a column on, one for each line of the screen that it wraps to.
---@param brush retouch.Brush
---@param row integer
---@param line string
---@param col integer
---@param overlay retouch.Row
local function cover(brush, row, line, col, overlay)
  local columns, wraps = M.columns(brush.bufnr)
  local wrap = wraps and columns or nil
  local cell = cells(line:sub(1, col))
  while #overlay > 0 and col < #line do
    local room = wrap and wrap - cell % wrap or math.huge
    local head, rest = overlay, {}
    if width(overlay) > room then
      head, rest = cut(overlay, room)
    end
    put(brush, row, col, { virt_text = head, virt_text_pos = 'overlay' })
    overlay = rest
    cell = cell + room
    col = column_at(line, col, cell)
  end
end

--- One row of the old text, with what stands there now.
---@param brush retouch.Brush
---@param row integer
---@param from integer First column that is covered.
---@param to integer Column behind the last.
---@param shown retouch.Row
local function draw_row(brush, row, from, to, shown)
  local line = api.nvim_buf_get_lines(brush.bufnr, row, row + 1, false)[1] or ''
  local start = cells(line:sub(1, from))
  local old = cells(line:sub(from + 1, to), start)
  local head, tail = cut(flat(shown, start), old)
  if to > from then
    local room = to > from + 1 and hints(brush.bufnr, row, from, to) or 0
    if room > 0 and #tail == 0 then
      head[#head + 1] = { (' '):rep(room) }
    end
    cover(brush, row, line, from, head)
  end
  if #tail > 0 then
    put(brush, row, to, { virt_text = tail, virt_text_pos = 'inline' })
  end
end

--- Rows that the old text has no row for, and the rest of its last line behind them.
---@param brush retouch.Brush
---@param row integer
---@param extra retouch.Row[]
---@param rest string
local function draw_below(brush, row, extra, rest)
  local lines = {}
  for index, shown in ipairs(extra) do
    local last = index == #extra and rest ~= ''
    lines[index] = flat(last and vim.list_extend(vim.list_slice(shown), { { rest } }) or shown, 0)
    if #lines[index] == 0 then
      lines[index] = { { '' } }
    end
  end
  put(brush, row, 0, { virt_lines = lines })
end

--- The text behind a span that goes below with the rows which the old text has no row for. None
--- while a person types there: that stays where the cursor is.
---@param bufnr integer
---@param span retouch.Span
---@return string
function M.rest(bufnr, span)
  if api.nvim_get_current_buf() == bufnr and api.nvim_get_mode().mode:find('^[iR]') then
    local row, col = unpack(api.nvim_win_get_cursor(0))
    if row == span.end_row + 1 and col > span.end_col then
      return ''
    end
  end
  local last = api.nvim_buf_get_lines(bufnr, span.end_row, span.end_row + 1, false)[1] or ''
  return last:sub(span.end_col + 1)
end

---@param brush retouch.Brush
---@param span retouch.Span
---@param rows retouch.Row[]
---@param rest string
local function draw(brush, span, rows, rest)
  local height = span.end_row - span.row + 1
  local extra = vim.list_slice(rows, height + 1)
  local moves = #extra > 0 and rest ~= ''
  for index = 1, height do
    local row = span.row + index - 1
    local from = index == 1 and span.col or 0
    local line = api.nvim_buf_get_lines(brush.bufnr, row, row + 1, false)[1] or ''
    local to = row == span.end_row and not moves and span.end_col or #line
    draw_row(brush, row, from, to, rows[index] or {})
  end
  if #extra > 0 then
    draw_below(brush, span.end_row, extra, rest)
  end
end

--- Show rows in the place of a span. Returns the extmarks, for `clear`.
---@param bufnr integer
---@param span retouch.Span
---@param rows retouch.Row[]
---@param rest string See `rest`.
---@return integer[]
function M.draw(bufnr, span, rows, rest)
  local brush = { bufnr = bufnr, namespace = M.namespace, marks = {} }
  api.nvim_buf_call(bufnr, function()
    draw(brush, span, rows, rest)
  end)
  return brush.marks
end

---@param bufnr integer
---@param marks integer[]
function M.clear(bufnr, marks)
  if not api.nvim_buf_is_loaded(bufnr) then
    return
  end
  for _, mark in ipairs(marks) do
    api.nvim_buf_del_extmark(bufnr, M.namespace, mark)
  end
end

return M
