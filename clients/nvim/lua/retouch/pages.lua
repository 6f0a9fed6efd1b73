--- What `:Retouch status` and `:Retouch log` show.
local api = vim.api
local jobs = require('retouch.jobs')
local log = require('retouch.log')
local server = require('retouch.server')
local status = require('retouch.status')

local M = {}

---@param bufnr integer
---@return string[]
local function describe(bufnr)
  local client = server.client(bufnr)
  if not client then
    return { 'no language server is attached to this buffer; see :checkhealth retouch' }
  end
  local info = assert(status.info(bufnr))
  local said = info.message and info.message ~= '' and ': ' .. info.message or ''
  local lines = {
    ('%s%s'):format(info.state, said),
    ('client %d, positions in %s'):format(client.id, client.offset_encoding),
  }
  for _, job in ipairs(jobs.of_buffer(bufnr)) do
    lines[#lines + 1] = ('%s, job %s'):format(job.label, tostring(job.id or 'not named yet'))
  end
  return lines
end

---@param bufnr integer
function M.status(bufnr)
  local text = table.concat(describe(bufnr), '\n')
  api.nvim_echo({ { 'Retouch: ' .. text } }, false, {})
end

--- A window with what happened, newest last.
function M.log()
  local bufnr = api.nvim_create_buf(false, true)
  local lines = log.entries()
  table.insert(lines, 1, 'Messages of the language client: ' .. vim.lsp.log.get_filename())
  api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].modifiable = false
  vim.cmd.split()
  api.nvim_win_set_buf(0, bufnr)
  vim.cmd.normal({ 'G', bang = true })
end

return M
