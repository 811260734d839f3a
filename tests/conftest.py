"""What all Python tests share: see support/tap.py."""
pytest_plugins = ["support.tap"]
