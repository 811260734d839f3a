#!/usr/bin/env python3
"""Runs a program on a terminal of its own and answers its questions.

usage: answer.py ANSWERS COMMAND...

ANSWERS is a file with one answer a line: each is typed when the program has asked (a colon, a
question mark or a bracket at the end of what it printed). What it prints goes to standard output.
"""
import os
import pty
import re
import sys
import termios
import time


def wait_for_hidden_input(terminal):
    """What is typed before a program has switched the echo off may be thrown away."""
    end = time.monotonic() + 10
    while termios.tcgetattr(terminal)[3] & termios.ECHO and time.monotonic() < end:
        time.sleep(0.005)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        answers = file.read().splitlines()
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(sys.argv[2], sys.argv[2:])
    unanswered = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # the program has closed its terminal
            break
        if not piece:
            break
        sys.stdout.buffer.write(piece)
        unanswered += piece
        if answers and re.search(rb"[:?)]\s*$", unanswered):
            if b"assphrase" in unanswered.splitlines()[-1]:
                wait_for_hidden_input(terminal)
            os.write(terminal, answers.pop(0).encode() + b"\n")
            unanswered = b""
    sys.stdout.flush()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


sys.exit(main())
