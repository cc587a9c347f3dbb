// <vitrine-inside> in Chromium: what is shown of a token is what the model did: weights that sum to one, a lens whose last
// layer says what the command line says next, a rotation that grows with the position.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { commandLine, inside, launchBrowser, textOf, untilText, withPage } from './support/browser-page.mjs';
import { figuresOf, holdsItsLooks, sectionFolder } from './support/section-page.mjs';

const host = 'vitrine-inside';
const prompt = 'docker run --rm -it';
let browser;
let site;
before(async () => {
  site = await sectionFolder('inside');
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await site?.remove();
});

const open = (body) => withPage(browser, { folder: site.folder }, body);

async function shown(page) {
  await inside(page, host, '.dials');
  // The line chart comes with code of its own.
  await inside(page, `${host} >>> vitrine-line-chart`, 'canvas');
}

test('every head of every layer has a row, and one head names its weights, which are shares of one', async () => {
  await open(async (page) => {
    await shown(page);
    const tokens = await page.$$eval(`${host} >>> .tokens button`, (all) => all.length);
    assert.equal(await page.$$eval(`${host} >>> .map .row`, (rows) => rows.length), 6 * 4);
    const weights = () =>
      page.$$eval(`${host} >>> .column .share`, (all) => all.map((share) => parseFloat(share.textContent)));
    const first = await weights();
    assert.equal(first.length, tokens);
    // Written with three figures each.
    assert.ok(Math.abs(first.reduce((sum, share) => sum + share, 0) - 100) < 0.5 * tokens, `${first}`);
    const [layer, head] = await page.$$(`${host} >>> select`);
    await layer.select('0');
    await head.select('2');
    await untilText(page, host, 'section', /Layer 0, head 2 gives/);
    assert.notDeepEqual(await weights(), first);
  });
});

test('the lens of the last layer says what the model says next', async () => {
  const { text } = await commandLine('wasm', ['generate', '--json', '--bundle', 'web/models/shell', '--prompt', prompt, '--greedy', '--max-new-tokens', '1']);
  await open(async (page) => {
    await shown(page);
    const said = await page.$$eval(`${host} >>> .lens tbody tr`, (rows) => rows.at(-1).querySelector('td bdi').textContent);
    assert.equal(said, text.replaceAll(' ', '\u2423').replaceAll('\n', '\u21b5'));
  });
});

test('by keyboard, the first token is chosen: it sees itself alone, and nothing turns', async () => {
  await open(async (page) => {
    await shown(page);
    await (await page.$(`${host} >>> .tokens button`)).focus();
    await page.keyboard.press('Enter');
    await untilText(page, host, 'section', /At position 0 nothing turns/);
    assert.deepEqual(
      await page.$$eval(`${host} >>> .column .share`, (all) => all.map((share) => share.textContent)),
      ['100\u00a0%'],
    );
    assert.equal(await page.$eval(`${host} >>> .tokens button`, (button) => button.getAttribute('aria-pressed')), 'true');
  });
});

test('every figure states what it shows and has a table; a text that is refused is told at its field', async () => {
  await open(async (page) => {
    await shown(page);
    const figures = await figuresOf(page, host);
    assert.equal(figures.length, 5);
    for (const { conclusion, rows } of figures) assert.ok(conclusion.length > 20 && rows > 0, conclusion);
    await page.$eval(`${host} >>> #text`, (input) => {
      input.value = 'x '.repeat(2000);
      input.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await inside(page, host, '#text[aria-invalid=true]');
    assert.match(await textOf(page, host, '#error'), /^context_full: /);
    assert.deepEqual(await figuresOf(page, host), [], 'no figure of the text before');
  });
});

test('a position that is none is told as it was given, and one beyond the text is its last token', async () => {
  await open(async (page) => {
    await shown(page);
    for (const position of ['-5', 'abc', '1.5', '']) {
      await page.$eval(host, (element, value) => element.setAttribute('position', value), position);
      const found = /^[-\d]/.test(position) ? position : `"${position}"`;
      const told = `^invalid_option: position: expected a whole number from 0, or none for the last token; found ${found}$`;
      await untilText(page, host, '#error', new RegExp(told));
      assert.equal(await page.$eval(`${host} >>> #text`, (input) => input.ariaInvalid), 'false', 'the text is not wrong');
    }
    await page.$eval(host, (element) => element.setAttribute('position', '4000'));
    await untilText(page, host, 'section', /Position \d+, "[^"]*it", is shown/);
    assert.equal(await page.$(`${host} >>> #error`), null);
  });
});

test('in a page that runs from right to left the names stand beside the map, and numbers keep their order', async () => {
  await open(async (page) => {
    await page.evaluate(() => (document.documentElement.dir = 'rtl'));
    await shown(page);
    const over = await page.$eval(`${host} >>> .map svg`, (map) => {
      const box = (element) => element.getBoundingClientRect();
      const [first] = map.querySelectorAll('.row');
      const floor = Math.max(...[...map.querySelectorAll('.row')].map((row) => box(row).bottom));
      const heads = [...map.querySelectorAll('.head')].filter((name) => box(name).right > box(first).left);
      const columns = [...map.querySelectorAll('.column-name')].filter((name) => box(name).top < floor);
      return [...heads, ...columns].map((name) => name.textContent);
    });
    assert.deepEqual(over, [], 'names that lie over the map');
    for (const number of ['.column .share', '.dial bdi', '.lens bdi.number', 'figcaption bdi', 'td bdi']) {
      const directions = await page.$$eval(`${host} >>> ${number}`, (all) => all.map((each) => getComputedStyle(each).direction));
      assert.ok(directions.length > 0 && directions.every((direction) => direction === 'ltr'), `${number}: ${directions}`);
    }
  });
});

test('it holds its looks in every scheme and width', async () => {
  await holdsItsLooks(browser, site.folder, shown);
});
