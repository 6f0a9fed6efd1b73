"""What clients and the engine say to each other. No I/O, no clock, no torch."""
