"""The exception of graphs that cannot be exchanged with the library."""


class Unsupported(Exception):
    """The graph contains a construct that the exchange does not support."""
