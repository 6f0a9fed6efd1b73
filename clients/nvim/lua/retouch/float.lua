--- A floating window near a row of a text, which keeps off the line that a person is in.
local api = vim.api

local M = {}

--- Rows of a border, above and below.
local BORDER = 2

--- What the window is about.
---@class retouch.Anchor
---@field bufnr integer
---@field row integer The window opens below it, where there is room.

--- Rows of the screen that the cursor's line takes, from 0.
---@return integer first
---@return integer last
local function cursor_line()
  local window = api.nvim_get_current_win()
  local line = vim.fn.line('.')
  local top = vim.fn.win_screenpos(window)[1]
  local first = vim.fn.screenpos(window, line, 1).row
  local stop = vim.fn.screenpos(window, line, vim.fn.col('$')).row
  local here = vim.fn.screenpos(window, line, vim.fn.col('.')).row
  return (first > 0 and first or top) - 1, math.max(first, stop, here) - 1
end

--- Where the window would like to be: its first row and column on the screen, from 0.
---@param anchor retouch.Anchor
---@return integer row
---@return integer col
local function wanted(anchor)
  local shown = vim.fn.bufwinid(anchor.bufnr)
  if shown == -1 then
    return 1, 2
  end
  local info = vim.fn.getwininfo(shown)[1]
  local row = vim.fn.screenpos(shown, anchor.row + 1, 1).row
  return row > 0 and row or info.winrow - 1, info.wincol + info.textoff - 1
end

--- The rows from `first` to `last` stay free: of the places with room the first, else the larger
--- side with what room it has.
---@param start integer
---@param rows integer How many it takes, with its border.
---@param first integer
---@param last integer
---@return integer start
---@return integer rows
local function beside(start, rows, first, last)
  local screen = vim.o.lines - vim.o.cmdheight
  for _, at in ipairs({ math.min(start, screen - rows), last + 1, first - rows }) do
    if at >= 0 and at + rows <= screen and (at > last or at + rows <= first) then
      return at, rows
    end
  end
  local below = screen - last - 1
  if below >= first then
    return last + 1, math.min(rows, below)
  end
  return math.max(0, first - rows), math.min(rows, first)
end

---@param anchor retouch.Anchor
---@param height integer
---@param inside boolean A person is in the window itself, and so in no line of a text.
---@return vim.api.keyset.win_config
local function place(anchor, height, inside)
  local first, last = -1, -1
  if not inside then
    first, last = cursor_line()
  end
  local start, col = wanted(anchor)
  local row, rows = beside(start, height + BORDER, first, last)
  return { relative = 'editor', row = row, col = col, height = math.max(1, rows - BORDER) }
end

--- Open it; from then on it makes way for the cursor.
---@param bufnr integer What it shows.
---@param enter boolean
---@param anchor retouch.Anchor
---@param options vim.api.keyset.win_config With its border, `width` and `height`.
---@return integer window
function M.open(bufnr, enter, anchor, options)
  local height = assert(options.height)
  local at = place(anchor, height, enter)
  local window = api.nvim_open_win(bufnr, enter, vim.tbl_extend('force', options, at))
  api.nvim_create_autocmd({ 'CursorMoved', 'CursorMovedI', 'WinScrolled', 'VimResized' }, {
    group = api.nvim_create_augroup('retouch.float', { clear = true }),
    callback = function()
      if not api.nvim_win_is_valid(window) then
        return true -- There is nothing to move any more: the autocommand goes.
      elseif api.nvim_win_get_tabpage(window) == api.nvim_get_current_tabpage() then
        local inside = api.nvim_get_current_win() == window
        api.nvim_win_set_config(window, place(anchor, height, inside))
      end
    end,
  })
  return window
end

return M
