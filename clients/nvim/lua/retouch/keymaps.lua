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

--- What a key does in all buffers. What one of them does with it is no matter: it goes before ours.
---@param key string
---@return table? mapping Nil if there was none.
local function before(key)
  local mapping = vim.fn.maparg(key, 'i', false, true)
  if mapping.buffer == 1 then
    mapping = vim.iter(vim.api.nvim_get_keymap('i')):find(function(each)
      return each.lhs == mapping.lhs
    end) or {}
  end
  if not vim.tbl_isempty(mapping) and not vim.startswith(mapping.desc or '', MARK) then
    former[key] = mapping
  end
  return former[key]
end

--- The mapping under a name of its own, if it does not remap what it types.
---@param name string
---@param mapping? table
---@return string? plug
local function kept(name, mapping)
  if mapping and mapping.noremap == 1 then
    local plug = ('<Plug>(retouch-before-%s)'):format(name)
    local named =
      vim.tbl_extend('force', mapping, { lhs = plug, lhsraw = vim.keycode(plug), desc = plug })
    named.lhsrawalt = nil
    vim.fn.mapset('i', false, named)
    return plug
  end
end

--- The keys that do what a key did before us, by a mapping that remaps. They are ours to type,
--- as they may begin with the key: only the key's own mapping leaves that one alone.
---@param key string
---@param mapping? table
---@return string
local function old_work(key, mapping)
  if not mapping then
    return key
  elseif mapping.expr ~= 1 and mapping.callback then
    vim.schedule(mapping.callback)
    return ''
  elseif mapping.expr ~= 1 then
    return mapping.rhs
  end
  local keys = mapping.callback and mapping.callback() or vim.api.nvim_eval(mapping.rhs)
  return mapping.replace_keycodes == 1 and keys or vim.fn.keytrans(tostring(keys))
end

---@param name string
---@param key string
---@param mapping? table
local function map(name, key, mapping)
  local plug, only_visible = unpack(ACTIONS[name])
  local old = kept(name, mapping)
  vim.keymap.set('i', key, function()
    if only_visible and not require('retouch.ghost').visible() then
      return old or old_work(key, mapping)
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
