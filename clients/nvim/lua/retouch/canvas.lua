--- `retouch/denoise`: the canvas of a running job, drawn over the old text.
local api = vim.api
local config = require('retouch.config')
local edits = require('retouch.edits')
local jobs = require('retouch.jobs')
local log = require('retouch.log')
local paint = require('retouch.paint')
local position = require('retouch.position')

local M = {}

---@class retouch.FrameLine
---@field text string
---@field masks? integer[][] Columns from, to.
---@field new? integer[][]
---@field weak? number[][] Columns from, to; confidence.

---@class retouch.Frame
---@field jobId string|integer
---@field seq integer
---@field step? integer
---@field steps? integer
---@field uri string
---@field version integer
---@field hole? integer
---@field range lsp.Range
---@field lines retouch.FrameLine[]
---@field done? boolean

--- In the order in which they win where they overlap, weakest first.
local KINDS = { { 'weak', 'RetouchWeak' }, { 'new', 'RetouchNew' }, { 'masks', 'RetouchMask' } }

--- A line of a frame as chunks: each stretch with the group of what it is.
---@param line retouch.FrameLine
---@param encoding retouch.Encoding
---@return retouch.Row
function M.row(line, encoding)
  local text = line.text
  local groups = {} ---@type table<integer, string>
  for _, kind in ipairs(KINDS) do
    for _, piece in ipairs(line[kind[1]] or {}) do
      local from = position.byte(text, piece[1], encoding)
      local to = position.byte(text, piece[2], encoding)
      for byte = from + 1, to do
        groups[byte] = kind[2]
      end
    end
  end
  local row, from = {}, 1
  for byte = 2, #text + 1 do
    if byte > #text or groups[byte] ~= groups[from] then
      row[#row + 1] = { text:sub(from, byte - 1), groups[from] or 'RetouchText' }
      from = byte
    end
  end
  return row
end

--- The row without those of its last masks that the window has no room for: the model doesn't know
--- yet where lines end, and a row that wraps would push the text below up and down.
---@param row retouch.Row
---@param room integer Cells.
---@return retouch.Row
local function clipped(row, room)
  local last = row[#row]
  if not last or last[2] ~= 'RetouchMask' then
    return row
  end
  local before = 0
  for index = 1, #row - 1 do
    before = before + api.nvim_strwidth(row[index][1])
  end
  local glyph = vim.fn.strcharpart(last[1], 0, 1)
  local count = math.floor(math.max(0, room - before) / api.nvim_strwidth(glyph))
  local fitting = vim.list_slice(row, 1, #row - 1)
  fitting[#row] = { vim.fn.strcharpart(last[1], 0, math.max(1, count)), last[2] }
  return fitting
end

--- The rows of a frame as they fit into the window.
---@param job retouch.Job
---@param span retouch.Span
---@param lines retouch.FrameLine[]
---@param encoding retouch.Encoding
---@return retouch.Row[]
local function rows(job, span, lines, encoding)
  local columns = paint.columns(job.bufnr) or vim.o.columns
  local first = api.nvim_buf_get_lines(job.bufnr, span.row, span.row + 1, false)[1]
  local out = {}
  for index, line in ipairs(lines) do
    local used = index == 1 and api.nvim_strwidth(first:sub(1, span.col)) or 0
    out[index] = clipped(M.row(line, encoding), columns - used)
  end
  return out
end

--- Draw a frame of a hole, or nothing where a person has edited the old text.
---@param job retouch.Job
---@param hole retouch.Hole
---@param lines retouch.FrameLine[]
---@param encoding retouch.Encoding
local function draw(job, hole, lines, encoding)
  local span = jobs.span(job.bufnr, hole)
  local drawn = {}
  if span then
    hole.lines, hole.rest = lines, paint.rest(job.bufnr, span)
    drawn = paint.draw(job.bufnr, span, rows(job, span, lines, encoding), hole.rest)
  end
  paint.clear(job.bufnr, hole.drawn)
  hole.drawn = drawn
end

---@param frame any
---@return boolean
local function well_formed(frame)
  return type(frame) == 'table'
    and frame.jobId ~= nil
    and type(frame.seq) == 'number'
    and type(frame.range) == 'table'
    and type(frame.lines) == 'table'
    and vim.iter(frame.lines):all(function(line)
      return type(line) == 'table' and type(line.text) == 'string'
    end)
end

--- The hole of a frame. One that is not known yet can only be placed in the text it was made for.
---@param job retouch.Job
---@param frame retouch.Frame
---@param encoding retouch.Encoding
---@return retouch.Hole?
local function hole_of(job, frame, encoding)
  local number = frame.hole or 0
  if job.holes[number] or frame.version == edits.version(job.bufnr) then
    return jobs.add_hole(job, number, frame, encoding)
  end
end

--- The handler: newest frame wins, late ones are dropped.
---@param frame retouch.Frame
---@param client vim.lsp.Client
function M.on_frame(frame, client)
  if not well_formed(frame) then
    log.once('the language server sent a frame that is none')
    return
  end
  local bufnr = edits.buffer(frame.uri)
  if not bufnr then
    return
  end
  local job = jobs.get(client.id, frame.jobId) or jobs.adopt(client, frame.jobId, bufnr)
  if job.cancelled then
    return
  end
  job.step, job.steps = frame.step, frame.steps
  local hole = hole_of(job, frame, client.offset_encoding)
  if not hole or (hole.frame and frame.seq <= hole.frame.seq) then
    return
  end
  hole.frame = frame
  vim.cmd.redrawstatus()
  local options = assert(config.get())
  local still = options.reduced_motion and #hole.drawn > 0
  if (options.settings.live or 'overlay') == 'overlay' and not still then
    draw(job, hole, frame.lines, client.offset_encoding)
  end
end

--- Whether a hole's picture no longer fits the text: what it covers or moves is another one.
---@param bufnr integer
---@param hole retouch.Hole
---@return boolean
local function outdated(bufnr, hole)
  local span = jobs.span(bufnr, hole)
  return not span or paint.rest(bufnr, span) ~= hole.rest
end

--- Draw pictures anew, or hide them, as a person edits, without waiting for the server.
---@param bufnr integer
local function check(bufnr)
  for _, job in ipairs(jobs.of_buffer(bufnr)) do
    local client = vim.lsp.get_client_by_id(job.client_id)
    for _, hole in pairs(job.holes) do
      if client and #hole.drawn > 0 and outdated(bufnr, hole) then
        draw(job, hole, assert(hole.lines), client.offset_encoding)
      end
    end
  end
end

---@param group integer
function M.setup(group)
  local events = { 'TextChanged', 'TextChangedI', 'TextChangedP', 'CursorMovedI', 'InsertLeave' }
  api.nvim_create_autocmd(events, {
    group = group,
    callback = function(event)
      check(event.buf)
    end,
  })
end

return M
