"""`python -m clients.cli`: the same as the `retouch` console script."""

from clients.cli.main import run

if __name__ == "__main__":
    run()
