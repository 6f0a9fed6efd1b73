--- <Esc> in normal mode while a job runs: a buffer's mapping, put back as it was afterwards.
local config = require('retouch.config')

local M = {}

local DESCRIPTION = 'Retouch: cancel the job'

--- By buffer: the mapping that was there before ours, or false if there was none.
---@type table<integer, table|false>
local installed = {}

---@param bufnr integer
---@param cancel fun()
function M.install(bufnr, cancel)
  if installed[bufnr] ~= nil or not assert(config.get()).esc_cancels then
    return
  end
  vim.api.nvim_buf_call(bufnr, function()
    local before = vim.fn.maparg('<Esc>', 'n', false, true)
    installed[bufnr] = before.buffer == 1 and before or false
  end)
  vim.keymap.set('n', '<Esc>', cancel, { buffer = bufnr, desc = DESCRIPTION })
end

--- Whether the buffer's mapping is still ours: a person may have made another one, or none.
---@return boolean
local function is_ours()
  local mapping = vim.fn.maparg('<Esc>', 'n', false, true)
  return mapping.buffer == 1 and mapping.desc == DESCRIPTION
end

---@param bufnr integer
function M.remove(bufnr)
  local before = installed[bufnr]
  installed[bufnr] = nil
  if before == nil or not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  vim.api.nvim_buf_call(bufnr, function()
    if is_ours() then
      vim.keymap.del('n', '<Esc>', { buffer = bufnr })
      if before then
        vim.fn.mapset('n', false, before)
      end
    end
  end)
end

return M
