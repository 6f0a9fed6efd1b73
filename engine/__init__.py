"""The engine: jobs in, reveals out. Imports go down only (see ARCHITECTURE.md)."""
