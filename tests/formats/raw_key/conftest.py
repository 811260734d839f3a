"""The fixtures of the end-to-end tests."""
from e2e.conftest import *  # noqa: F401,F403
