#!/usr/bin/env python3
"""Runs a command on a terminal of its own and prints what it wrote there.

usage: on_terminal.py COLUMNS[:SECONDS] COMMAND...

With SECONDS, Ctrl-C is typed after so long. Exit status: the command's.
"""
import fcntl
import os
import pty
import struct
import sys
import termios
import threading


def main():
    columns, _, seconds = sys.argv[1].partition(":")
    size = struct.pack("HHHH", 24, int(columns), 0, 0)
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, size)
        os.execv(sys.argv[2], sys.argv[2:])
    if seconds:
        threading.Timer(float(seconds), os.write, (terminal, b"\x03")).start()
    while True:
        try:
            sys.stdout.buffer.write(os.read(terminal, 65536))
        except OSError:  # the last one has closed it
            break
    sys.stdout.flush()
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


main()
