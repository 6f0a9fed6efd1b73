--- The options of `setup()`: defaults and their check. Owns the options in use.
local M = {}

---@class retouch.Mappings
---@field accept? string|false Insert mode: take the whole suggestion.
---@field accept_word? string|false Insert mode: take its next word.
---@field accept_line? string|false Insert mode: take the rest of its line.
---@field next? string|false Insert mode: the next alternative.
---@field prev? string|false Insert mode: the alternative before.
---@field dismiss? string|false Insert mode: hide the suggestion until the text changes.
---@field trigger? string|false Insert mode: ask for a suggestion now.

---@class retouch.GhostOptions
---@field enable boolean Show suggestions while typing.
---@field renderer 'auto'|'own'|'builtin' Who draws: this plugin or `vim.lsp.inline_completion`.
---@field blocked? fun(): boolean More reasons to stay hidden, such as another completion menu.

---@class retouch.Options
---@field cmd? string[] The language server's command, instead of looking for one.
---@field python? string A Python that has Retouch installed; run as `python -I -m lsp_server`.
---@field filetypes? string[] Only these file types; all if nil.
---@field root_markers string[] What marks the root of a project.
---@field settings table<string, any> The server's settings, sent as they are.
---@field ghost retouch.GhostOptions
---@field mappings retouch.Mappings|false Keys; a key that is mapped already is left alone.
---@field esc_cancels boolean In normal mode <Esc> cancels the job of the buffer, while it runs.
---@field diff_first boolean Show a diff and ask before a result is put into the text.
---@field reduced_motion boolean No animation: one still picture of the canvas, then the result.
---@field lsp table<string, any> More fields for `vim.lsp.config()`.

---@type retouch.Options
M.defaults = {
  cmd = nil,
  python = nil,
  filetypes = nil,
  root_markers = { '.git', 'pyproject.toml', 'package.json', 'Cargo.toml', 'go.mod' },
  settings = {},
  ghost = { enable = true, renderer = 'auto', blocked = nil },
  mappings = {
    accept = '<M-l>',
    accept_word = '<M-w>',
    accept_line = '<M-j>',
    next = '<M-]>',
    prev = '<M-[>',
    dismiss = '<C-]>',
    trigger = '<M-\\>',
  },
  esc_cancels = true,
  diff_first = false,
  reduced_motion = false,
  lsp = {},
}

local TOP = {
  cmd = { 'table', true },
  python = { 'string', true },
  filetypes = { 'table', true },
  root_markers = { 'table' },
  settings = { 'table' },
  ghost = { 'table' },
  mappings = { { 'table', 'boolean' } },
  esc_cancels = { 'boolean' },
  diff_first = { 'boolean' },
  reduced_motion = { 'boolean' },
  lsp = { 'table' },
}

local GHOST = {
  enable = { 'boolean' },
  blocked = { 'function', true },
  renderer = {
    function(value)
      return value == 'auto' or value == 'own' or value == 'builtin'
    end,
    false,
    '"auto", "own" or "builtin"',
  },
}

--- The server's settings that this version knows. Others are passed on, with a warning.
local SETTINGS = {
  'alternatives',
  'completion',
  'debounceMs',
  'diffFirst',
  'enable',
  'fps',
  'ignore',
  'languages',
  'live',
  'logLevel',
  'maxFileKb',
  'maxLines',
  'policy',
  'schemas',
  'server',
  'statusBar',
  'steps',
  'syntax',
  'timeoutMs',
  'trigger',
}

---@type retouch.Options?
local current

--- The known name that is nearest to `key`, as a hint, or ''.
---@param key string
---@param known string[]
---@return string
local function hint(key, known)
  local found = vim.fn.matchfuzzy(known, key)
  if #found == 0 then
    found = vim.tbl_filter(function(name)
      return name:sub(1, 2) == tostring(key):sub(1, 2)
    end, known)
  end
  return found[1] and (' (did you mean %s?)'):format(found[1]) or ''
end

--- Check one table by its rules; adds a line for every fault.
---@param where string
---@param given table
---@param rules table<string, table>
---@param faults string[]
local function check(where, given, rules, faults)
  for key, value in pairs(given) do
    local rule = rules[key]
    if rule then
      local ok, fault = pcall(vim.validate, where .. key, value, unpack(rule))
      if not ok then
        faults[#faults + 1] = tostring(fault)
      end
    else
      local names = vim.tbl_keys(rules)
      faults[#faults + 1] = ('%s%s: no such option%s'):format(where, key, hint(key, names))
    end
  end
end

---@return table<string, table>
local function mapping_rules()
  local rules = {}
  for name in pairs(M.defaults.mappings) do
    rules[name] = { { 'string', 'boolean' } }
  end
  return rules
end

--- The faults of options as a person gave them; empty if there are none.
---@param given table
---@return string[]
function M.faults(given)
  local faults = {}
  check('', given, TOP, faults)
  if type(given.ghost) == 'table' then
    check('ghost.', given.ghost, GHOST, faults)
  end
  if type(given.mappings) == 'table' then
    check('mappings.', given.mappings, mapping_rules(), faults)
  elseif given.mappings == true then
    faults[#faults + 1] = 'mappings: expected a table or false'
  end
  table.sort(faults)
  return faults
end

--- The settings that this version does not know, with hints.
---@param settings table<string, any>
---@return string[]
function M.unknown_settings(settings)
  local unknown = {}
  for key in pairs(settings) do
    if not vim.tbl_contains(SETTINGS, key) then
      unknown[#unknown + 1] = ('settings.%s%s'):format(key, hint(key, SETTINGS))
    end
  end
  table.sort(unknown)
  return unknown
end

--- Check options and keep them with the defaults. An error names every fault.
---@param given? table
---@return retouch.Options
function M.set(given)
  given = given or {}
  vim.validate('opts', given, 'table')
  local faults = M.faults(given)
  if #faults > 0 then
    error('retouch.setup: ' .. table.concat(faults, '; '), 0)
  end
  current = vim.tbl_deep_extend('force', vim.deepcopy(M.defaults), given)
  return current
end

--- The options in use; nil before `setup()`.
---@return retouch.Options?
function M.get()
  return current
end

return M
