# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Network namespaces for tests: hosts of a network that nothing outside of them sees."""
import os
import subprocess
import unittest


class Spaces:
    """ip(NAME, ...) and run(NAME, ...) act in the namespace NAME, which is made when it is first named. Until close()."""

    def __init__(self):
        self.names = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for name in self.names.values():
            subprocess.run(["ip", "netns", "del", name], capture_output=True, timeout=60, check=False)

    def space(self, name):
        if name not in self.names:
            self.names[name] = f"assay{os.getpid()}{name}"
            made = subprocess.run(["ip", "netns", "add", self.names[name]], capture_output=True, text=True, timeout=60, check=False)
            if made.returncode:
                raise unittest.SkipTest(f"no network namespaces: {made.stderr.strip()}")
            self.ip(name, "link", "set", "lo", "up")
        return self.names[name]

    def ip(self, name, *words):
        done = subprocess.run(["ip", "-n", self.space(name), *words], capture_output=True, text=True, timeout=60, check=False)
        if done.returncode:
            raise unittest.SkipTest(f"ip {' '.join(words)}: {done.stderr.strip()}")

    def cable(self, name, link, other, peer):
        """A cable between two namespaces; both its ends are up."""
        self.ip(name, "link", "add", link, "type", "veth", "peer", "name", peer, "netns", self.space(other))
        self.ip(name, "link", "set", link, "up")
        self.ip(other, "link", "set", peer, "up")

    def command(self, name, *words):
        return ["ip", "netns", "exec", self.space(name), *map(str, words)]
