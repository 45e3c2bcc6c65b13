"""The exception of graphs that cannot be exchanged with the library."""


class Unsupported(Exception):
    """The graph holds what the exchange has no form for."""
