#!/usr/bin/env python3
"""report.html of a small run: well-formed, complete in itself, and opened by a browser where there is one.

usage: report_page.py TALUS

A headless Chromium (chromium, chromium-browser, google-chrome; or $TALUS_BROWSER) must show every image and say nothing on its
console. Without one, that part is skipped and said so: the page is then only parsed.
"""
import base64
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

TALUS = pathlib.Path(sys.argv.pop(1)).resolve()
XHTML, SVG = "{http://www.w3.org/1999/xhtml}", "{http://www.w3.org/2000/svg}"
SCENE = """
talus: 1
title: "balls & boxes <in a row>"
time: {step: 0.01, end: 0.3}
gravity: [0, 0, -9.81]
materials: {stone: {density: 1000}}
pairs: [{between: [stone, stone], friction: 0.5}]
bodies:
  - {name: floor, motion: fixed, material: stone, shape: {type: plane, normal: [0, 0, 1]}}
  - {name: ball, motion: dynamic, material: stone, shape: {type: sphere, diameter: 0.2}, position: [0, 0, 0.15]}
  - {name: box, motion: dynamic, material: stone, shape: {type: box, size: [0.2, 0.2, 0.2]}, position: [0.3, 0, 0.1]}
output: {log: {every: 0.01}}
"""
# Put at the end of a copy of the page: what the browser made of its images.
COUNT = """<script>addEventListener("load", () => { const all = [...document.images];
document.body.setAttribute("data-shown", all.filter(i => i.complete && i.naturalWidth > 0).length + " of " + all.length); });
</script></body>"""


def browser():
    names = [os.environ.get("TALUS_BROWSER"), "chromium", "chromium-browser", "google-chrome"]
    return next((found for found in map(shutil.which, filter(None, names)) if found), None)


class Links(html.parser.HTMLParser):
    """What a page refers to."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, _tag, attributes):
        self.found += [value for name, value in attributes if name in ("src", "href", "xlink:href", "data", "action")]


class ReportPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.place = pathlib.Path(cls.folder.name)
        (cls.place / "s.yaml").write_text(SCENE)
        for words in (["run", "s.yaml", "--output", "d", "--quiet"], ["plot", "d", "--report-only"]):
            subprocess.run([TALUS, *words], cwd=cls.place, check=True, capture_output=True)
        cls.page = (cls.place / "d" / "report.html").read_text(encoding="utf-8")
        cls.tree = xml.etree.ElementTree.fromstring(cls.page)  # fails where it is not well-formed

    def test_has_its_parts(self):
        self.assertEqual(self.tree.find(f".//{XHTML}h1").text, "balls & boxes <in a row>")
        self.assertGreaterEqual(len(list(self.tree.iter(f"{SVG}svg"))), 5)
        words = "".join(self.tree.itertext())
        for wanted in ("Error bar of the run", "Where the time went", "worst penetration", "0 of 30 steps above"):
            self.assertIn(wanted, words)

    def test_the_picture_is_a_png(self):
        image, = self.tree.iter(f"{XHTML}img")
        kind, data = image.get("src").split(",", 1)
        self.assertEqual(kind, "data:image/png;base64")
        self.assertEqual(base64.b64decode(data, validate=True)[:8], b"\x89PNG\r\n\x1a\n")

    def test_refers_to_nothing_else(self):
        links = Links()
        links.feed(self.page)
        self.assertTrue(links.found)
        self.assertEqual([link for link in links.found if not link.startswith("data:")], [])
        self.assertNotRegex(self.page, r"url\(|@import")
        names = re.findall(r"https?://[^\"< ]*", self.page)
        self.assertEqual(set(names), {XHTML[1:-1], SVG[1:-1]})  # namespaces are no addresses

    def test_curves_have_all_their_points_on_the_chart(self):
        for line in self.tree.iter(f"{SVG}polyline"):
            for point in line.get("points").split():
                x, y = map(float, point.split(","))
                self.assertTrue(60 <= x <= 590 and 40 <= y <= 245, point)

    @unittest.skipUnless(browser(), "no Chromium on this machine")
    def test_a_browser_shows_it(self):
        copy = self.place / "copy.html"
        copy.write_text(self.page.replace("</body>", COUNT), encoding="utf-8")
        done = subprocess.run([browser(), "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0",
                               f"--user-data-dir={self.place / 'profile'}", "--virtual-time-budget=5000", "--dump-dom",
                               copy.as_uri()], capture_output=True, text=True, timeout=120, check=True)
        self.assertIn('data-shown="1 of 1"', done.stdout)
        self.assertEqual([line for line in done.stderr.splitlines() if "CONSOLE" in line], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
