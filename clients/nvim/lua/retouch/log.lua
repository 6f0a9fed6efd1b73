--- What happened, for `:Retouch log`, and the few messages a person gets.
local M = {}

local LIMIT = 500

---@type string[]
local entries = {}
---@type table<string, boolean>
local told = {}

---@param text string
function M.add(text)
  local line = os.date('%H:%M:%S ') .. text:gsub('%s+', ' ')
  entries[#entries + 1] = line
  if #entries > LIMIT then
    table.remove(entries, 1)
  end
end

--- The kept lines, oldest first.
---@return string[]
function M.entries()
  return vim.list_slice(entries)
end

--- A short message that needs no answer.
---@param text string
function M.say(text)
  M.add(text)
  vim.notify('Retouch: ' .. text, vim.log.levels.INFO)
end

--- Something a person asked for did not work.
---@param what string
---@param why string
function M.failure(what, why)
  M.add(('%s failed: %s'):format(what, why))
  vim.notify(('Retouch: %s failed: %s'):format(what, why), vim.log.levels.WARN)
end

--- Something in the background did not work: told once, later only kept.
---@param text string
function M.once(text)
  M.add(text)
  if not told[text] then
    told[text] = true
    vim.notify('Retouch: ' .. text, vim.log.levels.WARN)
  end
end

return M
