--- Messages of the language server as Lua values. Neovim 0.12 hands null over as `vim.NIL`, which
--- is true in a condition; 0.11 as nil. Here it is always nil.
local M = {}

--- The value with nil in the place of null, at any depth.
---@param value any
---@return any
function M.clean(value)
  if value == vim.NIL then
    return nil
  elseif type(value) ~= 'table' then
    return value
  end
  local clean = {}
  for key, part in pairs(value) do
    clean[key] = M.clean(part)
  end
  return clean
end

--- Send a request; `answer` gets the error's message, or the result.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param bufnr integer
---@param answer fun(problem: string?, result: any)
---@return integer? id Nil if it could not be sent.
function M.request(client, method, params, bufnr, answer)
  local sent, id = client:request(method, params, function(err, result)
    err = M.clean(err)
    answer(err and (err.message or 'an error without a message'), M.clean(result))
  end, bufnr)
  return sent and id or nil
end

return M
