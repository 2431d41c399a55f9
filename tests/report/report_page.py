#!/usr/bin/env python3
"""report.html of a small run: well-formed, complete in itself, and with --browser opened by one.

usage: report_page.py TALUS [--browser]

With --browser: a headless Chromium (chromium, chromium-browser, google-chrome; or $TALUS_BROWSER) must show every image and
every chart in its width, and say nothing on its console. Where there is none that is said, and the exit code is 77.
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

IN_BROWSER = "--browser" in sys.argv[1:]
TALUS = pathlib.Path(sys.argv[1]).resolve()
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
# Put at the end of a copy of the page: what the browser made of its images and charts, and whether it must scroll sideways.
COUNT = """<script>addEventListener("load", () => {
const told = (name, all, good) => document.body.setAttribute(name, all.filter(good).length + " of " + all.length);
told("data-shown", [...document.images], i => i.complete && i.naturalWidth > 0);
told("data-charts", [...document.querySelectorAll("svg")], c => c.getBoundingClientRect().width > 300);
document.body.setAttribute("data-wider", document.documentElement.scrollWidth > innerWidth); });
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
        subprocess.run([TALUS, "run", "s.yaml", "--output", "d", "--quiet"], cwd=cls.place, check=True, capture_output=True)
        cls.page = (cls.place / "d" / "report.html").read_text(encoding="utf-8")
        cls.tree = xml.etree.ElementTree.fromstring(cls.page)  # fails where it is not well-formed

    def test_has_its_parts(self):
        self.assertEqual(self.tree.find(f".//{XHTML}h1").text, "balls & boxes <in a row>")
        self.assertGreaterEqual(len(list(self.tree.iter(f"{SVG}svg"))), 5)
        words = "".join(self.tree.itertext())
        for wanted in ("Error bar of the run", "Where the time went", "worst penetration", "0 of 30 steps above", "The scene",
                       "3: 2 dynamic, 1 fixed; 1 box, 1 plane, 1 sphere", "output"):
            self.assertIn(wanted, words)

    def test_talus_plot_makes_the_same_page(self):
        subprocess.run([TALUS, "plot", "d", "--report-only"], cwd=self.place, check=True, capture_output=True)
        self.assertEqual((self.place / "d" / "report.html").read_text(encoding="utf-8"), self.page)

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

    @unittest.skipUnless(IN_BROWSER, "without --browser")
    def test_a_browser_shows_it(self):
        copy = self.place / "copy.html"
        copy.write_text(self.page.replace("</body>", COUNT), encoding="utf-8")
        done = subprocess.run([browser(), "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0",
                               "--window-size=1280,900", f"--user-data-dir={self.place / 'profile'}",
                               "--virtual-time-budget=5000", "--dump-dom", copy.as_uri()],
                              capture_output=True, text=True, timeout=120, check=True)
        charts = len(list(self.tree.iter(f"{SVG}svg")))
        for told in ('data-shown="1 of 1"', f'data-charts="{charts} of {charts}"', 'data-wider="false"'):
            self.assertIn(told, done.stdout)
        self.assertEqual([line for line in done.stderr.splitlines() if "CONSOLE" in line], [])


if __name__ == "__main__":
    if IN_BROWSER and browser() is None:
        print("skipped: no Chromium on this machine (apt-get install chromium, or name one in TALUS_BROWSER)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
