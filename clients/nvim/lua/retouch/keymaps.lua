--- Keys: those of `setup()`, which take no key that is mapped already.
local M = {}

--- Of each action: what <Plug> mapping it is, and whether it is for a visible suggestion only.
local ACTIONS = {
  accept = { '<Plug>(retouch-accept)', true },
  accept_word = { '<Plug>(retouch-accept-word)', true },
  accept_line = { '<Plug>(retouch-accept-line)', true },
  next = { '<Plug>(retouch-next)', false },
  prev = { '<Plug>(retouch-prev)', false },
  dismiss = { '<Plug>(retouch-dismiss)', true },
  trigger = { '<Plug>(retouch-trigger)', false },
}

local MARK = 'Retouch: '

---@type string[]
local skipped = {}

---@param key string
---@return boolean
local function taken(key)
  local mapping = vim.fn.maparg(key, 'i', false, true)
  return not vim.tbl_isempty(mapping) and not vim.startswith(mapping.desc or '', MARK)
end

---@param name string
---@param key string
local function map(name, key)
  local plug, only_visible = unpack(ACTIONS[name])
  vim.keymap.set('i', key, function()
    if only_visible and not require('retouch.ghost').visible() then
      return key
    end
    return plug
  end, { expr = true, remap = true, desc = MARK .. name })
end

--- The keys of `setup()` that were left alone because they were mapped.
---@return string[]
function M.skipped()
  return skipped
end

---@param mappings retouch.Mappings|false
function M.setup(mappings)
  skipped = {}
  for name, key in pairs(mappings or {}) do
    if key and taken(key) then
      skipped[#skipped + 1] = ('%s (%s)'):format(key, name)
    elseif key then
      map(name, key)
    end
  end
  table.sort(skipped)
end

return M
