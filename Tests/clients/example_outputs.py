"""What the examples of the clients say that they print."""


def printed(example, comment="//"):
    """The lines of the comment at the end of an example."""
    lines = example.read_text().partition(f"\n{comment} It prints:\n")[2].splitlines()
    return [line.removeprefix(f"{comment}   ") for line in lines]
