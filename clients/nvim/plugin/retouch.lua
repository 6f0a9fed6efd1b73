--- Defines the command and the <Plug> mappings; does nothing else until setup() is called.
if vim.g.loaded_retouch then
  return
end
vim.g.loaded_retouch = 1

vim.api.nvim_create_user_command('Retouch', function(call)
  require('retouch.command').run(call)
end, {
  nargs = '*',
  range = true,
  bang = true,
  complete = function(...)
    return require('retouch.command').complete(...)
  end,
  desc = 'Retouch: fill, rewrite and revise text',
})

--- Mode, name, what it runs.
local PLUGS = {
  { 'i', 'accept', "<Cmd>lua require('retouch').accept()<CR>" },
  { 'i', 'accept-word', "<Cmd>lua require('retouch').accept('word')<CR>" },
  { 'i', 'accept-line', "<Cmd>lua require('retouch').accept('line')<CR>" },
  { 'i', 'next', "<Cmd>lua require('retouch').cycle(1)<CR>" },
  { 'i', 'prev', "<Cmd>lua require('retouch').cycle(-1)<CR>" },
  { 'i', 'dismiss', "<Cmd>lua require('retouch').dismiss()<CR>" },
  { 'i', 'trigger', "<Cmd>lua require('retouch').trigger()<CR>" },
  { 'n', 'rewrite', ':Retouch rewrite<Space>' },
  { 'x', 'rewrite', ':Retouch rewrite<Space>' },
  { 'n', 'revise', '<Cmd>Retouch revise<CR>' },
  { 'x', 'revise', ':Retouch revise<CR>' },
  { 'n', 'fill', '<Cmd>Retouch fill<CR>' },
  { 'i', 'fill', '<Cmd>Retouch fill<CR>' },
  { 'n', 'reroll', '<Cmd>Retouch reroll<CR>' },
  { 'n', 'heat', '<Cmd>Retouch heat<CR>' },
  { 'x', 'heat', ':Retouch heat<CR>' },
  { 'n', 'take', '<Cmd>Retouch accept<CR>' },
  { 'n', 'cancel', '<Cmd>Retouch cancel<CR>' },
  { 'n', 'lock', '<Cmd>Retouch lock<CR>' },
  { 'n', 'throw', '<Cmd>Retouch throw<CR>' },
}

for _, plug in ipairs(PLUGS) do
  local mode, name, keys = unpack(plug)
  vim.keymap.set(mode, ('<Plug>(retouch-%s)'):format(name), keys, { desc = 'Retouch: ' .. name })
end
