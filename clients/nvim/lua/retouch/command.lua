--- `:Retouch`: its subcommands, each a row of one table, and their completion.
local api = vim.api
local ghost = require('retouch.ghost')
local jobs = require('retouch.jobs')
local log = require('retouch.log')
local pages = require('retouch.pages')
local preview = require('retouch.preview')
local server = require('retouch.server')
local tasks = require('retouch.tasks')
local wire = require('retouch.wire')
local words = require('retouch.words')

local M = {}

---@class retouch.Subcommand
---@field run fun(task: retouch.Task)
---@field words? fun(bufnr: integer): string[] What completes its first argument.
---@field arguments? integer How many it takes at most; any text if nil.

--- The open question, else what the running job has now, else the ghost text.
---@param task retouch.Task
local function accept(task)
  if preview.answer(true) then
    return
  end
  local job = jobs.of_buffer(task.bufnr)[1]
  local client = job and vim.lsp.get_client_by_id(job.client_id)
  if client and job.id ~= nil then
    wire.request(client, 'retouch/accept', { jobId = job.id }, task.bufnr, function(problem, result)
      if problem or type(result) ~= 'table' or not result.ok then
        local reason = type(result) == 'table' and result.reason
        log.failure('accept', problem or reason or 'there is nothing to take yet')
      end
    end)
  elseif not ghost.accept('all') then
    log.say('nothing to accept')
  end
end

---@param task retouch.Task
local function cancel(task)
  if preview.answer(false) then
    return
  end
  local buffers = task.call.bang and api.nvim_list_bufs() or { task.bufnr }
  local count = 0
  for _, bufnr in ipairs(buffers) do
    count = count + jobs.cancel_buffer(bufnr, 'command')
  end
  if count == 0 then
    ghost.dismiss()
  end
end

---@param task retouch.Task
local function toggle(task)
  local client, problem = server.client(task.bufnr), 'the language server is not attached'
  if not client then
    log.failure('toggle', problem)
    return
  end
  ghost.toggle(not ghost.enabled())
  log.say(ghost.enabled() and 'on' or 'off')
end

---@param method 'lock'|'throwBack'
---@return fun(task: retouch.Task)
local function on_word(method)
  return function(task)
    local client = tasks.client(task, method, method)
    if client then
      words.change(client, task.bufnr, { method = method, word = task.words[1] })
    end
  end
end

---@param task retouch.Task
local function pin(task)
  local word, text = task.rest:match('^(%S+)%s+(.+)$')
  if not word then
    log.failure('pin', 'it takes a word of the canvas and the text for its place')
    return
  end
  local client = tasks.client(task, 'revisePin', 'pin')
  if client then
    words.change(client, task.bufnr, { method = 'revisePin', word = word, text = text })
  end
end

---@type table<string, retouch.Subcommand>
local SUBCOMMANDS = {
  rewrite = { run = tasks.rewrite },
  revise = {
    run = tasks.revise,
    arguments = 1,
    words = function()
      return { '0.2', '0.5', '0.8' }
    end,
  },
  fill = { run = tasks.fill, arguments = 0 },
  reroll = { run = tasks.reroll, arguments = 0 },
  heat = { run = tasks.heat, arguments = 0 },
  accept = { run = accept, arguments = 0 },
  cancel = { run = cancel, arguments = 0 },
  lock = { run = on_word('lock'), arguments = 1, words = words.list },
  throw = { run = on_word('throwBack'), arguments = 1, words = words.list },
  pin = { run = pin, words = words.list },
  toggle = { run = toggle, arguments = 0 },
  status = {
    run = function(task)
      pages.status(task.bufnr)
    end,
    arguments = 0,
  },
  log = { run = pages.log, arguments = 0 },
}

---@param names string[]
---@param lead string
---@return string[]
local function starting_with(names, lead)
  local matching = vim.tbl_filter(function(name)
    return vim.startswith(name, lead)
  end, names)
  table.sort(matching)
  return matching
end

--- Completion of the command line.
---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local name, rest = line:match('Retouch!?%s+(%S+)%s+(.*)$')
  if not name then
    return starting_with(vim.tbl_keys(SUBCOMMANDS), lead)
  end
  local subcommand = SUBCOMMANDS[name]
  if not subcommand or not subcommand.words or rest:find('%s') then
    return {}
  end
  return starting_with(subcommand.words(api.nvim_get_current_buf()), lead)
end

--- Run the command.
---@param call table The argument of `nvim_create_user_command`'s function.
function M.run(call)
  local name = call.fargs[1] or 'status'
  local subcommand = SUBCOMMANDS[name]
  if not require('retouch.config').get() then
    log.failure(name, "call require('retouch').setup() first")
    return
  elseif not subcommand then
    local known = starting_with(vim.tbl_keys(SUBCOMMANDS), '')
    log.failure(name, 'no such subcommand; there are ' .. table.concat(known, ', '))
    return
  elseif subcommand.arguments and #call.fargs - 1 > subcommand.arguments then
    log.failure(name, ('it takes at most %d arguments'):format(subcommand.arguments))
    return
  end
  subcommand.run({
    bufnr = api.nvim_get_current_buf(),
    call = call,
    words = vim.list_slice(call.fargs, 2),
    rest = (call.args:gsub('^%s*%S+%s*', '', 1)),
  })
end

return M
