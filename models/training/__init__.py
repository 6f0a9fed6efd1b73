"""The recipe that made the default model's canvas adapters. Never imported by the product."""
