--- A diff in a floating window, and the question whether to keep it.
local api = vim.api
local edits = require('retouch.edits')
local float = require('retouch.float')

local M = {}

---@class retouch.Question
---@field bufnr integer
---@field changes retouch.Change[]
---@field row integer Row of the text below which the window opens.
---@field client_id integer Who asks ...
---@field job_id string|integer ... for which job.

local KEYS = { a = true, ['<CR>'] = true, r = false, q = false, ['<Esc>'] = false }

--- The question that is open, and what answers it.
---@type {question: retouch.Question, close: fun(answer: boolean)}?
local current

--- Questions that wait for their turn.
---@type {question: retouch.Question, thread: thread}[]
local waiting = {}

--- A unified diff, by lines, without file names.
---@param old string[]
---@param new string[]
---@return string[]
function M.diff(old, new)
  local diff = vim.text and vim.text.diff or vim.diff
  local text = diff(table.concat(old, '\n') .. '\n', table.concat(new, '\n') .. '\n', {
    result_type = 'unified',
    ctxlen = 3,
  })
  return vim.split(vim.trim(text --[[@as string]]), '\n', { plain = true })
end

---@param lines string[]
---@return integer
local function scratch(lines)
  local bufnr = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].filetype = 'diff'
  return bufnr
end

--- Goes there only from normal mode: what a person types elsewhere is no answer.
---@param bufnr integer The diff's.
---@param question retouch.Question
---@return integer
local function open(bufnr, question)
  local enter = api.nvim_get_mode().mode == 'n'
  local title = enter and ' Retouch: a accept, r reject ' or ' :Retouch accept or :Retouch cancel '
  local width = math.max(30, #title)
  for _, line in ipairs(api.nvim_buf_get_lines(bufnr, 0, -1, false)) do
    width = math.max(width, api.nvim_strwidth(line) + 2)
  end
  return float.open(bufnr, enter, question, {
    width = math.min(width, vim.o.columns - 4),
    height = math.min(api.nvim_buf_line_count(bufnr), math.max(3, vim.o.lines - 6)),
    style = 'minimal',
    border = 'rounded',
    title = title,
    zindex = 60,
  })
end

--- Answer the open question, as its keys do. False if there is none, or none about `about`.
---@param keep boolean
---@param about? integer A buffer; any if nil.
---@return boolean
function M.answer(keep, about)
  if not current or (about and current.question.bufnr ~= about) then
    return false
  end
  current.close(keep)
  return true
end

--- What a job or a buffer was asked about is over: nobody answers it any more.
---@param about {client_id?: integer, job_id?: string|integer, bufnr?: integer} All of it fits.
function M.withdraw(about)
  local function fits(question)
    return vim.iter(pairs(about)):all(function(name, value)
      return question[name] == value
    end)
  end
  for _, each in ipairs(vim.list_slice(waiting)) do
    if fits(each.question) then
      waiting = vim.tbl_filter(function(other)
        return other ~= each
      end, waiting)
      coroutine.resume(each.thread, false)
    end
  end
  if current and fits(current.question) then
    vim.schedule_wrap(current.close)(false) -- A buffer that is being unloaded lets no window close.
  end
end

---@param bufnr integer The diff's.
---@param window integer
---@param question retouch.Question
---@param done fun(answer: boolean)
local function bind(bufnr, window, question, done)
  local function close(answer)
    if not current or current.question ~= question then
      return -- It was answered while this was on its way.
    end
    current = nil
    if api.nvim_win_is_valid(window) then
      api.nvim_win_close(window, true)
    end
    done(answer)
    local next_one = table.remove(waiting, 1)
    if next_one then
      coroutine.resume(next_one.thread, true)
    end
  end
  current = { question = question, close = close }
  for keys, answer in pairs(KEYS) do
    vim.keymap.set('n', keys, function()
      close(answer)
    end, { buffer = bufnr, nowait = true })
  end
  api.nvim_create_autocmd('BufWipeout', {
    buffer = bufnr,
    once = true,
    callback = vim.schedule_wrap(function()
      close(false)
    end),
  })
end

--- Show what would change and wait; one question at a time. True: keep it. Must run in a coroutine.
---@param question retouch.Question
---@return boolean
function M.ask(question)
  local thread = assert(coroutine.running())
  while current do
    waiting[#waiting + 1] = { question = question, thread = thread }
    if not coroutine.yield() then
      return false
    end
  end
  local old = api.nvim_buf_get_lines(question.bufnr, 0, -1, false)
  local bufnr = scratch(M.diff(old, edits.preview(question.bufnr, question.changes)))
  local window = open(bufnr, question)
  bind(bufnr, window, question, function(answer)
    coroutine.resume(thread, answer)
  end)
  return coroutine.yield()
end

return M
