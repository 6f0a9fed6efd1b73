--- Ghost text: which renderer a buffer has, and what the keys do with it.
local api = vim.api
local builtin = require('retouch.ghost.builtin')
local config = require('retouch.config')
local own = require('retouch.ghost.own')
local server = require('retouch.server')

local M = {}

--- Whether Retouch is on: as the settings have it until it is switched.
local on = true

--- Whether Neovim draws the ghost text of this buffer. "auto" leaves it to Neovim exactly where a
--- person has switched its inline completion on, so that nothing is drawn twice.
---@param bufnr integer
---@return boolean
local function uses_builtin(bufnr)
  local renderer = assert(config.get()).ghost.renderer
  if renderer == 'auto' then
    return builtin.is_on(bufnr)
  end
  return renderer == 'builtin' and builtin.available()
end

---@return table
local function renderer()
  return uses_builtin(0) and builtin or own
end

---@return boolean
local function wanted()
  return on and assert(config.get()).ghost.enable
end

---@return boolean
local function set_on()
  return assert(config.get()).settings.enable ~= false
end

---@return boolean
function M.enabled()
  return on
end

--- The client that suggests in the current buffer.
---@return vim.lsp.Client?
local function client()
  local found = server.client(api.nvim_get_current_buf())
  local provider = found and found.server_capabilities.inlineCompletionProvider
  return provider and wanted() and found or nil
end

---@param of_buffer vim.lsp.Client
---@param bufnr integer
local function prepare(of_buffer, bufnr)
  local builtin_here = uses_builtin(bufnr)
  builtin.allow(of_buffer, builtin_here and wanted())
  if builtin_here and wanted() then
    builtin.switch_on(bufnr)
  end
end

---@param new_client vim.lsp.Client
---@param bufnr integer
function M.attach(new_client, bufnr)
  if on ~= set_on() then
    new_client:notify('retouch/toggle', { enable = on }) -- it knows the settings alone
  end
  prepare(new_client, bufnr)
end

local function update()
  local found = client()
  if not found then
    own.clear()
  elseif uses_builtin(0) then
    builtin.update()
  else
    own.update(found)
  end
end

---@return boolean
function M.visible()
  return renderer().visible()
end

---@param piece retouch.Piece
---@return boolean accepted False if there is nothing to accept.
function M.accept(piece)
  local visible = M.visible()
  if visible then
    renderer().accept(piece)
  end
  return visible
end

---@param step 1|-1
function M.cycle(step)
  local found = client()
  if found then
    renderer().cycle(found, step)
  end
end

function M.dismiss()
  local found = client()
  if found then
    renderer().dismiss(found)
  end
end

function M.trigger()
  local found = client()
  if found then
    renderer().trigger(found)
  end
end

--- Switch Retouch on or off for all buffers.
---@param enable boolean
function M.toggle(enable)
  on = enable
  own.clear()
  for _, each in ipairs(vim.lsp.get_clients({ name = server.NAME })) do
    each:notify('retouch/toggle', { enable = enable })
    for bufnr in pairs(each.attached_buffers) do
      prepare(each, bufnr)
    end
  end
end

---@param group integer
function M.setup(group)
  M.toggle(set_on())
  local moves = { 'CursorMovedI', 'TextChangedI', 'TextChangedP' }
  local menu = { 'CompleteChanged', 'CompleteDone' }
  api.nvim_create_autocmd(vim.list_extend(moves, menu), { group = group, callback = update })
  -- At InsertEnter the mode is still the old one.
  api.nvim_create_autocmd('InsertEnter', { group = group, callback = vim.schedule_wrap(update) })
  api.nvim_create_autocmd({ 'InsertLeave', 'BufLeave' }, { group = group, callback = own.clear })
end

return M
