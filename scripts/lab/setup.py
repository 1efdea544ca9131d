# SPDX-License-Identifier: BSD-2-Clause-Patent
"""`assay-lab init`: makes the folder of a lab, with configuration of dnsmasq, nginx and systemd. Existing files are kept, so that a
lab can change them; --force overwrites all but the token and machines.conf."""
from __future__ import annotations

import ipaddress
import os
import re
import secrets
import shutil
import sys
from pathlib import Path

from . import known
from .folder import DEFAULTS, FOLDERS, LabError, machine_name, machines, write_atomically

_WORD = re.compile(r"[A-Za-z0-9._/+@-]+")

DNSMASQ = """\
# Written by assay-lab init; `dnsmasq --test -C {folder}/dnsmasq.conf` checks it. On Debian: a link to it in /etc/dnsmasq.d.
# Boots x86-64 UEFI by PXE and HTTP boot. The network's own DHCP server gives the addresses (proxy DHCP).
port=0
interface={interface}
bind-dynamic
dhcp-range={network},proxy,{mask}
leasefile-ro
log-dhcp

# PXE: architecture 7 (x86-64 UEFI; 9 with firmware that follows the errata of RFC 4578). The image and its files come by TFTP.
enable-tftp
tftp-root={folder}/boot
pxe-service=x86-64_EFI,"Assay",assay.efi,{address}
pxe-service=BC_EFI,"Assay",assay.efi,{address}

# A file for each machine of machines.conf with its addresses (mac =). dnsmasq reads a file that changes by itself, and the newest line
# counts: assay-lab tags a machine whose run is filed, until `assay-lab run` or `offer`.
dhcp-ignore=tag:filed
dhcp-hostsdir={folder}/known
{known}
# UEFI HTTP boot: architecture 16. Its firmware accepts only answers for HTTPClient.
dhcp-pxe-vendor=PXEClient,HTTPClient
dhcp-match=set:http,option:client-arch,16
dhcp-boot=tag:http,"{url}boot/assay.efi",,{address}

# IPv6 has no proxy DHCP. For a network without a DHCPv6 server: addresses, PXE and HTTP boot (architecture 16), with this server's address
# in place of 2001:db8::10, here and in nginx.conf. Firmware recognizes HTTP boot by HTTPClient at byte 6 of option 16; EF and its length
# fill the enterprise number, which dnsmasq does not write.
#enable-ra
#dhcp-range=2001:db8::100,2001:db8::1ff,64,1h
#dhcp-match=set:http6,option6:61,16
#dhcp-option-force=tag:http6,option6:16,EF,HTTPClient
#dhcp-option=tag:http6,option6:bootfile-url,{url6}boot/assay.efi
#dhcp-option=tag:!http6,option6:bootfile-url,tftp://[2001:db8::10]/assay.efi
"""

NGINX = """\
# Written by assay-lab init, for the block http of nginx. On Debian: a link to it in /etc/nginx/conf.d; `nginx -t` checks it.
# The inbox accepts each file of a run once, complete and with the token; it cannot be listed, read or changed.
server {{
    listen {listen};
    #listen [2001:db8::10]:{listen6};
{tls}    server_name _;
    server_tokens off;
    autoindex off;
    root {folder}/www;

    location = / {{ return 302 /www/; }}
    location /www/ {{ {readers} alias {folder}/www/; limit_except GET {{ deny all; }} }}
    # A filed run's page.html is made of its stream; what a machine sent as report.html or report.txt is never shown as a page.
    location /reports/ {{
        {readers} root {folder}; limit_except GET {{ deny all; }}
        add_header Content-Security-Policy "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";
        add_header X-Content-Type-Options nosniff;
        location ~ "/report\\.(?:html|txt)$" {{
            default_type application/octet-stream;
            types {{ }}
            add_header Content-Disposition attachment;
            add_header X-Content-Type-Options nosniff;
        }}
    }}
    location /boot/ {{ alias {folder}/boot/; limit_except GET {{ deny all; }} }}

    # A run is a folder of the inbox: SERIAL-TIME.
    location ~ "^/inbox/[A-Za-z0-9_][A-Za-z0-9-]{{0,90}}/report\\.(?:jsonl(?:\\.[0-9]{{6}})?|txt|figures|html|sha256)$" {{
        if ($http_authorization != "Bearer {token}") {{ return 401; }}
        if ($request_method != PUT) {{ return 405; }}
        if (-f {folder}/state/full) {{ return 507; }}
        if (-e {folder}$uri) {{ return 409; }}
        root {folder};
        dav_methods PUT;
        create_full_put_path on;
        dav_access user:rw group:rw;
        client_body_temp_path {folder}/upload;
        client_max_body_size {most};
        client_body_timeout 30s;
    }}
    location /inbox/ {{ return 403; }}
}}
"""

STANDALONE = """\
# Written by assay-lab init: a whole nginx for the lab alone, `nginx -p {folder} -c {folder}/nginx-alone.conf`.
user {user};
pid {folder}/state/nginx.pid;
error_log {folder}/state/nginx.error.log;
events {{ worker_connections 1024; }}
http {{
    types {{ text/html html; text/plain txt figures; application/json jsonl json; application/efi efi; }}
    default_type application/octet-stream;
    access_log {folder}/state/nginx.access.log;
    client_body_temp_path {folder}/upload;
    proxy_temp_path {folder}/upload/proxy;
    fastcgi_temp_path {folder}/upload/fastcgi;
    uwsgi_temp_path {folder}/upload/uwsgi;
    scgi_temp_path {folder}/upload/scgi;
    include {folder}/nginx.conf;
}}
"""

UNIT = """\
# Written by assay-lab init. systemctl link {folder}/assay-lab.service; systemctl enable --now assay-lab
[Unit]
Description=Assay: reports of the lab's machines
After=network.target

[Service]
ExecStart={program} watch {folder}
User={user}
UMask=0007
Restart=on-failure
NoNewPrivileges=yes
ProtectSystem=strict
ReadWritePaths={folder}
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectControlGroups=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6

[Install]
WantedBy=multi-user.target
"""

CONFIG = """\
# Written by assay-lab init: options of machines that boot from this server without a file of their own in this folder
# (SERIAL.cfg, MAC.cfg, MODEL.cfg). Anyone who can boot from this network can read the token.
{upload}exit = reboot
"""

LAB = """\
# Options of the lab. Lines with # show the defaults.
url = {url}
address = {address}

# Seconds between passes over the inbox. A run that received nothing for dead-after seconds is given up.
#every = 5
#dead-after = 3600
# Uploads are refused (507) while less than free-least is free; a run larger than run-most goes into quarantine.
#free-least = 1G
#run-most = 256M

# first-pass: later runs are compared with the machine's first PASS; none: only with the choice of `assay-lab baseline`.
#baseline = first-pass
# A program that is called with a verdict or QUARANTINE, the machine and the folder.
#hook =
# A program that validates each stream, as scripts/validate-report of a source tree.
#validate =
# Findings that the lab has accepted, a file of waivers in this folder (report.md): shown as waived, and no FAIL.
#waivers =
# Each measured figure in prometheus/MACHINE.prom: yes or no.
#prometheus-figures = no

# assay-lab run: concurrent machines, seconds until a machine without a complete report is ERROR, pxe or http.
#at-once = 4
#timeout = 14400
#boot = pxe
"""

MACHINES = """\
# How `assay-lab run` switches machines: a section for each, named by its serial number; [DEFAULT] applies to all.
#[DEFAULT]
#method = redfish             # or ipmi (ipmitool, lanplus)
#user = assay
#password-file = /etc/assay/bmc.password      # the first line; or password-env = VARIABLE
#ca = /etc/assay/bmc-ca.pem   # authority of the BMCs' certificates; insecure = yes checks none
#
#[SN0001]
#bmc = https://192.0.2.101    # ipmi: an address; cipher = 3 for a BMC without suite 17
#system = /redfish/v1/Systems/1               # if the BMC has several
#mac = 52:54:00:12:34:56      # of each port that boots from the network: dnsmasq offers Assay to these alone (assay-lab init DIR again)
#boot = http                  # pxe or http
"""

KNOWN = """\
# Machines of machines.conf alone (mac =): another one that boots from this network gets no answer. init --anyone answers all.
dhcp-ignore=tag:!known
"""

def _upload_options(url, token):
    return f"out = {url}inbox/\ntoken = {token}\n"


def _network(address):
    """"192.0.2.10/24": (address, network, mask); LabError."""
    try:
        i = ipaddress.IPv4Interface(address)
    except ValueError as e:
        raise LabError(f"--address {address}: {e}; as 192.0.2.10/24") from None
    if i.network.prefixlen == 32:
        raise LabError(f"--address {address}: the prefix length is missing, as in {address}/24")
    return str(i.ip), str(i.network.network_address), str(i.netmask)


def _readers(networks):
    for n in networks:
        try:
            ipaddress.ip_network(n)
        except ValueError as e:
            raise LabError(f"--readers {n}: {e}") from None
    return " ".join(f"allow {n};" for n in networks) + " deny all;"


def _values(args, folder, token):
    address, network, mask = _network(args.address)
    for what, word in (("the folder", str(folder)), ("--interface", args.interface), ("--user", args.user), *(("--tls", w) for w in args.tls or ())):
        if not _WORD.fullmatch(word):
            raise LabError(f"{what} {word}: only letters, digits and ._/+@- are allowed")
    if not 0 < args.port < 65536:
        raise LabError(f"--port {args.port}: not a port")
    usual = 443 if args.tls else 80
    url = f"http{'s' if args.tls else ''}://{args.name or address}{'' if args.port == usual else f':{args.port}'}/"
    if not re.fullmatch(r"https?://[A-Za-z0-9.-]+(:\d+)?/", url):
        raise LabError(f"--name {args.name}: not a host name")
    url6 = url if args.tls and args.name else f"http{'s' if args.tls else ''}://[2001:db8::10]{'' if args.port == usual else f':{args.port}'}/"
    tls = f"    ssl_certificate {args.tls[0]};\n    ssl_certificate_key {args.tls[1]};\n" if args.tls else ""
    return {"folder": folder, "address": address, "network": network, "mask": mask, "interface": args.interface, "url": url, "url6": url6,
            "token": token, "listen": f"{address}:{args.port}{' ssl' if args.tls else ''}", "listen6": f"{args.port}{' ssl' if args.tls else ''}",
            "tls": tls, "readers": _readers(["127.0.0.1", address, *args.readers]),
            "most": DEFAULTS["run-most"].lower(), "user": args.user, "program": Path(sys.argv[0]).resolve(),
            "upload": _upload_options(url, token), "known": "" if args.anyone else KNOWN}


def _own(path, user):
    """Gives a file to the user of nginx and the watcher, if this process may."""
    if os.geteuid() == 0:
        try:
            shutil.chown(path, user, user)
        except LookupError:
            raise LabError(f"--user {user}: no such user") from None


def init(args, say):
    """Writes the missing files. `say` is called with a line for each file."""
    folder = Path(args.folder).absolute()
    token_path = folder / "token"
    for name in FOLDERS:
        (folder / name).mkdir(parents=True, exist_ok=True)
    if not token_path.exists():
        write_atomically(token_path, secrets.token_hex(24) + "\n", 0o600)
    token = token_path.read_text(encoding="ascii").strip()
    if not re.fullmatch(r"[A-Za-z0-9._~+/-]{16,128}=*", token):
        raise LabError(f"{token_path}: not a token of 16 to 128 characters that a header allows (RFC 6750, 2.1)")
    values = _values(args, folder, token)
    for name, form, mode in (("lab.conf", LAB, 0o644), ("machines.conf", MACHINES, 0o640), ("dnsmasq.conf", DNSMASQ, 0o644),
                             ("nginx.conf", NGINX, 0o640), ("nginx-alone.conf", STANDALONE, 0o644), ("assay-lab.service", UNIT, 0o644),
                             ("boot/assay/default.cfg", CONFIG, 0o644)):
        if (folder / name).exists() and (not args.force or form is MACHINES):
            say(f"{folder / name}: exists, kept")
            continue
        write_atomically(folder / name, form.format(**values), mode)
        say(f"{folder / name}: written")
    known.init(folder)
    silent = [serial for serial, _ in machines(folder) if not (folder / "known" / machine_name(serial)).exists()]
    if not args.anyone and (silent or not any((folder / "known").iterdir())):
        say(f"{folder / 'machines.conf'}: {', '.join(silent) or 'no machine'}: dnsmasq answers known addresses alone: write the mac = of each machine that "
            "boots from this network, then init again")
    for name in FOLDERS[1:]:
        (folder / name).chmod(0o770 if name in ("inbox", "upload", "judging") else 0o775)
        _own(folder / name, args.user)
    if args.image:
        shutil.copyfile(args.image, folder / "boot" / "assay.efi")
        say(f"{folder / 'boot/assay.efi'}: {args.image}")
    elif not (folder / "boot" / "assay.efi").exists():
        say(f"{folder / 'boot/assay.efi'}: missing: copy the application to it (--image)")
