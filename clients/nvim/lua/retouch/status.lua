--- What the servers say of themselves, for the status line.
local api = vim.api
local jobs = require('retouch.jobs')
local log = require('retouch.log')
local server = require('retouch.server')

local M = {}

---@class retouch.Status
---@field state 'idle'|'working'|'offline'|'disabled'|'starting'
---@field message? string
---@field step? integer
---@field steps? integer
---@field jobs? integer

---@type table<integer, retouch.Status>
local by_client = {}

local SHORT = {
  idle = 'retouch',
  working = 'retouch ...',
  offline = 'retouch offline',
  disabled = 'retouch off',
  starting = 'retouch starting',
}

--- The handler of `retouch/didChangeStatus`.
---@param params any
---@param client vim.lsp.Client
function M.changed(params, client)
  if type(params) ~= 'table' or not SHORT[params.state] then
    return
  end
  if params.state == 'offline' then
    log.add('offline: ' .. (params.message or 'no reason given'))
  end
  by_client[client.id] = params
  M.redraw()
end

---@param client_id integer
function M.drop(client_id)
  by_client[client_id] = nil
  M.redraw()
end

function M.redraw()
  vim.cmd.redrawstatus()
  api.nvim_exec_autocmds('User', { pattern = 'RetouchStatus', modeline = false })
end

--- The state of a buffer's server, with the steps of the buffer's own job where one runs. Nil where
--- no server is attached.
---@param bufnr? integer
---@return retouch.Status?
function M.info(bufnr)
  bufnr = bufnr or api.nvim_get_current_buf()
  local client = server.client(bufnr)
  if not client then
    return nil
  end
  local info = vim.tbl_extend('force', { state = 'idle' }, by_client[client.id] or {})
  local job = jobs.of_buffer(bufnr)[1]
  if job then
    info.state, info.step, info.steps = 'working', job.step, job.steps
  end
  return info
end

--- A few words for the status line: '' where there is nothing to say.
---@param bufnr? integer
---@return string
function M.text(bufnr)
  local info = M.info(bufnr)
  if not info then
    return ''
  end
  local step, steps = info.step, info.steps
  if info.state == 'working' and step then
    return steps and ('retouch %d/%d'):format(step, steps) or ('retouch %d'):format(step)
  end
  return SHORT[info.state]
end

return M
