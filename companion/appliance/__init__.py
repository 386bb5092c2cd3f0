"""A machine that is nothing but the table: installing it, its hotspot, new releases and the way back.

Standard library only: `install.sh` runs this before anything is installed.
"""
