"""How a part of Retouch is started as a process: out of reach of the folder it is started in."""

BOOTSTRAP = (
    "import runpy, sys; sys.path.append(sys.argv[1]); module = sys.argv[2]; "
    "del sys.argv[1:3]; runpy.run_module(module, run_name='__main__')"
)


def isolated(python: str, root: str, module: str, *words: str) -> list[str]:
    """A command that runs `module` as `python -I -m module` would, found below `root` at the last.

    `root` is the folder that holds our packages, which is no workspace: only where they run from
    their sources is it not on the path already.
    """
    return [python, "-I", "-c", BOOTSTRAP, root, module, *words]
