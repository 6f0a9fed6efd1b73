--- `:Retouch heat`: colours the standing text by how sure the model is of each token.
local api = vim.api
local edits = require('retouch.edits')
local log = require('retouch.log')
local position = require('retouch.position')
local wire = require('retouch.wire')

local M = {}

local NAMESPACE = api.nvim_create_namespace('retouch.heat')
local DETAIL = api.nvim_create_namespace('retouch.heat.detail')

--- Up to which confidence a token has which colour.
local LEVELS = { { 0.1, 1 }, { 0.3, 2 }, { 0.5, 3 }, { 0.8, 4 } }

---@class retouch.HeatToken
---@field range lsp.Range
---@field confidence number
---@field best? string
---@field why? string

--- By buffer: the tokens by the extmark that shows them.
---@type table<integer, table<integer, retouch.HeatToken>>
local shown = {}

---@param bufnr integer
---@return boolean
function M.is_shown(bufnr)
  return shown[bufnr] ~= nil
end

---@param bufnr integer
function M.clear(bufnr)
  shown[bufnr] = nil
  if api.nvim_buf_is_loaded(bufnr) then
    api.nvim_buf_clear_namespace(bufnr, NAMESPACE, 0, -1)
    api.nvim_buf_clear_namespace(bufnr, DETAIL, 0, -1)
  end
end

---@param confidence number
---@return string? group
local function group(confidence)
  for _, level in ipairs(LEVELS) do
    if confidence < level[1] then
      return 'RetouchHeat' .. level[2]
    end
  end
end

---@param bufnr integer
---@param tokens retouch.HeatToken[]
---@param encoding retouch.Encoding
local function draw(bufnr, tokens, encoding)
  M.clear(bufnr)
  local marks = {}
  for _, token in ipairs(tokens) do
    local span = position.span(bufnr, token.range, encoding)
    local id = api.nvim_buf_set_extmark(bufnr, NAMESPACE, span.row, span.col, {
      end_row = span.end_row,
      end_col = span.end_col,
      hl_group = group(token.confidence),
      priority = 210,
    })
    marks[id] = token
  end
  shown[bufnr] = marks
end

---@param token retouch.HeatToken
---@return string
local function words(token)
  local parts = { ('%.0f%%'):format(100 * token.confidence) }
  if type(token.best) == 'string' then
    parts[#parts + 1] = 'rather ' .. vim.inspect(token.best)
  end
  if type(token.why) == 'string' then
    parts[#parts + 1] = token.why
  end
  return table.concat(parts, ', ')
end

--- Show the numbers of the token under the cursor behind its line.
---@param bufnr integer
local function detail(bufnr)
  local marks = shown[bufnr]
  if not marks then
    return
  end
  api.nvim_buf_clear_namespace(bufnr, DETAIL, 0, -1)
  local row, col = unpack(api.nvim_win_get_cursor(0))
  local options = { details = true, overlap = true }
  local at = { row - 1, col }
  for _, mark in ipairs(api.nvim_buf_get_extmarks(bufnr, NAMESPACE, at, at, options)) do
    local to = assert(mark[4])
    local covers = to.end_row > row - 1 or to.end_col > col
    if covers and marks[mark[1]] then
      local text = { { '  ' .. words(marks[mark[1]]), 'RetouchGhostInfo' } }
      api.nvim_buf_set_extmark(bufnr, DETAIL, row - 1, 0, { virt_text = text })
      return
    end
  end
end

---@param result any
---@return boolean
local function well_formed(result)
  return type(result) == 'table'
    and type(result.tokens) == 'table'
    and vim.iter(result.tokens):all(function(token)
      return type(token.range) == 'table' and type(token.confidence) == 'number'
    end)
end

--- Ask for the heat of a span and show it, unless the text changes meanwhile.
---@param client vim.lsp.Client
---@param bufnr integer
---@param span retouch.Span
function M.show(client, bufnr, span)
  local version = edits.version(bufnr)
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(bufnr), version = version },
    range = position.range(bufnr, span, client.offset_encoding),
  }
  wire.request(client, 'retouch/heat', params, bufnr, function(problem, result)
    if problem or not well_formed(result) then
      log.failure('heat', problem or 'the answer is not one')
    elseif edits.version(bufnr) == version then
      draw(bufnr, result.tokens, client.offset_encoding)
      if api.nvim_get_current_buf() == bufnr then
        detail(bufnr)
      end
    end
  end)
end

---@param augroup integer
function M.setup(augroup)
  api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI', 'TextChangedP', 'BufUnload' }, {
    group = augroup,
    callback = function(event)
      M.clear(event.buf)
    end,
  })
  api.nvim_create_autocmd('CursorMoved', {
    group = augroup,
    callback = function(event)
      detail(event.buf)
    end,
  })
end

return M
