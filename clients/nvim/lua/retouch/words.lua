--- Changes a running job word by word: keep one, throw one back, put another in its place.
local api = vim.api
local jobs = require('retouch.jobs')
local log = require('retouch.log')
local position = require('retouch.position')
local wire = require('retouch.wire')

local M = {}

local WORD = [=[\k\+\|[^[:keyword:][:space:]]\+]=]

--- A word of a frame: the line's number from 0, bytes from and behind.
---@alias retouch.Word {row: integer, from: integer, to: integer}

---@param lines retouch.FrameLine[]
---@return retouch.Word[]
local function words(lines)
  local found = {}
  for number, line in ipairs(lines) do
    local at = 0
    while true do
      local _, from, to = unpack(vim.fn.matchstrpos(line.text, WORD, at))
      if from < 0 then
        break
      end
      found[#found + 1] = { row = number - 1, from = from, to = to }
      at = to
    end
  end
  return found
end

---@param lines retouch.FrameLine[]
---@param word retouch.Word
---@return string
local function text_of(lines, word)
  return lines[word.row + 1].text:sub(word.from + 1, word.to)
end

--- Offset in the frame's text joined by newlines, in the encoding's units.
---@param lines retouch.FrameLine[]
---@param row integer
---@param byte integer
---@param encoding retouch.Encoding
---@return integer
function M.offset(lines, row, byte, encoding)
  local sum = position.units(lines[row + 1].text, byte, encoding)
  for number = 1, row do
    sum = sum + position.units(lines[number].text, #lines[number].text, encoding) + 1
  end
  return sum
end

--- The job and hole that a command is about: the one at the cursor's row, else the newest with a
--- picture.
---@param bufnr integer
---@return retouch.Job? job
---@return integer? number
---@return retouch.Span? span
local function target(bufnr)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local job, number, place
  for _, each in ipairs(jobs.of_buffer(bufnr)) do
    for index, hole in pairs(each.holes) do
      local span = hole.frame and each.id ~= nil and jobs.span(bufnr, hole)
      if span then
        job, number, place = each, index, span
        if span.row <= row and row <= span.end_row then
          return job, number, place
        end
      end
    end
  end
  return job, number, place
end

--- The word of a frame that is drawn under the cursor.
---@param lines retouch.FrameLine[]
---@param span retouch.Span
---@return retouch.Word?
local function under_cursor(lines, span)
  local row, col = unpack(api.nvim_win_get_cursor(0))
  local index = row - 1 - span.row
  if index < 0 or index >= #lines then
    return nil
  end
  local line = api.nvim_get_current_line()
  local start = index == 0 and vim.fn.strdisplaywidth(line:sub(1, span.col)) or 0
  local cell = vim.fn.strdisplaywidth(line:sub(1, col)) - start
  for _, word in ipairs(words(lines)) do
    local text = lines[word.row + 1].text
    local behind = vim.fn.strdisplaywidth(text:sub(1, word.to), start)
    if word.row == index and cell < behind then
      return word
    end
  end
end

---@param lines retouch.FrameLine[]
---@param wanted string
---@return retouch.Word?
local function named(lines, wanted)
  for _, word in ipairs(words(lines)) do
    if text_of(lines, word) == wanted then
      return word
    end
  end
end

--- Whether a word begins with a mask: the model has not said anything there yet.
---@param line retouch.FrameLine
---@param word retouch.Word
---@param encoding retouch.Encoding
---@return boolean
local function masked(line, word, encoding)
  local at = position.units(line.text, word.from, encoding)
  return vim.iter(line.masks or {}):any(function(mask)
    return mask[1] <= at and at < mask[2]
  end)
end

--- The words of the running canvas that stand, for completion.
---@param bufnr integer
---@return string[]
function M.list(bufnr)
  local job, number = target(bufnr)
  if not job then
    return {}
  end
  local lines = job.holes[number].frame.lines
  local client = vim.lsp.get_client_by_id(job.client_id)
  local seen = {}
  for _, word in ipairs(words(lines)) do
    if client and not masked(lines[word.row + 1], word, client.offset_encoding) then
      seen[text_of(lines, word)] = true
    end
  end
  local list = vim.tbl_keys(seen)
  table.sort(list)
  return list
end

---@class retouch.WordOrder
---@field method 'lock'|'throwBack'|'revisePin'
---@field word? string The word under the cursor if nil.
---@field text? string What to put in its place.

--- Ask the server to do something to a word of the running job.
---@param client vim.lsp.Client
---@param bufnr integer
---@param order retouch.WordOrder
function M.change(client, bufnr, order)
  local job, number, span = target(bufnr)
  if not job then
    log.failure(order.method, 'no job with a canvas runs in this buffer')
    return
  end
  local frame = job.holes[number].frame
  local lines = frame.lines
  local word = order.word and named(lines, order.word)
  if not order.word then
    word = under_cursor(lines, assert(span))
  end
  if not word then
    log.failure(order.method, order.word and 'the canvas has no such word' or 'no word here')
    return
  end
  local encoding = client.offset_encoding
  local params = {
    jobId = job.id,
    hole = number,
    seq = frame.seq,
    start = M.offset(lines, word.row, word.from, encoding),
    stop = M.offset(lines, word.row, word.to, encoding),
    text = order.text,
  }
  wire.request(client, 'retouch/' .. order.method, params, bufnr, function(problem, result)
    local answer = type(result) == 'table' and result or {}
    if problem or not answer.ok then
      log.failure(order.method, problem or answer.reason or 'refused')
    end
  end)
end

return M
