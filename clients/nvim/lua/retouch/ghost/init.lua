--- Ghost text: which renderer a buffer has, and what the keys do with it.
local api = vim.api
local builtin = require('retouch.ghost.builtin')
local config = require('retouch.config')
local own = require('retouch.ghost.own')
local server = require('retouch.server')

local M = {}

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
  local options = assert(config.get())
  return on and options.ghost.enable and options.settings.enable ~= false
end

--- The client that suggests in the current buffer.
---@return vim.lsp.Client?
local function client()
  local found = server.client(api.nvim_get_current_buf())
  local provider = found and found.server_capabilities.inlineCompletionProvider
  return provider and wanted() and found or nil
end

---@param new_client vim.lsp.Client
---@param bufnr integer
function M.attach(new_client, bufnr)
  local builtin_here = uses_builtin(bufnr)
  builtin.allow(new_client, builtin_here and wanted())
  if builtin_here and wanted() then
    builtin.switch_on(bufnr)
  end
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

--- Switch ghost text on or off for all buffers.
---@param enable boolean
function M.toggle(enable)
  on = enable
  own.clear()
  for _, each in ipairs(vim.lsp.get_clients({ name = server.NAME })) do
    for bufnr in pairs(each.attached_buffers) do
      M.attach(each, bufnr)
    end
  end
end

---@param group integer
function M.setup(group)
  local moves = { 'CursorMovedI', 'TextChangedI', 'TextChangedP' }
  local menu = { 'CompleteChanged', 'CompleteDone' }
  api.nvim_create_autocmd(vim.list_extend(moves, menu), { group = group, callback = update })
  -- At InsertEnter the mode is still the old one.
  api.nvim_create_autocmd('InsertEnter', { group = group, callback = vim.schedule_wrap(update) })
  api.nvim_create_autocmd({ 'InsertLeave', 'BufLeave' }, { group = group, callback = own.clear })
end

return M
