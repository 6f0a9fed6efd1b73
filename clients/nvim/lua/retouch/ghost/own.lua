--- Ghost text drawn by this plugin. One request at a time, for where the cursor is; an answer is
--- shown only if nothing has moved since. The server debounces, so every change asks at once.
local api = vim.api
local accept = require('retouch.ghost.accept')
local config = require('retouch.config')
local log = require('retouch.log')
local paint = require('retouch.paint')
local suggestions = require('retouch.ghost.suggestion')
local wire = require('retouch.wire')

local M = {}

local INVOKED, AUTOMATIC = 1, 2

---@class retouch.Place
---@field bufnr integer
---@field tick integer
---@field row integer
---@field col integer

---@class retouch.GhostState
---@field shown retouch.Suggestion[] The alternatives, the drawn one at `index`.
---@field index integer
---@field invoked boolean The alternatives were asked for, so all are here.
---@field marks integer[]
---@field bufnr? integer Of the marks.
---@field request? {client: vim.lsp.Client, id: integer}
---@field asked? retouch.Place Of the newest request.
---@field dismissed? retouch.Place
local state = { shown = {}, index = 1, invoked = false, marks = {} }

---@return retouch.Place
local function here()
  local bufnr = api.nvim_get_current_buf()
  local cursor = api.nvim_win_get_cursor(0)
  local tick = api.nvim_buf_get_changedtick(bufnr)
  return { bufnr = bufnr, tick = tick, row = cursor[1] - 1, col = cursor[2] }
end

local function undraw()
  if state.bufnr then
    paint.clear(state.bufnr, state.marks)
  end
  state.marks, state.bufnr = {}, nil
end

local function cancel_request()
  local request = state.request
  state.request, state.asked = nil, nil
  if request then
    request.client:cancel_request(request.id)
  end
end

--- Hide everything and want nothing more.
function M.clear()
  cancel_request()
  undraw()
  state.shown, state.index, state.invoked = {}, 1, false
end

--- Whether ghost text may be on the screen now.
---@return boolean
local function allowed()
  local ghost = assert(config.get()).ghost
  return api.nvim_get_mode().mode:sub(1, 1) == 'i'
    and vim.fn.pumvisible() == 0
    and vim.bo.modifiable
    and vim.fn.reg_executing() == ''
    and not (ghost.blocked and ghost.blocked())
end

---@param rest string
---@return retouch.Row[]
local function rows(rest)
  local out = vim.tbl_map(function(line)
    return { { line, 'RetouchGhost' } }
  end, vim.split(rest, '\n', { plain = true }))
  if state.invoked and #state.shown > 1 then
    table.insert(out[#out], { (' %d/%d'):format(state.index, #state.shown), 'RetouchGhostInfo' })
  end
  return out
end

--- Draw the current suggestion if it still fits. A tail that the text ends with stays as it is.
---@return boolean
local function draw()
  undraw()
  local suggestion = state.shown[state.index]
  local place = here()
  local fits = suggestion and suggestion.bufnr == place.bufnr
  local rest = fits and suggestions.rest(suggestion, place.row, place.col)
  if not rest then
    return false
  end
  local tail = suggestion.tail
  if not rest:find('\n', 1, true) and vim.endswith(rest, tail) then
    rest = rest:sub(1, #rest - #tail)
    tail = ''
  end
  local span =
    { row = place.row, col = place.col, end_row = place.row, end_col = place.col + #tail }
  state.bufnr = place.bufnr
  state.marks = paint.draw(place.bufnr, span, rows(rest), paint.rest(place.bufnr, span))
  return true
end

---@param client vim.lsp.Client
---@param result any
---@param place retouch.Place
---@return retouch.Suggestion[]
local function read(client, result, place)
  local items = type(result) == 'table' and (result.items or result) or {}
  local fitting = {}
  for _, item in ipairs(items) do
    local cursor = { place.row, place.col }
    fitting[#fitting + 1] = suggestions.from_item(place.bufnr, client, item, cursor)
  end
  return fitting
end

--- Show an answer, unless something has moved since the request.
---@param client vim.lsp.Client
---@param place retouch.Place
---@param result any
---@param kind integer
---@param shift integer
local function answered(client, place, result, kind, shift)
  if state.asked ~= place then
    return
  end
  state.request = nil
  if not vim.deep_equal(place, here()) or not allowed() then
    return
  end
  local fitting = read(client, result, place)
  if #fitting == 0 and M.visible() then
    return -- What is on the screen still fits.
  end
  state.shown = fitting
  state.invoked = kind == INVOKED
  state.index = #state.shown > 0 and shift % #state.shown + 1 or 1
  if draw() then
    client:notify('retouch/didShow', { id = state.shown[state.index].id })
  end
end

---@param client vim.lsp.Client
---@param kind integer
---@param shift integer How many alternatives on from the first.
local function ask(client, kind, shift)
  cancel_request()
  local place = here()
  state.asked = place
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(place.bufnr) },
    position = vim.lsp.util.make_position_params(0, client.offset_encoding).position,
    context = { triggerKind = kind },
  }
  local method = 'textDocument/inlineCompletion'
  local id = wire.request(client, method, params, place.bufnr, function(problem, result)
    if problem then
      log.add('inline completion: ' .. problem)
    end
    answered(client, place, result, kind, shift)
  end)
  if id and state.asked == place then
    state.request = { client = client, id = id }
  end
end

--- The text or the cursor has moved: keep what still fits, ask again.
---@param client vim.lsp.Client
function M.update(client)
  if not allowed() then
    M.clear()
    return
  end
  local place = here()
  if vim.deep_equal(state.asked, place) then
    return
  end
  if not draw() then
    state.shown, state.index, state.invoked = {}, 1, false
  end
  local dismissed = state.dismissed
  if dismissed and dismissed.bufnr == place.bufnr and dismissed.tick == place.tick then
    return
  end
  state.dismissed = nil
  if assert(config.get()).settings.trigger ~= 'manual' then
    ask(client, AUTOMATIC, 0)
  end
end

--- Ask now, even where suggestions come only on demand.
---@param client vim.lsp.Client
function M.trigger(client)
  state.dismissed = nil
  if allowed() then
    ask(client, INVOKED, 0)
  end
end

---@return boolean
function M.visible()
  return #state.marks > 0
end

--- The next alternative, or the one before. The first time it has to ask for them.
---@param client vim.lsp.Client
---@param step 1|-1
function M.cycle(client, step)
  if not M.visible() then
    M.trigger(client)
  elseif not state.invoked then
    ask(client, INVOKED, step)
  else
    state.index = (state.index - 1 + step) % #state.shown + 1
    draw()
    client:notify('retouch/didShow', { id = state.shown[state.index].id })
  end
end

--- Hide the suggestion until the text changes.
---@param client vim.lsp.Client
function M.dismiss(client)
  local suggestion = state.shown[state.index]
  if suggestion and M.visible() then
    client:notify('retouch/didReject', { id = suggestion.id })
  end
  M.clear()
  state.dismissed = here()
end

---@param piece retouch.Piece
function M.accept(piece)
  local suggestion = state.shown[state.index]
  if not suggestion or not M.visible() then
    return
  end
  M.clear()
  state.shown = { accept.take(suggestion, piece) }
  draw()
end

return M
