--- `retouch/commit`: the result of a job goes into the text, if it still is the text it was made for.
local api = vim.api
local config = require('retouch.config')
local edits = require('retouch.edits')
local jobs = require('retouch.jobs')
local position = require('retouch.position')
local preview = require('retouch.preview')

local M = {}

---@class retouch.Commit
---@field jobId string|integer
---@field uri string
---@field version integer
---@field edits lsp.TextEdit[]
---@field label? string
---@field diffFirst? boolean
---@field confirm? boolean

---@param reason string
---@return table
local function refused(reason)
  return { applied = false, reason = reason }
end

--- The hole that stood at this range in the version the server speaks of.
---@param job retouch.Job
---@param range lsp.Range
---@return retouch.Hole?
local function hole_at(job, range)
  for _, hole in pairs(job.holes) do
    if vim.deep_equal(hole.range, range) then
      return hole
    end
  end
end

--- The changes a commit asks for. If the text has moved on since the server's version, only edits
--- of whole holes whose old text still stands can be placed: where their marks are now.
---@param bufnr integer
---@param job? retouch.Job
---@param params retouch.Commit
---@param encoding retouch.Encoding
---@return retouch.Change[]?
---@return string? reason
local function placed(bufnr, job, params, encoding)
  local same = params.version == edits.version(bufnr)
  local changes = {}
  for _, edit in ipairs(params.edits) do
    local hole = job and hole_at(job, edit.range)
    local span = hole and jobs.span(bufnr, hole)
    if hole and not span then
      return nil, 'the text of the span has changed'
    elseif same then
      changes[#changes + 1] = edits.change(bufnr, edit, encoding)
    elseif span then
      changes[#changes + 1] = { span = span, lines = edits.lines(edit.newText) }
    else
      return nil, ('the text has changed since version %s'):format(params.version)
    end
  end
  return changes
end

---@param params any
---@return boolean
local function well_formed(params)
  return type(params) == 'table'
    and type(params.uri) == 'string'
    and type(params.version) == 'number'
    and type(params.edits) == 'table'
end

---@param bufnr integer
---@param changes retouch.Change[]
---@return integer
local function first_row(bufnr, changes)
  local row = api.nvim_buf_line_count(bufnr)
  for _, change in ipairs(changes) do
    row = math.min(row, change.span.row)
  end
  return row
end

--- The handler. Waits for a person's answer where a diff is shown first.
---@param params retouch.Commit
---@param client vim.lsp.Client
---@return table
function M.handle(params, client)
  if not well_formed(params) then
    return refused('not a commit')
  end
  local bufnr = edits.buffer(params.uri)
  if not bufnr then
    return refused('the document is not open')
  end
  local job = jobs.get(client.id, params.jobId)
  if jobs.is_cancelled(client.id, params.jobId) then
    return refused('cancelled')
  end
  local changes, reason = placed(bufnr, job, params, client.offset_encoding)
  if changes and (params.diffFirst or params.confirm or assert(config.get()).diff_first) then
    local question = { bufnr = bufnr, changes = changes, row = first_row(bufnr, changes) }
    if not preview.ask(question) then
      return refused('rejected')
    end
    -- The person had time to edit: place it again.
    changes, reason = placed(bufnr, job, params, client.offset_encoding)
  end
  reason = reason or edits.apply(bufnr, assert(changes))
  if job then
    jobs.undraw(job)
  end
  if reason then
    return refused(reason)
  end
  return { applied = true, version = edits.version(bufnr) }
end

return M
