"""What a client of ORS says when something fails."""


def failure(work) -> str:
    try:
        work()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"
