# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What the steps of scripts/lint and scripts/measure-house read of a tree: its files, functions, includes, comments.

The functions are found by layout: clang-format puts a definition's first line, its opening and its closing brace at the
first column, and no blank line stands before the body; nothing else looks like that. What is in a comment or a string is
blanked first.
"""
import os
import re
import subprocess
import sys
from collections import namedtuple

Function = namedtuple("Function", "name path line lines parameters static")
Include = namedtuple("Include", "path line target")

BLANK = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|(//[^\n]*|/\*.*?\*/)', re.S)
DEFINITION = re.compile(r"^(?!typedef\b)(?:__attribute__\(\([^\n]*?\)\)\) )?(?P<type>[A-Za-z_][\w \t*]*?[ \t*])?"
                        r"(?P<name>(?!__attribute__)[A-Za-z_]\w*)[ \t]*"
                        r"\((?P<parameters>(?:(?!\n\n)[^;{}])*?)\)[^;{}()=]*\n\{\n(?P<body>.*?)^\}", re.M | re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.M)


def files(root=".", *patterns):
    """Paths that git has in this tree, matched as git ls-files does; every file where the tree is no repository."""
    run = subprocess.run(["git", "-C", root, "ls-files", "-z", "--", *patterns], capture_output=True, check=True)
    return sorted(p for p in run.stdout.decode().split("\0") if p and os.path.isfile(os.path.join(root, p)))


def text(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as f:
        return f.read()


def line_of(source, offset):
    return source.count("\n", 0, offset) + 1


def blanked(source):
    """The same with every comment and string as spaces, line by line as long."""
    return BLANK.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), source)


def functions(root, paths):
    for path in paths:
        source = blanked(text(root, path))
        for m in DEFINITION.finditer(source):
            name = m["name"]
            parameters = m["parameters"].strip()
            if name in ("Test", "ParameterizedTest", "TestSuite"):  # Criterion: the arguments are the name
                name, parameters = re.sub(r"\s*,\s*", ".", parameters), ""
            count = 0 if parameters in ("", "void") else parameters.count(",") + 1
            yield Function(name, path, line_of(source, m.start()), m.group().count("\n") + 1, count,
                           (m["type"] or "").startswith("static"))


def comments(root, path):
    """(line, text) of each comment of a C source."""
    source = text(root, path)
    for m in COMMENT.finditer(source):
        if m[1]:
            yield line_of(source, m.start()), m[1]


def includes(root, paths):
    for path in paths:
        source = text(root, path)
        for m in INCLUDE.finditer(source):
            yield Include(path, line_of(source, m.start()), m[1])


def folder(path):
    return path.rsplit("/", 1)[0] if "/" in path else ""


def module(path):
    """foo.c, foo.h and foo_internal.h (what foo.c shares with foo_more.c) are one."""
    return re.sub(r"(_internal)?\.[chS]$", "", path)


def modules(root, paths):
    """{module: set of the modules that it includes}, of those in `paths`."""
    there = {module(p) for p in paths}
    graph = {m: set() for m in there}
    for i in includes(root, paths):
        if i.target.endswith(".h") and module(i.target) in there and module(i.target) != module(i.path):
            graph[module(i.path)].add(module(i.target))
    return graph


def headers(root, paths):
    """{header: set of the headers that it includes}, of those in `paths`."""
    graph = {p: set() for p in paths if p.endswith(".h")}
    for i in includes(root, graph):
        if i.target in graph:
            graph[i.path].add(i.target)
    return graph


def tangles(graph):
    """The strongly connected parts of more than one node, the largest first: each node reaches each other one."""
    def reach(start):
        seen, todo = set(), list(graph[start])
        while todo:
            n = todo.pop()
            if n not in seen:
                seen.add(n)
                todo.extend(graph[n])
        return seen
    reached = {n: reach(n) for n in graph}
    parts = {frozenset(m for m in reached[n] if n in reached[m]) for n in graph if n in reached[n]}
    return sorted((sorted(p) for p in parts), key=lambda p: (-len(p), p))


def shortest_cycle(graph, nodes):
    """A shortest way from one of the nodes back to itself: [a, b, c, a]."""
    best = []
    for start in nodes:
        ways, seen = [[start]], {start}
        while ways and (not best or len(ways[0]) < len(best)):
            way = ways.pop(0)
            for n in sorted(graph[way[-1]]):
                if n == start:
                    best = way + [n]
                    ways = []
                    break
                if n not in seen:
                    seen.add(n)
                    ways.append(way + [n])
    return best


def defined_twice(functions_of_tree):
    """{name: the files that define it}, of names that more than one file defines."""
    where = {}
    for f in functions_of_tree:
        where.setdefault(f.name, set()).add(f.path)
    return {name: sorted(paths) for name, paths in where.items() if len(paths) > 1}


def end(findings):
    """Prints the findings; the step's exit status."""
    for f in findings:
        print(f)
    sys.exit(1 if findings else 0)
