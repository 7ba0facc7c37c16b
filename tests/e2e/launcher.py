"""The command line as a file to run: unlike `python -m`, it puts no working directory before what is installed."""

from conceptloom.cli import main

if __name__ == "__main__":
    main()
