--- `retouch/commit`: the result of a job goes into the text, if that is still what it was made for.
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

--- Whether a range lies in another one.
---@param inner lsp.Range
---@param outer lsp.Range
---@return boolean
local function within(inner, outer)
  local function behind(a, b)
    return a.line > b.line or (a.line == b.line and a.character >= b.character)
  end
  return behind(inner.start, outer.start) and behind(outer['end'], inner['end'])
end

--- The hole that a range is in, as the server knows the text.
---@param job? retouch.Job
---@param range lsp.Range
---@param version integer
---@return retouch.Hole?
local function hole_of(job, range, version)
  for _, hole in pairs(job and job.holes or {}) do
    if hole.version == version and within(range, hole.range) then
      return hole
    end
  end
end

--- Where a position in a hole is now. The hole's text is what it was, so only its start has moved.
---@param hole retouch.Hole
---@param span retouch.Span Where the hole is now.
---@param at lsp.Position
---@param encoding retouch.Encoding
---@return integer row
---@return integer col
local function moved(hole, span, at, encoding)
  local row = at.line - hole.range.start.line
  local first = row == 0
  local units = at.character - (first and hole.range.start.character or 0)
  local byte = position.byte(hole.text[row + 1] or '', units, encoding)
  return span.row + row, byte + (first and span.col or 0)
end

--- The change of one edit. If the text has moved on since the server's version, only an edit in a
--- hole whose old text still stands can be placed: where the hole's mark is now.
---@param bufnr integer
---@param job? retouch.Job
---@param params retouch.Commit
---@param edit lsp.TextEdit
---@param encoding retouch.Encoding
---@return retouch.Change?
---@return string? reason
local function place(bufnr, job, params, edit, encoding)
  local hole = hole_of(job, edit.range, params.version)
  local span = hole and jobs.span(bufnr, hole)
  if hole and not span then
    return nil, 'the text of the span has changed'
  elseif params.version == edits.version(bufnr) then
    return edits.change(bufnr, edit, encoding)
  elseif not span then
    return nil, ('the text has changed since version %s'):format(params.version)
  end
  local row, col = moved(hole, span, edit.range.start, encoding)
  local end_row, end_col = moved(hole, span, edit.range['end'], encoding)
  local now = { row = row, col = col, end_row = end_row, end_col = end_col }
  return { span = now, lines = edits.lines(edit.newText) }
end

--- What the server knows of the text is what stands there: note where the holes are in it, so that
--- the edits find their places after later edits too.
---@param bufnr integer
---@param job retouch.Job
---@param version integer
---@param encoding retouch.Encoding
local function renew(bufnr, job, version, encoding)
  for _, hole in pairs(job.holes) do
    local span = hole.version ~= version and jobs.span(bufnr, hole)
    if span then
      hole.range, hole.version = position.range(bufnr, span, encoding), version
    end
  end
end

--- All changes a commit asks for, or why one has no place.
---@param bufnr integer
---@param job? retouch.Job
---@param params retouch.Commit
---@param encoding retouch.Encoding
---@return retouch.Change[]?
---@return string? reason
local function placed(bufnr, job, params, encoding)
  local changes = {}
  for _, edit in ipairs(params.edits) do
    local change, reason = place(bufnr, job, params, edit, encoding)
    if not change then
      return nil, reason
    end
    changes[#changes + 1] = change
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
  if job and params.version == edits.version(bufnr) then
    renew(bufnr, job, params.version, client.offset_encoding)
  end
  local changes, reason = placed(bufnr, job, params, client.offset_encoding)
  if changes and (params.diffFirst or params.confirm or assert(config.get()).diff_first) then
    local question = {
      bufnr = bufnr,
      changes = changes,
      row = first_row(bufnr, changes),
      client_id = client.id,
      job_id = params.jobId,
    }
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
