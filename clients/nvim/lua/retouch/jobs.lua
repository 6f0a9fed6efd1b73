--- The jobs of all buffers, from request to `retouch/ended`. Sole owner of their state.
local api = vim.api
local edits = require('retouch.edits')
local escape = require('retouch.escape')
local log = require('retouch.log')
local paint = require('retouch.paint')
local position = require('retouch.position')
local preview = require('retouch.preview')
local wire = require('retouch.wire')

local M = {}

local MARKS = api.nvim_create_namespace('retouch.jobs')

--- A span that is being filled. Its mark moves with edits around it.
---@class retouch.Hole
---@field mark integer
---@field text string[] What stood there when the job began.
---@field range? lsp.Range Where the server says it is ...
---@field version? integer ... in this version of the text.
---@field frame? retouch.Frame The newest.
---@field drawn integer[] Extmarks of the picture ...
---@field lines? retouch.FrameLine[] ... what it shows ...
---@field rest? string ... and the text behind the hole that it moves.

---@class retouch.Job
---@field client_id integer
---@field id? string|integer Nil until the server has answered.
---@field bufnr integer
---@field label string
---@field holes table<integer, retouch.Hole> By the server's number of the hole, from 0.
---@field step? integer
---@field steps? integer
---@field cancelled boolean

---@type retouch.Job[]
local running = {}

---@param client_id integer
---@param id any
---@return retouch.Job?
function M.get(client_id, id)
  for _, job in ipairs(running) do
    if id ~= nil and job.client_id == client_id and job.id == id then
      return job
    end
  end
end

--- The jobs of a buffer that were not cancelled, oldest first.
---@param bufnr integer
---@return retouch.Job[]
function M.of_buffer(bufnr)
  return vim.tbl_filter(function(job)
    return job.bufnr == bufnr and not job.cancelled
  end, running)
end

---@param client_id integer
---@param id any
---@return boolean
function M.is_cancelled(client_id, id)
  local job = M.get(client_id, id)
  return job ~= nil and job.cancelled
end

---@param bufnr integer
---@param span retouch.Span
---@return retouch.Hole
local function new_hole(bufnr, span)
  return {
    mark = position.mark(bufnr, MARKS, span),
    text = assert(position.text(bufnr, span)),
    drawn = {},
  }
end

--- Where a hole is now; nil if its text is no longer what it was.
---@param bufnr integer
---@param hole retouch.Hole
---@return retouch.Span?
function M.span(bufnr, hole)
  local span = position.marked(bufnr, MARKS, hole.mark)
  if span and vim.deep_equal(position.text(bufnr, span), hole.text) then
    return span
  end
end

--- Take a job's pictures off the screen.
---@param job retouch.Job
function M.undraw(job)
  for _, hole in pairs(job.holes) do
    paint.clear(job.bufnr, hole.drawn)
    hole.drawn = {}
  end
end

---@param job retouch.Job
local function forget(job)
  M.undraw(job)
  for index, other in ipairs(running) do
    if other == job then
      table.remove(running, index)
    end
  end
  if api.nvim_buf_is_loaded(job.bufnr) then
    for _, hole in pairs(job.holes) do
      api.nvim_buf_del_extmark(job.bufnr, MARKS, hole.mark)
    end
  end
  if #M.of_buffer(job.bufnr) == 0 then
    escape.remove(job.bufnr)
  end
end

---@param client_id integer
---@param bufnr integer
---@param label string
---@return retouch.Job
local function begin(client_id, bufnr, label)
  local job = { client_id = client_id, bufnr = bufnr, label = label, holes = {}, cancelled = false }
  running[#running + 1] = job
  escape.install(bufnr, function()
    if not preview.answer(false, bufnr) then
      M.cancel_buffer(bufnr, 'escape')
    end
  end)
  return job
end

--- Show nothing more of a job and tell the server; at once if it has a name already.
---@param job retouch.Job
---@param reason string
function M.cancel(job, reason)
  job.cancelled = true
  M.undraw(job)
  if job.id ~= nil then
    preview.withdraw({ client_id = job.client_id, job_id = job.id })
  end
  local client = vim.lsp.get_client_by_id(job.client_id)
  if job.id ~= nil and client then
    client:notify('retouch/cancel', { jobId = job.id, reason = reason })
  end
  if #M.of_buffer(job.bufnr) == 0 then
    escape.remove(job.bufnr)
  end
end

---@param bufnr integer
---@param reason string
---@return integer count
function M.cancel_buffer(bufnr, reason)
  local own = M.of_buffer(bufnr)
  for _, job in ipairs(own) do
    M.cancel(job, reason)
  end
  return #own
end

--- The server has answered. Its ranges hold for the version that was asked about.
---@param job retouch.Job
---@param result any
---@param client vim.lsp.Client
---@param version integer
local function named(job, result, client, version)
  local earlier = M.get(client.id, result.jobId)
  if earlier then
    forget(earlier) -- Made by a frame that came before this answer.
  end
  job.id = result.jobId
  if job.cancelled then
    M.cancel(job, 'escape')
    return
  end
  if edits.version(job.bufnr) ~= version then
    return
  end
  local ranges = result.holes or (result.range and { result.range }) or {}
  for number, range in ipairs(ranges) do
    M.add_hole(job, number - 1, { range = range, version = version }, client.offset_encoding)
  end
end

--- Give a job a hole, unless it has that one; keeps where the server says it is.
---@param job retouch.Job
---@param number integer
---@param place {range: lsp.Range, version: integer}
---@param encoding retouch.Encoding
---@return retouch.Hole
function M.add_hole(job, number, place, encoding)
  local hole = job.holes[number]
  if not hole then
    hole = new_hole(job.bufnr, position.span(job.bufnr, place.range, encoding))
    job.holes[number] = hole
  end
  hole.range, hole.version = place.range, place.version
  return hole
end

---@class retouch.Order
---@field method string
---@field label string
---@field bufnr integer
---@field span? retouch.Span Of hole 0, if it is known before the answer.
---@field params? table More parameters.

--- Ask the server for a job.
---@param client vim.lsp.Client
---@param order retouch.Order
function M.start(client, order)
  local bufnr = order.bufnr
  local job = begin(client.id, bufnr, order.label)
  local version = edits.version(bufnr)
  local params = vim.tbl_extend('force', order.params or {}, {
    textDocument = { uri = vim.uri_from_bufnr(bufnr), version = version },
  })
  if order.span then
    local hole = new_hole(bufnr, order.span)
    hole.range = position.range(bufnr, order.span, client.offset_encoding)
    hole.version = version
    job.holes[0] = hole
  end
  local sent = wire.request(client, order.method, params, bufnr, function(problem, result)
    if problem or type(result) ~= 'table' or result.jobId == nil then
      forget(job)
      log.failure(order.label, problem or 'the server named no job')
    else
      named(job, result, client, version)
    end
  end)
  if not sent then
    forget(job)
    log.failure(order.label, 'the language server is not running')
  end
end

--- A job that began elsewhere, say by a code action: known by its first frame.
---@param client vim.lsp.Client
---@param id string|integer
---@param bufnr integer
---@return retouch.Job
function M.adopt(client, id, bufnr)
  local job = begin(client.id, bufnr, 'job')
  job.id = id
  return job
end

local SAID = {
  unchanged = 'nothing better was found',
  conflict = 'cancelled, since its text was edited',
}

---@param params any
---@param client vim.lsp.Client
function M.ended(params, client)
  local job = M.get(client.id, params.jobId)
  local label = job and job.label or 'job'
  log.add(('%s %s: %s %s'):format(label, params.jobId, params.reason, params.message or ''))
  if params.stats then
    log.add(vim.inspect(params.stats, { newline = ' ', indent = '' }))
  end
  if job then
    forget(job)
  end
  preview.withdraw({ client_id = client.id, job_id = params.jobId })
  if params.reason == 'failed' then
    log.failure(label, params.message or 'failed')
  elseif SAID[params.reason] and not (job and job.cancelled) then
    log.say(('%s: %s'):format(label, params.message or SAID[params.reason]))
  end
  local data = { job = params.jobId, reason = params.reason, bufnr = job and job.bufnr }
  api.nvim_exec_autocmds('User', { pattern = 'RetouchEnded', modeline = false, data = data })
end

--- Forget the jobs of a client that is gone, or of a buffer.
---@param filter {client_id?: integer, bufnr?: integer}
function M.drop(filter)
  for _, job in ipairs(vim.list_slice(running)) do
    if job.client_id == filter.client_id or job.bufnr == filter.bufnr then
      forget(job)
    end
  end
  preview.withdraw(filter)
end

return M
