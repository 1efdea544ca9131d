# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A Redfish service for tests: as much of DSP0266 and of the schema ComputerSystem as a power controller needs, with machines that are
processes.

  service = Service({"S1": start}, "user", "password"); with service: service.url

start(boot): a subprocess.Popen of the machine that is switched on; boot: {"target": "Pxe" or "UefiHttp" where it was to boot once from
there, else "Hdd"; "uri"}. A machine whose process has ended is off. `said` has the requests that changed something."""
import base64
import gzip
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ALLOWED = ("On", "ForceOff", "ForceRestart", "PowerCycle")
TARGETS = ("None", "Pxe", "Hdd", "UefiHttp")


class System:
    def __init__(self, start):
        self.start, self.process, self.once, self.uri, self.tag = start, None, "None", "", 1
        self.lock, self.allowed = threading.Lock(), ALLOWED

    @property
    def on(self):
        return self.process is not None and self.process.poll() is None

    def off(self):
        if self.on:
            self.process.terminate()
        if self.process is not None:
            self.process.wait()
        self.process = None

    def switch_on(self):
        boot = {"target": self.once if self.once != "None" else "Hdd", "uri": self.uri}
        self.once = "None"
        self.tag += 1
        self.process = self.start(boot)

    def reset(self, kind):
        if kind == "On" and self.on:
            return
        if kind != "On":
            self.off()
        if kind != "ForceOff":
            self.switch_on()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, code, body=None, **headers):
        data = b"" if body is None else json.dumps(body).encode()
        if "gzip" in self.server.quirks and data:
            data, headers = gzip.compress(data), headers | {"Content-Encoding": "gzip"}
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def error(self, code, message):
        self.answer(code, {"error": {"code": "Base.1.8.GeneralError", "message": "See @Message.ExtendedInfo", "@Message.ExtendedInfo": [
            {"MessageId": "Base.1.8.GeneralError", "Message": message}]}})

    def moved(self):
        """Whether the answer was a redirection."""
        if "elsewhere" in self.server.quirks:
            self.answer(302, Location="http://127.0.0.2/")
        elif "busy" in self.server.quirks:
            self.server.quirks.remove("busy")
            self.answer(503, **{"Retry-After": "0"})
        elif "slash" in self.server.quirks and self.command == "GET" and not self.path.endswith("/"):
            self.answer(308, Location=self.path + "/")
        else:
            self.path = self.path.rstrip("/")
            return False
        return True

    def system(self):
        """(its name, System, what stands after); None: answered already."""
        if self.headers.get("Authorization") != self.server.secret:
            self.error(401, "credentials are missing or wrong")
            return None
        m = re.fullmatch(r"/redfish/v1/Systems/([^/]+)(/.*)?", self.path)
        if m and m[1] in self.server.systems:
            return m[1], self.server.systems[m[1]], m[2] or ""
        self.error(404, f"there is no {self.path}")
        return None

    def body(self):
        return json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")

    def tag(self, s):
        return f"{s.tag}" if "etag-plain" in self.server.quirks else f'W/"{s.tag}"' if "etag-weak" in self.server.quirks else f'"{s.tag}"'

    def do_GET(self):
        quirks = self.server.quirks
        if self.moved():
            return None
        if self.path == "/redfish/v1/Systems" and self.headers.get("Authorization") == self.server.secret:
            members = [{"@odata.id": f"/redfish/v1/Systems/{name}"} for name in self.server.systems]
            return self.answer(200, {"Members": members, "Members@odata.count": len(members)})
        found = self.system()
        if not found:
            return None
        name, s, rest = found
        path = f"/redfish/v1/Systems/{name}"
        if rest == "/ResetActionInfo":
            return self.answer(200, {"Parameters": [{"Name": "ResetType", "AllowableValues": s.allowed}]})
        with s.lock:
            kinds = ({"@Redfish.ActionInfo": f"{path}/ResetActionInfo"} if "action-info" in quirks else
                     {"ResetType@Redfish.AllowableValues": s.allowed})
            more = {"@odata.etag": self.tag(s)} if "etag-in-body" in quirks else {}
            if "nulls" in quirks:
                more |= {"@Redfish.Settings": None}
                kinds["ResetType@Redfish.AllowableValues"] = None
            if "settings" in quirks:
                more["@Redfish.Settings"] = {"SettingsObject": {"@odata.id": f"{path}/SD"}}
            return self.answer(200, {
                "@odata.id": path, "@odata.type": "#ComputerSystem.v1_13_0.ComputerSystem", "Id": name, "SerialNumber": name,
                "PowerState": "On" if s.on else "Off",
                "Boot": {"BootSourceOverrideEnabled": "Disabled" if s.once == "None" else "Once", "BootSourceOverrideTarget": s.once,
                         "BootSourceOverrideTarget@Redfish.AllowableValues": None if "nulls" in quirks else TARGETS, "BootSourceOverrideMode": "Legacy" if "mode-legacy" in quirks else "UEFI", "HttpBootUri": s.uri},
                "Actions": {"#ComputerSystem.Reset": {"target": f"{path}/Actions/ComputerSystem.Reset",
                                                      **kinds}}} | more, **({} if "etag-in-body" in quirks else {"ETag": self.tag(s)}))

    def do_PATCH(self):
        found, body = self.system(), self.body()
        if not found:
            return None
        name, s, rest = found
        boot = body.get("Boot", {})
        with s.lock:
            if self.headers.get("If-Match") not in (f'"{s.tag}"', *([self.tag(s)] if "etag-plain" not in self.server.quirks else [])):
                return self.error(412 if "If-Match" in self.headers else 428, "the ETag is another one")
            if "mode-readonly" in self.server.quirks and "BootSourceOverrideMode" in boot:
                return self.error(400, "BootSourceOverrideMode is read-only")
            if "settings" in self.server.quirks and rest != "/SD":
                return self.error(405, "use the settings")
            if rest not in ("", "/SD") or boot.get("BootSourceOverrideTarget") not in TARGETS or boot.get("BootSourceOverrideEnabled") != "Once":
                return self.error(400, f"cannot set {body}")
            s.once, s.uri, s.tag = boot["BootSourceOverrideTarget"], boot.get("HttpBootUri", s.uri), s.tag + 1
            self.server.said.append(f"{name}: boot {s.once}")
        return self.answer(204)

    def do_POST(self):
        found, body = self.system(), self.body()
        if not found:
            return None
        name, s, rest = found
        if rest != "/Actions/ComputerSystem.Reset" or body.get("ResetType") not in s.allowed:
            return self.error(400, f"cannot do {rest} {body}")
        with s.lock:
            s.reset(body["ResetType"])
            self.server.said.append(f"{name}: {body['ResetType']}")
        return self.answer(204)


class Service:
    def __init__(self, machines, user, password):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.secret = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        self.server.systems = self.systems = {name: System(start) for name, start in machines.items()}
        self.server.said = self.said = []
        self.server.quirks = []
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        if self.server.socket.fileno() >= 0:
            self.server.shutdown()
            self.server.server_close()
        for s in self.systems.values():
            with s.lock:
                s.off()
