--- Ghost text by `vim.lsp.inline_completion` (Neovim 0.12), which asks and draws. Here is how a
--- part is accepted, as an undo step of its own, and that it hides where ours would.
local api = vim.api
local accept = require('retouch.ghost.accept')
local config = require('retouch.config')
local suggestions = require('retouch.ghost.suggestion')

local M = {}

local NAMESPACE = 'nvim.lsp.inline_completion'

---@return boolean
function M.available()
  return vim.lsp.inline_completion ~= nil
end

--- Whether Neovim's inline completion is on in a buffer.
---@param bufnr integer
---@return boolean
function M.is_on(bufnr)
  return M.available() and vim.lsp.inline_completion.is_enabled({ bufnr = bufnr })
end

---@param client vim.lsp.Client
---@param on boolean
function M.allow(client, on)
  if M.available() then
    vim.lsp.inline_completion.enable(on, { client_id = client.id })
  end
end

---@param bufnr integer
function M.switch_on(bufnr)
  vim.lsp.inline_completion.enable(true, { bufnr = bufnr })
end

---@return boolean
function M.visible()
  local namespace = api.nvim_get_namespaces()[NAMESPACE]
  return namespace ~= nil and #api.nvim_buf_get_extmarks(0, namespace, 0, -1, { limit = 1 }) > 0
end

--- Drop what is shown, until the text or the cursor moves.
function M.clear()
  vim.lsp.inline_completion.get({
    on_accept = function() end,
  })
end

--- Hide where another menu is open.
function M.update()
  local blocked = assert(config.get()).ghost.blocked
  if M.visible() and (vim.fn.pumvisible() == 1 or (blocked and blocked())) then
    M.clear()
  end
end

---@param item vim.lsp.inline_completion.Item
---@return retouch.Suggestion?
local function suggestion(item)
  if type(item.insert_text) ~= 'string' then
    return nil
  end
  local cursor = api.nvim_win_get_cursor(0)
  local row, col = cursor[1] - 1, cursor[2]
  local span = { row = row, col = col, end_row = row, end_col = col }
  if item.range then
    local from_row, from_col, to_row, to_col = item.range:to_extmark()
    span = { row = from_row, col = from_col, end_row = to_row, end_col = to_col }
  end
  local bufnr = api.nvim_get_current_buf()
  local place = { bufnr = bufnr, client_id = item.client_id, span = span, row = row, col = col }
  return suggestions.new(place, item.insert_text --[[@as string]], item.command)
end

---@param piece retouch.Piece
function M.accept(piece)
  vim.lsp.inline_completion.get({
    on_accept = function(item)
      local client = vim.lsp.get_client_by_id(item.client_id)
      if not client or client.name ~= 'retouch' then
        return item
      end
      local found = suggestion(item)
      if found then
        accept.take(found, piece)
      end
    end,
  })
end

---@param step 1|-1
function M.cycle(_, step)
  vim.lsp.inline_completion.select({ count = step })
end

--- Neovim has no call that asks now; it asks on its own after every move.
function M.trigger() end

function M.dismiss()
  M.clear()
end

return M
