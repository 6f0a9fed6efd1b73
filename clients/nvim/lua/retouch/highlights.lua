--- Highlight groups. All are defaults: a colour scheme or a person's own definition wins.
local M = {}

--- Groups that follow the colour scheme.
local LINKS = {
  RetouchGhost = 'Comment',
  RetouchGhostInfo = 'NonText',
  RetouchText = 'Normal',
}

--- Groups with colours of their own, by background.
local COLOURS = {
  dark = {
    RetouchMask = { fg = '#4f8fd9', ctermfg = 68 },
    RetouchNew = { fg = '#7ee08a', bold = true, ctermfg = 114 },
    RetouchWeak = { fg = '#e0b64f', undercurl = true, ctermfg = 179 },
    RetouchHeat1 = { bg = '#7a2327', ctermbg = 88 },
    RetouchHeat2 = { bg = '#6b3a1e', ctermbg = 94 },
    RetouchHeat3 = { bg = '#57491c', ctermbg = 58 },
    RetouchHeat4 = { bg = '#34401f', ctermbg = 22 },
  },
  light = {
    RetouchMask = { fg = '#0969da', ctermfg = 26 },
    RetouchNew = { fg = '#1a7f37', bold = true, ctermfg = 28 },
    RetouchWeak = { fg = '#9a6700', undercurl = true, ctermfg = 94 },
    RetouchHeat1 = { bg = '#ffc1ba', ctermbg = 217 },
    RetouchHeat2 = { bg = '#ffd8a8', ctermbg = 223 },
    RetouchHeat3 = { bg = '#fff3bf', ctermbg = 229 },
    RetouchHeat4 = { bg = '#e9fac8', ctermbg = 194 },
  },
}

local function define()
  for name, link in pairs(LINKS) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
  for name, colour in pairs(COLOURS[vim.o.background]) do
    vim.api.nvim_set_hl(0, name, vim.tbl_extend('error', { default = true }, colour))
  end
end

---@param group integer
function M.setup(group)
  define()
  vim.api.nvim_create_autocmd('ColorScheme', { group = group, callback = define })
end

return M
