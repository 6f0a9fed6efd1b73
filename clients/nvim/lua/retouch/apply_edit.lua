--- `workspace/applyEdit` of our server: stale edits are refused, and a result that is streamed into
--- the text (`live = "buffer"`) is one undo step, unless a person edits in between.
local api = vim.api
local edits = require('retouch.edits')
local undo = require('retouch.undo')

local M = {}

--- By buffer: what our newest edit left behind.
---@type table<integer, {tick: integer, label?: string}>
local newest = {}

---@param edit any A WorkspaceEdit.
---@return table[]? documents TextDocumentEdits; version nil where none is given.
local function documents(edit)
  if type(edit) ~= 'table' then
    return nil
  elseif type(edit.documentChanges) == 'table' then
    for _, change in ipairs(edit.documentChanges) do
      if change.kind then
        return nil -- Files are not ours to create or delete.
      end
    end
    return edit.documentChanges
  end
  local list = {}
  for uri, text_edits in pairs(edit.changes or {}) do
    list[#list + 1] = { textDocument = { uri = uri }, edits = text_edits }
  end
  return list
end

---@param document table
---@return integer? bufnr
---@return string? reason
local function fitting(document)
  local bufnr = edits.buffer(document.textDocument.uri)
  local version = document.textDocument.version
  if not bufnr then
    return nil, 'the document is not open'
  elseif type(version) == 'number' and version ~= edits.version(bufnr) then
    return nil, ('the text has changed since version %d'):format(version)
  end
  return bufnr
end

---@param bufnr integer
---@param document table
---@param label? string
---@param encoding retouch.Encoding
---@return string? reason
local function apply(bufnr, document, label, encoding)
  local changes = vim.tbl_map(function(edit)
    return edits.change(bufnr, edit, encoding)
  end, document.edits)
  local last = newest[bufnr]
  local follows = last and last.tick == api.nvim_buf_get_changedtick(bufnr) and last.label == label
  local reason = edits.apply(bufnr, changes, follows and undo.join or undo.step)
  newest[bufnr] = { tick = api.nvim_buf_get_changedtick(bufnr), label = label }
  return reason
end

--- A job has ended: the next edit begins a step of its own.
function M.forget()
  newest = {}
end

---@param params any
---@param client vim.lsp.Client
---@return table
function M.handle(params, client)
  local list = type(params) == 'table' and documents(params.edit)
  if not list then
    return { applied = false, failureReason = 'not an edit of texts' }
  end
  local buffers = {}
  for index, document in ipairs(list) do
    local bufnr, reason = fitting(document)
    if not bufnr then
      return { applied = false, failureReason = reason }
    end
    buffers[index] = bufnr
  end
  for index, document in ipairs(list) do
    local reason = apply(buffers[index], document, params.label, client.offset_encoding)
    if reason then
      return { applied = false, failureReason = reason }
    end
  end
  return { applied = true }
end

return M
