"""Runs the command line from the repository, as the installed command `pbem` does."""

from pbem.cli import main

if __name__ == "__main__":
    main()
