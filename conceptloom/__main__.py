"""`python -m conceptloom`."""

from conceptloom.cli import main

if __name__ == "__main__":
    main()
