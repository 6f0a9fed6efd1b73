--- `:checkhealth retouch`.
local config = require('retouch.config')
local health = vim.health
local server = require('retouch.server')
local wire = require('retouch.wire')

local M = {}

--- A command that prints the version of the Retouch behind a server command, if it is known.
---@param command string[]
---@return string[]?
local function version_command(command)
  if vim.list_contains(command, 'lsp_server') then
    local code = "from importlib.metadata import version; print('retouch', version('retouch'))"
    return { command[1], '-I', '-c', code }
  elseif vim.fs.basename(command[1]):match('^retouch') then
    return { command[1], '--version' }
  end
end

---@param command string[]
local function check_version(command)
  local ask = version_command(command)
  if not ask then
    health.info('the version of this command is not asked for')
    return
  end
  local ran, process = pcall(vim.system, ask, { text = true })
  local done = ran and process:wait(15000)
  if done and done.code == 0 then
    health.ok('version: ' .. vim.trim(done.stdout))
  else
    local said = done and vim.trim(done.stderr) or tostring(process)
    health.error('the server can not be run: ' .. said:sub(-300), {
      'install Retouch into that Python, or name another by `python` or `cmd` in setup()',
    })
  end
end

---@param options retouch.Options
local function check_command(options)
  local command, problem = server.command(options)
  if not command then
    health.error(assert(problem))
    return
  end
  health.ok('command: ' .. table.concat(command, ' ') .. ' (' .. vim.fn.exepath(command[1]) .. ')')
  check_version(command)
end

---@param client vim.lsp.Client
local function check_client(client)
  local known = vim.tbl_get(client.server_capabilities, 'experimental', 'retouch')
  local name = ('client %d in %s'):format(client.id, client.root_dir or 'no project')
  if type(known) ~= 'table' then
    health.error(name .. ' does not speak the retouch/* methods', 'update Retouch')
    return
  end
  local version = known.version or '?'
  health.ok(('%s: methods of version %s, %s'):format(name, version, client.offset_encoding))
  local answer = wire.clean(client:request_sync('retouch/status', vim.empty_dict(), 2000, 0))
  if answer and type(answer.result) == 'table' then
    health.info(('state: %s %s'):format(answer.result.state, answer.result.message or ''))
  else
    health.warn('the server does not answer', ':Retouch log tells what happened')
  end
end

local function check_clients()
  local clients = vim.lsp.get_clients({ name = server.NAME })
  for _, client in ipairs(clients) do
    check_client(client)
  end
  if #clients == 0 then
    health.warn('not connected: no server runs', 'open a file; then see :Retouch log')
  end
end

--- Other sources of ghost text, which may draw over ours.
---@param options retouch.Options
local function check_conflicts(options)
  local found = {}
  for _, name in ipairs({ 'loaded_copilot', 'loaded_llama', 'loaded_codeium' }) do
    if vim.g[name] then
      found[#found + 1] = name:sub(#'loaded_' + 1)
    end
  end
  for _, client in ipairs(vim.lsp.get_clients()) do
    if client.name ~= server.NAME and client.server_capabilities.inlineCompletionProvider then
      found[#found + 1] = client.name
    end
  end
  if #found > 0 and options.ghost.enable then
    health.warn('others suggest text too: ' .. table.concat(found, ', '), {
      'switch one off, or set ghost = { enable = false } in setup()',
    })
  else
    health.ok('nobody else draws ghost text')
  end
  local skipped = require('retouch.keymaps').skipped()
  if #skipped > 0 then
    health.info(
      'keys that were mapped already and were left alone: ' .. table.concat(skipped, ', ')
    )
  end
  local drawn_by = options.ghost.renderer
  if drawn_by == 'builtin' and not require('retouch.ghost.builtin').available() then
    health.warn('ghost.renderer = "builtin" needs Neovim 0.12; this plugin draws instead')
  end
end

function M.check()
  health.start('retouch')
  if vim.fn.has('nvim-0.11') == 0 then
    health.error('Neovim 0.11 or later is needed')
    return
  end
  health.ok('Neovim ' .. tostring(vim.version()))
  local options = config.get()
  if not options then
    health.error('setup() was not called', "add require('retouch').setup() to your init.lua")
    return
  end
  check_command(options)
  check_clients()
  check_conflicts(options)
end

return M
