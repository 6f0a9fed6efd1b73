--- The language server: how it is found, started and asked.
local config = require('retouch.config')

local M = {}

M.NAME = 'retouch'

--- The server's command: `cmd`, else `python`, else the `retouch` on the PATH. A project's own
--- Python is never tried: its code could be anybody's.
---@param options retouch.Options
---@return string[]? command
---@return string? problem
function M.command(options)
  local command = options.cmd
  if not command and options.python then
    command = { vim.fn.expand(options.python), '-I', '-m', 'lsp_server' }
  end
  command = command or { 'retouch', 'lsp' }
  if #command == 0 or vim.fn.executable(command[1]) == 0 then
    return nil,
      ('%s is not an executable; install Retouch or set `python` or `cmd` in setup()'):format(
        vim.inspect(command[1])
      )
  end
  return command
end

--- What is announced to the server.
---@return lsp.ClientCapabilities
function M.capabilities()
  return {
    experimental = { retouch = { denoise = 1, commit = 1 } },
    textDocument = { inlineCompletion = { dynamicRegistration = false } },
  }
end

--- The server's settings: those given, and what follows from our own options.
---@param options retouch.Options
---@return table<string, any>
function M.settings(options)
  local own = options.diff_first and { diffFirst = true } or {}
  local settings = vim.tbl_extend('force', own, options.settings)
  return vim.tbl_isempty(settings) and vim.empty_dict() or settings
end

--- Starts the server for buffers that are files of their own, not for what other plugins show.
---@param markers string[]
---@return fun(bufnr: integer, on_dir: fun(root?: string))
local function root_of(markers)
  return function(bufnr, on_dir)
    local name = vim.api.nvim_buf_get_name(bufnr)
    if name ~= '' and not name:match('^%a[%w+.-]+://') then
      on_dir(vim.fs.root(bufnr, markers))
    end
  end
end

--- A person's callbacks behind ours.
---@param ours function
---@param given? function|function[]
---@return function[]
local function callbacks(ours, given)
  local all = { ours }
  if type(given) == 'function' then
    all[2] = given
  end
  return vim.list_extend(all, type(given) == 'table' and given or {})
end

--- Register the server with Neovim and start it for the buffers that want it.
---@param options retouch.Options
---@param handlers table<string, function>
---@param on_attach fun(client: vim.lsp.Client, bufnr: integer)
---@param on_exit fun(client_id: integer, code: integer)
---@return string? problem Why it can't be started.
function M.enable(options, handlers, on_attach, on_exit)
  local command, problem = M.command(options)
  if not command then
    return problem
  end
  local settings = M.settings(options)
  local ours = {
    cmd = command,
    filetypes = options.filetypes,
    root_dir = root_of(options.root_markers),
    capabilities = M.capabilities(),
    init_options = settings,
    settings = { retouch = settings },
    handlers = handlers,
  }
  vim.lsp.config(
    M.NAME,
    vim.tbl_deep_extend('force', ours, options.lsp, {
      on_attach = callbacks(on_attach, options.lsp.on_attach),
      on_exit = callbacks(function(code, _, client_id)
        on_exit(client_id, code)
      end, options.lsp.on_exit),
    })
  )
  vim.lsp.enable(M.NAME)
end

--- The running client of a buffer.
---@param bufnr integer
---@return vim.lsp.Client?
function M.client(bufnr)
  return vim.lsp.get_clients({ bufnr = bufnr, name = M.NAME })[1]
end

--- Whether the server takes a method of ours.
---@param client vim.lsp.Client
---@param name string Such as "rewrite".
---@return boolean
function M.takes(client, name)
  local known = vim.tbl_get(client.server_capabilities, 'experimental', 'retouch')
  return type(known) == 'table' and (known[name] or 0) ~= 0
end

--- The client of a buffer for a command, or a reason to tell.
---@param bufnr integer
---@param method string
---@return vim.lsp.Client?
---@return string? problem
function M.for_method(bufnr, method)
  if not config.get() then
    return nil, "call require('retouch').setup() first"
  end
  local client = M.client(bufnr)
  if not client then
    return nil, 'the language server is not attached to this buffer; see :checkhealth retouch'
  elseif not M.takes(client, method) then
    return nil, ('this language server does not know %s'):format(method)
  end
  return client
end

return M
