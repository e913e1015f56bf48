# SPDX-License-Identifier: BSD-2-Clause
"""report.py EXACTNCC DATA CHROMIUM [PICTURE.png]: uses reports of `exactncc find` in a browser, as a reader would. Needs playwright.
With PICTURE.png it only writes the picture of a report that docs/ shows."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from playwright.sync_api import sync_playwright

TOOL, DATA, CHROMIUM = sys.argv[1:4]
MANY = 10000
READY_MS = 4000  # a page with MANY matches can be used after this time, on a slow machine that does other work, too
ANSWER_MS = 2000  # and answers a click
problems = []
checks = 0


def check(condition, text):
    global checks
    checks += 1
    if not condition:
        problems.append(text)
        print("FAIL", text)


def find(folder, name, *words):
    """Writes a report and returns its address."""
    subprocess.run([TOOL, "find", "--quiet", "--device", "cpu", "--report", name, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return (folder / name).as_uri()


class Visit:
    """A page in a browser that reports whatever goes wrong in it."""

    def __init__(self, browser, address, **context):
        self.context = browser.new_context(viewport={"width": 1280, "height": 900}, **context)
        self.page = self.context.new_page()
        for event in ("pageerror", "dialog", "crash"):
            self.page.on(event, lambda what, event=event: check(False, f"{address}: {event}: {what}"))
        self.page.on("console", lambda m: check(m.type not in ("error", "warning"), f"{address}: console: {m.text}"))
        self.page.on("request", lambda r: check(r.url == address or r.url.startswith("data:"), f"{address}: loads {r.url}"))
        self.page.goto(address)
        if context.get("java_script_enabled", True):
            self.page.wait_for_function("document.documentElement.dataset.ready")

    def __enter__(self):
        return self.page

    def __exit__(self, *unused):
        self.context.close()


def column(page, index):
    return page.eval_on_selector_all("#matches tbody tr", f"rows => rows.map(r => r.cells[{index}].textContent)")


def head(page, name):
    return page.locator(f"#matches th[data-key='{name}']")


def milliseconds(page, script):
    """How long the script takes until the next frame is on the screen."""
    return page.evaluate(f"async () => {{ const start = performance.now(); {script}; "
                         "await new Promise(r => requestAnimationFrame(() => setTimeout(r))); return performance.now() - start; }")


def check_sorting(page):
    where = [th.text_content() for th in page.locator("#matches th").all()].index("score")
    numbers = [float(v) for v in column(page, where)]
    for turned in (True, False):
        head(page, "score").get_by_role("button").click()
        check([float(v) for v in column(page, where)] == sorted(numbers, reverse=turned), f"sorted by score, turned {turned}")
        check(head(page, "score").get_attribute("aria-sort") == ("descending" if turned else "ascending"), "the head says how it is sorted")
    check("Sorted by score" in page.locator("#status").text_content(), "a screen reader hears of the sorting")
    head(page, "template").get_by_role("button").click()
    names = column(page, 1)
    check(names == sorted(names) and len(set(names)) == 2, "sorted by template")
    head(page, "#").get_by_role("button").click()
    check(column(page, 0) == [str(i + 1) for i in range(len(numbers))], "sorted by number")


def check_zoom(page):
    width = lambda: page.locator("#viewer .layer").bounding_box()["width"]
    fitting = width()
    page.get_by_role("button", name="Zoom in").click()
    check(abs(width() / fitting - 1.5) < 0.01, "zoomed in")
    page.get_by_role("button", name="Zoom out").click()
    check(abs(width() - fitting) < 1, "zoomed out")
    page.get_by_role("button", name="One screen pixel per pixel").click()
    check(abs(width() - 400) < 1 and page.locator("#zoom").text_content() == "100 %", "one to one")
    stage = page.locator("#viewer .stage")
    stage.focus()
    page.keyboard.press("+")
    check(abs(width() - 600) < 1, "zoomed by the keyboard")
    page.keyboard.press("0")
    check(abs(width() - fitting) < 1, "fitted by the keyboard")
    for _ in range(6):
        page.keyboard.press("+")
    before = stage.evaluate("e => e.scrollLeft")
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(400)
    check(stage.evaluate("e => e.scrollLeft") > before, "scrolled by the keyboard")
    page.keyboard.press("0")
    box = stage.bounding_box()
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    page.wait_for_timeout(100)
    check(width() > 2 * fitting, "zoomed by the wheel")
    page.keyboard.press("0")


def frames(page):
    """Number of frames that are shown, per template."""
    return page.evaluate("[...document.querySelectorAll('#viewer g[data-t]')].map(g => g.querySelector('path').getAttribute('d').split('z').length - 1)")


def check_toggles(page):
    check(frames(page) == [18, 18], f"all frames: {frames(page)}")
    boxes = page.locator("#toggles input")
    boxes.nth(0).focus()
    page.keyboard.press("Space")
    check(frames(page) == [0, 18] and set(column(page, 1)) == {"board-fiducial.tif"}, "one template is hidden")
    check("18 of 36" in page.locator("#matches caption").text_content(), "the table says so")
    boxes.nth(1).uncheck()
    check(frames(page) == [0, 0] and not column(page, 0), "both are hidden")
    boxes.nth(0).check()
    boxes.nth(1).check()
    check(frames(page) == [18, 18] and len(column(page, 0)) == 36, "both are back")
    page.locator("#limit").focus()
    page.keyboard.press("End")
    check(sum(frames(page)) == 1 and len(column(page, 0)) == 1, "only the best score is left")
    page.keyboard.press("Home")
    check(sum(frames(page)) == 36, "all scores are back")
    bars = page.eval_on_selector_all("#histogram rect title", "titles => titles.map(t => Number(t.textContent.split(': ')[1]))")
    check(sum(bars) == 36 and len(bars) == 40, "the histogram counts every match")


CROP = """async n => {
  const row = document.querySelectorAll('#matches tbody tr')[n], image = document.querySelector('#viewer img');
  await image.decode();
  const [x, y, size] = [2, 3, 4].map(i => Number(row.cells[i].textContent)), want = document.createElement('canvas');
  want.width = want.height = CANVAS_SIZE;
  const context = want.getContext('2d');
  context.imageSmoothingEnabled = CANVAS_SIZE < size;
  context.drawImage(image, x, y, size, size, 0, 0, CANVAS_SIZE, CANVAS_SIZE);
  const bytes = c => c.getContext('2d').getImageData(0, 0, CANVAS_SIZE, CANVAS_SIZE).data.join();
  const [crop, templ] = document.querySelectorAll(CANVASES(n));
  return [bytes(crop) === bytes(want), new Set(bytes(templ).split(',')).size > 20];
}"""


def check_selection(page):
    page.get_by_role("button", name="Show match 5", exact=True).press("Enter")
    page.wait_for_timeout(200)
    check(page.locator("#detail h2").text_content() == "Match 5", "a row is selected by the keyboard")
    check(page.locator("#viewer .selected").get_attribute("d").startswith("M215 127"), "and marked in the picture")
    script = CROP.replace("CANVAS_SIZE", "168").replace("CANVASES(n)", "'#detail canvas'")
    check(page.evaluate(script, 4) == [True, True], "its pixels are beside the template")
    page.locator("#matches tbody tr").nth(2).scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    script = CROP.replace("CANVAS_SIZE", "48").replace("CANVASES(n)", "`#matches tbody tr:nth-child(${n + 1}) canvas`")
    check(page.evaluate(script, 2) == [True, True], "and in the row")
    page.locator("#viewer .stage").focus()
    page.keyboard.press("n")
    check(page.locator("#detail h2").text_content() == "Match 6", "the next match")
    page.keyboard.press("0")
    box = page.locator("#viewer .layer").bounding_box()
    page.mouse.click(box["x"] + box["width"] * (134 + 12) / 400, box["y"] + box["height"] * (106 + 12) / 320)
    check(page.locator("#detail h2").text_content() == "Match 1", "a match is selected by a click")


CONTRAST = """() => {
  const light = c => { const v = c.match(/[0-9.]+/g).map(Number).slice(0, 3).map(x => x / 255)
    .map(x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4); return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; };
  const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
    if (!/, 0\\)$|transparent/.test(c)) return c; } return 'rgb(255, 255, 255)'; };
  return Math.min(...[...document.querySelectorAll('h1, h2, dt, dd, label, button:enabled, caption, td, th, figcaption, .count, p')]
    .filter(e => e.checkVisibility()).map(e => { const a = light(getComputedStyle(e).color), b = light(ground(e));
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); }));
}"""


def check_themes(browser, address):
    grounds = []
    for scheme in ("light", "dark"):
        with Visit(browser, address, color_scheme=scheme) as page:
            grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
            check(page.evaluate(CONTRAST) >= 4.5, f"contrast of text, {scheme}: {page.evaluate(CONTRAST):.2f}")
            for text in ("Theme: dark", "Theme: light"):
                page.locator("#theme").click()
                check(page.locator("#theme").text_content() == text, f"the button says {text}")
            grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    check(grounds[0] != grounds[2] and grounds[0] == grounds[1] == grounds[3], f"themes: {grounds}")


def check_one(browser, folder):
    address = find(folder, "one.html", "--top", "18", "cells.tif", "-t", "cells-template.tif", "-t", "board-fiducial.tif")
    with Visit(browser, address) as page:
        check(page.title() == "exactncc report", "the title")
        check("36 matches in 1 picture for 2 templates" in page.locator("#summary").text_content(), "the summary")
        unnamed = page.evaluate("[...document.querySelectorAll('button, input, select')].filter(e => e.checkVisibility() && !(e.ariaLabel"
                                " || e.textContent.trim() || e.labels?.length)).length")
        check(unnamed == 0, f"{unnamed} controls without a name")
        check_sorting(page)
        check_zoom(page)
        check_toggles(page)
        check_selection(page)
    check_themes(browser, address)
    with Visit(browser, address, java_script_enabled=False) as page:
        check(page.locator(".scene img").is_visible() and page.locator(".scene td").first.is_visible(), "without a script everything is there")
    with Visit(browser, find(folder, "reduced.html", "--report-side", "100", "--top", "18", "cells.tif", "cells-template.tif")) as page:
        page.get_by_role("button", name="Show match 1", exact=True).click()
        page.wait_for_timeout(200)
        drawn = page.evaluate("new Set(document.querySelector('#detail canvas').getContext('2d').getImageData(0, 0, 168, 168).data).size")
        check(drawn > 50, f"the crop of a reduced picture has its own pixels: {drawn} values")
    with Visit(browser, find(folder, "none.html", "--min-score", "1", "cells.tif", "board-fiducial.tif")) as page:
        check("0 matches" in page.locator("#summary").text_content(), "a report without matches")
    with Visit(browser, find(folder, "small.html", "--method", "sqdiff", "--top", "9", "cells.tif", "cells-template.tif")) as page:
        page.locator("#limit").focus()
        page.keyboard.press("Home")
        check(len(column(page, 0)) == 1, "small scores are good: the smallest is left")


def check_pages(browser, folder, pages):
    with Visit(browser, find(folder, "pages.html", "--page", "all", "--top", "4", str(pages), "cells-template.tif")) as page:
        check("12 matches in 3 pictures" in page.locator("#summary").text_content(), "pages are pictures")
        check(column(page, 2) == ["0"] * 4 + ["1"] * 4 + ["3"] * 4, "the table has a column for the page")
        page.get_by_role("button", name="Next image").click()
        check(page.locator("#scene").evaluate("e => e.selectedIndex") == 1 and "320 x 240" in page.locator("#scene-about").text_content(), "the next image")
        page.get_by_role("button", name="Show match 9", exact=True).click()
        check(page.locator("#scene").evaluate("e => e.selectedIndex") == 2, "a match brings its image")
        head(page, "page").get_by_role("button").click()
        head(page, "page").get_by_role("button").click()
        check(column(page, 2)[0] == "3", "sorted by page")


def check_images(browser, folder):
    """Several images, of which two cannot be read."""
    words = ["--top", "2", "-t", "cells-template.tif", "cells.tif", "missing<b>.tif", "stars.tif", "truth.csv"]
    (folder / "truth.csv").write_text("x")
    done = subprocess.run([TOOL, "find", "--quiet", "--device", "cpu", "--report", "images.html", *words], cwd=folder, capture_output=True, text=True)
    check(done.returncode == 1, f"an image is missing: status {done.returncode}")
    with Visit(browser, (folder / "images.html").as_uri()) as page:
        check("4 matches in 2 pictures for 1 template; 2 could not be searched" in page.locator("#summary").text_content(), "the summary of images")
        check(page.locator("#failures bdi").all_text_contents() == ["missing<b>.tif", "truth.csv"], "what could not be searched is named")
        check(all(reason in done.stderr for reason in page.locator("#failures p").all_text_contents()), "with the reason")
        head(page, "image").get_by_role("button").click()
        head(page, "image").get_by_role("button").click()
        check(column(page, 1) == ["stars.tif"] * 2 + ["cells.tif"] * 2, "sorted by image")
        page.get_by_role("button", name="Show match 3", exact=True).click()
        check(page.locator("#scene option:checked").text_content() == "stars.tif", "a match brings its image")


def check_hostile(browser, folder):
    name = "\"><img src=x onerror=alert(1)><script>alert(2)<&amp;'`{} --> ]]>\u202e.tif"
    templ = "</bdi><h1>t.tif"
    templ = templ.replace("/", "\\")
    shutil.copy(folder / "cells.tif", folder / name)
    shutil.copy(folder / "cells-template.tif", folder / templ)
    with Visit(browser, find(folder, "hostile.html", "--top", "3", name, "-t", templ, "-t", "cells-template.tif")) as page:
        check(page.locator("h1").count() == 1 and page.locator("script").count() == 1, "no element comes from a name")
        check(column(page, 1)[0] == templ, "the template's name is text")
        page.get_by_role("button", name="Show match 1", exact=True).click()
        facts = page.locator("#detail dd").all_text_contents()
        check(facts[:2] == [name, templ], f"names in the details: {facts[:2]}")
        check(page.locator("#toggles bdi").first.text_content() == templ, "and beside its box")
        check(page.locator("#scenes, .stage img").count() and page.locator("img[src='x']").count() == 0, "no picture comes from a name")


def check_many(browser, folder):
    address = find(folder, "many.html", "--top", str(MANY // 2), "--min-distance", "1", "--min-score", "-inf", "board.tif",
                   "-t", "board.tif@200,200,3,3", "-t", "board.tif@100,20,3,3")
    start = time.monotonic()
    with Visit(browser, address) as page:
        wall = (time.monotonic() - start) * 1000
        ready = float(page.evaluate("document.documentElement.dataset.ready"))
        check(f"{MANY} matches" in page.locator("#summary").text_content(), "the summary of many")
        check(len(column(page, 0)) == 200 and "1 to 200 shown" in page.locator("#matches caption").text_content(), "a page of the table")
        sort = milliseconds(page, "document.querySelector(\"th[data-key='score'] button\").click()")
        toggle = milliseconds(page, "document.querySelector('#toggles input').click()")
        zoom = milliseconds(page, "document.querySelector('#zoom-in').click()")
        turn = milliseconds(page, "document.querySelector('#next').click()")
        page.locator("#last").click()
        check(column(page, 0)[-1] != "" and page.locator("#next").is_disabled(), "the last page")
        print(f"{MANY} matches, {(folder / 'many.html').stat().st_size / 1e6:.1f} MB: interactive after {ready:.0f} ms ({wall:.0f} ms as seen from "
              f"outside), sorting {sort:.0f} ms, switching a template {toggle:.0f} ms, zoom {zoom:.0f} ms, turning the page {turn:.0f} ms")
        check(ready < READY_MS, f"many matches: ready after {ready} ms")
        for what, ms in (("sort", sort), ("toggle", toggle), ("zoom", zoom), ("turn", turn)):
            check(ms < ANSWER_MS, f"many matches: {what} takes {ms} ms")


def draw_picture(browser, folder, path):
    """The picture of docs/."""
    with Visit(browser, find(folder, "report.html", "--top", "18", "cells.tif", "-t", "cells-template.tif", "-t", "board-fiducial.tif")) as page:
        page.set_viewport_size({"width": 1200, "height": 1480})
        page.get_by_role("button", name="Show match 5", exact=True).click()
        page.get_by_role("button", name="Fit the picture").click()
        page.wait_for_timeout(500)
        page.screenshot(path=path)


def main():
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = pathlib.Path(name)
        for file in pathlib.Path(DATA).glob("*.tif"):
            shutil.copy(file, folder)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        if len(sys.argv) > 4:
            return draw_picture(browser, folder, sys.argv[4])
        check_one(browser, folder)
        maker = pathlib.Path(TOOL).parent.parent / "tests/cli/make_pages"
        subprocess.run([maker, folder / "pages.tif", folder / "cells.tif", folder / "stars.tif", folder / "cells.tif"], check=True)
        check_pages(browser, folder, "pages.tif")
        check_images(browser, folder)
        check_hostile(browser, folder)
        check_many(browser, folder)
        browser.close()
    print(f"{checks} checks, {len(problems)} failures")
    return bool(problems)


sys.exit(main())
