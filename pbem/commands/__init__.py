"""The commands of the command line, a module a theme: each command is a thin function."""
