--- The subcommands that ask the server for something about a span of the text.
local api = vim.api
local heat = require('retouch.heat')
local jobs = require('retouch.jobs')
local log = require('retouch.log')
local position = require('retouch.position')
local selection = require('retouch.selection')
local server = require('retouch.server')

local M = {}

--- A subcommand as it was called.
---@class retouch.Task
---@field bufnr integer
---@field call retouch.Call
---@field words string[] The arguments behind the subcommand.
---@field rest string The same as one text.

--- The client that takes a method, or nil after telling why there is none.
---@param task retouch.Task
---@param method string
---@param label string
---@return vim.lsp.Client?
function M.client(task, method, label)
  local client, problem = server.for_method(task.bufnr, method)
  if not client then
    log.failure(label, assert(problem))
  end
  return client
end

--- Begin a job on a span.
---@param task retouch.Task
---@param method string
---@param label string
---@param span retouch.Span
---@param params table
local function start(task, method, label, span, params)
  local client = M.client(task, method, label)
  if not client then
    return
  end
  params.range = position.range(task.bufnr, span, client.offset_encoding)
  jobs.start(client, {
    method = 'retouch/' .. method,
    label = label,
    bufnr = task.bufnr,
    span = method ~= 'fillHoles' and span or nil,
    params = params,
  })
end

---@return lsp.FormattingOptions
local function formatting()
  return vim.lsp.util.make_formatting_params().options
end

---@param task retouch.Task
function M.rewrite(task)
  local instruction = task.rest ~= '' and task.rest or nil
  local params = { instruction = instruction, formattingOptions = formatting() }
  start(task, 'rewrite', 'rewrite', selection.span(task.call), params)
end

---@param task retouch.Task
function M.revise(task)
  local given = task.words[1]
  local strength = tonumber(given)
  if given and not (strength and strength >= 0 and strength <= 1) then
    log.failure('revise', ('the strength is a number from 0 to 1, not %q'):format(given))
  else
    start(task, 'revise', 'revise', selection.span(task.call), { strength = strength })
  end
end

--- With a range: every placeholder in it. Without: new text at the cursor.
---@param task retouch.Task
function M.fill(task)
  if task.call.range == 0 then
    local params = { empty = true, formattingOptions = formatting() }
    start(task, 'rewrite', 'fill', selection.at_cursor(), params)
  else
    start(task, 'fillHoles', 'fill', selection.span(task.call), {})
  end
end

---@param task retouch.Task
function M.reroll(task)
  local client = M.client(task, 'reroll', 'reroll')
  if client then
    local row, col = unpack(api.nvim_win_get_cursor(0))
    local at = position.to_lsp(task.bufnr, row - 1, col, client.offset_encoding)
    local order = { method = 'retouch/reroll', label = 'reroll', bufnr = task.bufnr }
    order.params = { position = at }
    jobs.start(client, order)
  end
end

--- Show the heat of a range, else of what can be seen; without a range a second call hides it.
---@param task retouch.Task
function M.heat(task)
  local ranged = task.call.range > 0
  if heat.is_shown(task.bufnr) and not ranged then
    heat.clear(task.bufnr)
    return
  end
  local client = M.client(task, 'heat', 'heat')
  if client then
    local span = ranged and selection.span(task.call) or selection.visible()
    heat.show(client, task.bufnr, span)
  end
end

return M
