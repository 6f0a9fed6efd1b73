"""Languages a finished canvas must belong to; knows nothing of the engine that calls it."""
