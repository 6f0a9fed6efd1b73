--- Undo steps: a change of ours is a step of its own and never joins what a person typed.
local M = {}

--- Close the open undo step of a buffer. Works in insert mode too, where what is typed next begins
--- a new step; setting 'undolevels', even to the same value, does it.
---@param bufnr integer
function M.close(bufnr)
  vim.bo[bufnr].undolevels = vim.bo[bufnr].undolevels
end

--- Run `change` as one undo step of its own.
---@param bufnr integer
---@param change fun()
function M.step(bufnr, change)
  M.close(bufnr)
  change()
  M.close(bufnr)
end

--- Run `change` so that it joins the step before it, which must be ours.
---@param bufnr integer
---@param change fun()
function M.join(bufnr, change)
  vim.api.nvim_buf_call(bufnr, function()
    -- Refused right after an undo: then it is a step of its own.
    pcall(vim.cmd.undojoin)
    change()
  end)
  M.close(bufnr)
end

return M
