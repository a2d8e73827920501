"""The error of an ORS client as text."""


def failure(work) -> str:
    try:
        work()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "no error"
