"""Runs the command line from the repository, as the installed command `pbem` does."""

from pbem.commands import main

if __name__ == "__main__":
    main()
