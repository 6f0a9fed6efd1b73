"""One file for each feature; the table of them all is in `lsp_server.app`."""
