"""The engine: jobs in, reveals out. Imports go down only: client, session, core, ... (see ARCHITECTURE.md)."""
