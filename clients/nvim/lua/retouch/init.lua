--- Retouch for Neovim: fills holes and revises text with a masked-diffusion model. :help retouch
local api = vim.api

local M = {}

--- A handler for the LSP client that keeps a fault of ours, or of a message, from being repeated as
--- an error on the screen.
---@param method string
---@param handle fun(params: any, client: vim.lsp.Client): any
---@return fun(err: any, params: any, context: table): any
local function handler(method, handle)
  return function(_, params, context)
    local client = vim.lsp.get_client_by_id(context.client_id)
    if not client then
      return vim.NIL
    end
    local ok, result = xpcall(function()
      return handle(require('retouch.wire').clean(params), client)
    end, debug.traceback)
    if not ok then
      require('retouch.log').once(('%s: %s'):format(method, result))
      return vim.NIL
    end
    return result == nil and vim.NIL or result
  end
end

---@return table<string, function>
local function handlers()
  local apply_edit = require('retouch.apply_edit')
  local table_of = {
    ['retouch/denoise'] = require('retouch.canvas').on_frame,
    ['retouch/ended'] = function(params, client)
      apply_edit.forget()
      require('retouch.jobs').ended(params, client)
    end,
    ['retouch/commit'] = require('retouch.commit').handle,
    ['retouch/didChangeStatus'] = require('retouch.status').changed,
    ['workspace/applyEdit'] = apply_edit.handle,
    ['window/logMessage'] = function(params)
      require('retouch.log').add(tostring(params.message))
    end,
  }
  for method, handle in pairs(table_of) do
    table_of[method] = handler(method, handle)
  end
  return table_of
end

---@param client_id integer
---@param code integer
local function exited(client_id, code)
  vim.schedule(function()
    require('retouch.jobs').drop({ client_id = client_id })
    require('retouch.status').drop(client_id)
    -- A person is told by Neovim itself.
    require('retouch.log').add(('the language server ended with status %d'):format(code))
  end)
end

---@param options retouch.Options
local function start_server(options)
  local server = require('retouch.server')
  local problem = server.enable(options, handlers(), require('retouch.ghost').attach, exited)
  if problem then
    require('retouch.log').once(problem)
  end
  local unknown = require('retouch.config').unknown_settings(options.settings)
  if #unknown > 0 then
    require('retouch.log').once('settings that are not known: ' .. table.concat(unknown, ', '))
  end
end

--- Check the options, start the language server for the buffers that want it, map the keys.
---@param opts? table See |retouch-options|. An error names every option that is wrong.
function M.setup(opts)
  if vim.fn.has('nvim-0.11') == 0 then
    error('retouch needs Neovim 0.11 or later', 0)
  end
  local options = require('retouch.config').set(opts)
  local group = api.nvim_create_augroup('retouch', { clear = true })
  require('retouch.highlights').setup(group)
  require('retouch.ghost').setup(group)
  require('retouch.canvas').setup(group)
  require('retouch.heat').setup(group)
  api.nvim_create_autocmd('BufUnload', {
    group = group,
    callback = function(event)
      require('retouch.jobs').drop({ bufnr = event.buf })
    end,
  })
  require('retouch.keymaps').setup(options.mappings)
  start_server(options)
end

--- A few words for the status line, such as "retouch 3/12"; '' where no server is attached.
---@param bufnr? integer
---@return string
function M.status(bufnr)
  return require('retouch.status').text(bufnr)
end

--- The same as a table: state, message, step, steps, jobs. Nil where no server is attached.
---@param bufnr? integer
---@return retouch.Status?
function M.status_info(bufnr)
  return require('retouch.status').info(bufnr)
end

--- Whether ghost text is on the screen.
---@return boolean
function M.visible()
  return require('retouch.ghost').visible()
end

--- Accept ghost text in insert mode. False if there is none.
---@param piece? retouch.Piece 'all' if nil.
---@return boolean
function M.accept(piece)
  return require('retouch.ghost').accept(piece or 'all')
end

--- Show another alternative.
---@param step? 1|-1 1 if nil.
function M.cycle(step)
  require('retouch.ghost').cycle(step or 1)
end

--- Hide ghost text until the text changes.
function M.dismiss()
  require('retouch.ghost').dismiss()
end

--- Ask for ghost text now.
function M.trigger()
  require('retouch.ghost').trigger()
end

return M
