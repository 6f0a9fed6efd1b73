--- Keys of `setup()`. A default key that is mapped already is left alone; a key that a person chose
--- does its old work wherever there is no suggestion.
local config = require('retouch.config')

local M = {}

--- Of each action: its <Plug> mapping, and whether it is for a visible suggestion only.
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

--- What a key was mapped to before us, by key; kept over a second `setup()`.
---@type table<string, table>
local former = {}

---@param key string
---@return table? mapping Nil if there was none.
local function before(key)
  local mapping = vim.fn.maparg(key, 'i', false, true)
  if not vim.tbl_isempty(mapping) and not vim.startswith(mapping.desc or '', MARK) then
    former[key] = mapping
  end
  return former[key]
end

--- The keys that do what a key did before us.
---@param key string
---@param mapping? table
---@return string
local function old_work(key, mapping)
  if not mapping then
    return key
  elseif mapping.callback and mapping.expr == 1 then
    return mapping.callback() or ''
  elseif mapping.callback then
    vim.schedule(mapping.callback)
    return ''
  end
  return mapping.expr == 1 and vim.api.nvim_eval(mapping.rhs) or mapping.rhs
end

---@param name string
---@param key string
---@param mapping? table
local function map(name, key, mapping)
  local plug, only_visible = unpack(ACTIONS[name])
  vim.keymap.set('i', key, function()
    if only_visible and not require('retouch.ghost').visible() then
      return old_work(key, mapping)
    end
    return plug
  end, { expr = true, remap = true, desc = MARK .. name })
end

--- The default keys that were left alone because they were mapped.
---@return string[]
function M.skipped()
  return skipped
end

---@param mappings retouch.Mappings|false
function M.setup(mappings)
  skipped = {}
  for name, key in pairs(mappings or {}) do
    local mapping = key and before(key) or nil
    if mapping and key == config.defaults.mappings[name] then
      skipped[#skipped + 1] = ('%s (%s)'):format(key, name)
    elseif key then
      map(name, key, mapping)
    end
  end
  table.sort(skipped)
end

return M
