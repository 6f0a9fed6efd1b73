"""How a part of Retouch is started as a process: out of reach of the folder it is started in."""

BOOTSTRAP = (
    "import runpy, sys; "
    "at = [n for n, p in enumerate(sys.path) if p.endswith('-packages')] or [len(sys.path)]; "
    "sys.path.insert(at[0], sys.argv[1]); module = sys.argv[2]; "
    "del sys.argv[1:3]; runpy.run_module(module, run_name='__main__')"
)
"""Our own code comes before any other copy that is installed, and behind the standard library."""


def isolated(python: str, root: str, module: str, *words: str) -> list[str]:
    """A command that runs `module` as `python -I -m` would, from `root` before any other copy.

    `root` is the folder that holds our packages, which is no workspace: only where they run from
    their sources is it not on the path already.
    """
    return [python, "-I", "-c", BOOTSTRAP, root, module, *words]
