# SPDX-License-Identifier: BSD-2-Clause-Patent
"""machine.py CONFIG FOLDER [PIECES]: sends a run as the payload does, to the server and with the token that CONFIG (default.cfg) names:
pieces first, then the files of the end. FOLDER has the files, and is named as the run. PIECES: it dies after so many.

For tests of the server's side. Statuses of the answers are its output; exit status 1: a file was refused."""
import http.client
import re
import sys
from pathlib import Path
from urllib.parse import urlsplit


def options(config):
    return dict(re.findall(r"^(\w+) = (.*)$", Path(config).read_text(encoding="utf-8"), re.M))


def put(out, token, name, data, method="PUT", headers=()):
    """The status of the answer."""
    url = urlsplit(out)
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
    try:
        connection.request(method, url.path + name, data, {"Authorization": f"Bearer {token}", **dict(headers)})
        return connection.getresponse().status
    finally:
        connection.close()


def main(config, folder, pieces=None):
    o, folder = options(config), Path(folder)
    files = sorted(folder.iterdir(), key=lambda p: (not re.search(r"\.\d{6}$", p.name), p.suffix == ".sha256", p.name))
    if pieces is not None:
        files = files[:int(pieces)]
    statuses = [put(o["out"], o["token"], f"{folder.name}/{p.name}", p.read_bytes()) for p in files]
    print(*statuses)
    return int(any(s not in (201, 204) for s in statuses))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
