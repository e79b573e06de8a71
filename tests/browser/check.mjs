// Opens pages in Chromium and looks at them as a reader would: node check.mjs [--shots DIR] PAGE...
//
// A page is wrong if it says something on the console, asks the network for anything, is wider than the window, or if a
// text leaves its box: the window (or the scrolled box it is in), the element around it, or the picture it belongs to.
// Every page is looked at 400 and 1200 pixels wide, in light and in dark, and once for each thing that can be chosen (radio
// buttons, reached by the keyboard); each choice must show something else. Ends with 1 if anything is wrong.

import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const arguments_ = process.argv.slice(2);
const shots = arguments_[0] === '--shots' ? arguments_.splice(0, 2)[1] : null;
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];

// Runs inside the page; gives one line for each text that leaves its box.
function strays() {
  const found = [];
  const slack = 1.5;
  const root = document.documentElement;
  if (root.scrollWidth > window.innerWidth) {
    found.push(`the page is ${root.scrollWidth} pixels wide in a window of ${window.innerWidth}`);
  }
  const inside = (rect, box) => rect.left >= box.left - slack && rect.right <= box.right + slack
    && rect.top >= box.top - slack && rect.bottom <= box.bottom + slack;
  const say = (text, what) => found.push(`${JSON.stringify(text.trim().slice(0, 50))} ${what}`);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const around = node.parentElement;
    if (!node.data.trim() || around.closest('title, desc, style, script') || !around.checkVisibility()) continue;
    const svg = around.closest('svg');
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = svg ? [around.getBoundingClientRect()] : [...range.getClientRects()];
    const scrolled = around.closest('.wide');
    for (const rect of rects.filter((r) => r.width > 0 && r.height > 0)) {
      if (svg && !inside(rect, svg.getBoundingClientRect())) say(node.data, 'leaves its picture');
      if (!svg && !inside(rect, around.getBoundingClientRect())) say(node.data, `leaves its <${around.localName}>`);
      if (!scrolled && (rect.left < -slack || rect.right > window.innerWidth + slack)) say(node.data, 'leaves the window');
    }
    if (around.getBoundingClientRect().width === 0) say(node.data, 'has no room');
  }
  for (const svg of [...document.querySelectorAll('svg')].filter((s) => s.checkVisibility())) {
    const level = [...svg.querySelectorAll('text')].filter((t) => !/rotate/.test(t.getAttribute('transform') ?? ''));
    const rects = level.map((t) => t.getBoundingClientRect()).map((r) =>
      // Boxes of letters have room above and below; only what is inked may not meet.
      ({ left: r.left + 1, right: r.right - 1, top: r.top + 0.2 * r.height, bottom: r.bottom - 0.25 * r.height }));
    for (let i = 0; i < rects.length; i++) {
      for (let j = 0; j < i; j++) {
        const [a, b] = [rects[i], rects[j]];
        if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) {
          say(level[i].textContent, `lies on ${JSON.stringify(level[j].textContent.slice(0, 50))}`);
        }
      }
    }
  }
  return { found: [...new Set(found)], texts: document.querySelectorAll('text').length, body: document.body.innerText.length };
}

// What is visible, in a word: how many pictures and cells.
const visible = () => [...document.querySelectorAll('img, td, svg')].map((e) => e.checkVisibility() ? 1 : 0).join('');

// Goes through the radio buttons of a page with the arrow keys and looks at each choice.
async function choices(page, shot) {
  const found = [];
  const groups = await page.evaluate(() => [...new Set([...document.querySelectorAll('input[type=radio]')].map((r) => r.name))]);
  for (const group of groups) {
    const count = await page.locator(`input[name="${group}"]`).count();
    await page.locator(`input[name="${group}"]:checked`).focus();
    const seen = new Set([await page.evaluate(visible)]);
    for (let k = 1; k < count; k++) {
      await page.keyboard.press('ArrowRight');
      seen.add(await page.evaluate(visible));
      found.push(...(await page.evaluate(strays)).found.map((line) => `choice ${k} of ${group}: ${line}`));
      if (shot) await page.screenshot({ path: `${shot}-${group}${k}.png`, fullPage: true });
    }
    if (seen.size < count) found.push(`${count} choices of ${group} show only ${seen.size} different things`);
    await page.keyboard.press('ArrowRight');
  }
  return found;
}

const browser = await chromium.launch({
  executablePath: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync),
  args: flags,
});
let wrong = 0;
for (const file of arguments_) {
  const name = basename(file);
  const address = pathToFileURL(resolve(file)).href;
  for (const width of [400, 1200]) {
    for (const colorScheme of ['light', 'dark']) {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
      const trouble = [];
      page.on('console', (message) => trouble.push(`console: ${message.text()}`));
      page.on('pageerror', (error) => trouble.push(`error: ${error.message}`));
      page.on('request', (request) => {
        if (request.url() !== address && !request.url().startsWith('data:')) trouble.push(`asks for ${request.url()}`);
      });
      await page.goto(address);
      const { found, texts, body } = await page.evaluate(strays);
      trouble.push(...found);
      trouble.push(...await choices(page, shots && width === 1200 && colorScheme === 'light' ? join(shots, name) : null));
      if (body === 0) trouble.push('is empty');
      if (shots) await page.screenshot({ path: join(shots, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      trouble.slice(0, 20).forEach((line) => console.log(`${name} at ${width} px, ${colorScheme}: ${line}`));
      if (trouble.length === 0) console.log(`${name} at ${width} px, ${colorScheme}: ok, ${body} letters, ${texts} texts in pictures`);
      wrong += trouble.length;
      await page.close();
    }
  }
}
await browser.close();
process.exitCode = wrong > 0 || arguments_.length === 0 ? 1 : 0;
