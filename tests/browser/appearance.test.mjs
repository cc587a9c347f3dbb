// The page's looks in Chromium, as far as a program can judge them: no violation that axe-core finds, no horizontal
// scroll on a narrow screen, both colour schemes, forced colours, and every control reachable by keyboard.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { violations } from './support/axe.mjs';
import { inside, launchBrowser, untilReady, untilText, withPage } from './support/browser-page.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const scheme = (value) => [{ name: 'prefers-color-scheme', value }];

async function generateToTheEnd(page) {
  await untilReady(page);
  await (await inside(page, 'vitrine-generator', 'button[type=submit]')).click();
  await untilText(page, 'vitrine-generator', '.after', /tokens?;/);
  const details = await inside(page, 'vitrine-proof', 'details');
  await details.evaluate((element) => (element.open = true));
}

/** Scrolls to every section in turn, and waits until its element is there and shows what it has. */
async function showEverySection(page) {
  await untilReady(page);
  for (const section of await page.$$('main > section')) {
    await section.evaluate((element) => element.scrollIntoView());
    await page.waitForFunction((element) => element.querySelector(':not(:defined)') === null, {}, section);
  }
  await (await inside(page, 'vitrine-lanes', '[data-step][aria-disabled=false]')).click();
  await untilText(page, 'vitrine-lanes', '[data-parity]', /0 bits differ/);
  await untilText(page, 'vitrine-cache', '[data-row="3"] figcaption', /positions are filled/);
  await inside(page, 'vitrine-lanes >>> vitrine-line-chart', 'canvas');
}

test('in an open table no cell touches its neighbour, and the bits of the proof are in sight', async () => {
  await withPage(browser, {}, async (page) => {
    await untilReady(page);
    await generateToTheEnd(page);
    await showEverySection(page);
    for (const host of ['vitrine-sampling', 'vitrine-inside']) await inside(page, host, 'table');
    const { tables, touching } = await page.evaluate(() => {
      const rootsIn = (root) => [root, ...[...root.querySelectorAll('*')].flatMap(({ shadowRoot }) => (shadowRoot ? rootsIn(shadowRoot) : []))];
      const roots = rootsIn(document);
      for (const details of roots.flatMap((root) => [...root.querySelectorAll('details')])) details.open = true;
      const tables = roots.flatMap((root) => [...root.querySelectorAll('table')]);
      const extent = (cell) => {
        const range = new Range();
        range.selectNodeContents(cell);
        return range.getBoundingClientRect();
      };
      const touching = tables.flatMap((table) =>
        [...table.rows].flatMap((row) =>
          [...row.cells].slice(1).flatMap((cell, index) => {
            const [before, after] = [row.cells[index], cell].map(extent);
            const isEmpty = before.width === 0 || after.width === 0;
            return isEmpty || after.left - before.right >= 4 ? [] : [row.textContent.trim().replaceAll(/\s+/g, ' ')];
          }),
        ),
      );
      return { tables: tables.length, touching };
    });
    assert.ok(tables >= 12, `${tables} tables`);
    assert.deepEqual(touching, []);
    const cut = await page.$eval('vitrine-proof >>> .tokens', (scroll) => {
      const bits = [...scroll.querySelectorAll('thead th')].find((head) => head.textContent === 'Bits that differ');
      return bits.getBoundingClientRect().right - scroll.getBoundingClientRect().right;
    });
    assert.ok(cut <= 0, `${cut} pixels of the bits are out of sight`);
  });
});

test('in forced colours a button that cannot be used does not look like one that can', async () => {
  for (const value of ['light', 'dark']) {
    await withPage(browser, { features: [...scheme(value), { name: 'forced-colors', value: 'active' }] }, async (page) => {
      await untilReady(page);
      await inside(page, 'vitrine-generator', '[part=stop][aria-disabled=true]');
      const colour = (part) => page.$eval(`vitrine-generator >>> [part=${part}]`, (button) => getComputedStyle(button).color);
      assert.notEqual(await colour('stop'), await colour('generate'));
      assert.deepEqual(await violations(page), [], value);
      await page.$eval('#lanes', (section) => section.scrollIntoView());
      await inside(page, 'vitrine-lanes >>> vitrine-line-chart', 'canvas');
      const [grid, paper] = await page.$eval('vitrine-lanes >>> vitrine-line-chart', (chart) =>
        [chart.shadowRoot.querySelector('[data-colour="--line"]'), document.body].map(
          (element, index) => getComputedStyle(element)[index === 0 ? 'color' : 'backgroundColor'],
        ),
      );
      assert.equal(grid, paper, 'a grid as strong as the lines is not drawn');
    });
  }
});

for (const colours of ['light', 'dark']) {
  test(`axe-core finds nothing wrong, ${colours}, before and after a generation, and in every section`, async () => {
    await withPage(browser, { features: scheme(colours) }, async (page) => {
      await untilReady(page);
      assert.deepEqual(await violations(page), []);
      await generateToTheEnd(page);
      assert.deepEqual(await violations(page), []);
      await showEverySection(page);
      assert.deepEqual(await violations(page), []);
    });
  });
}

test('at 320 pixels nothing scrolls sideways, before and after a generation, and in every section', async () => {
  await withPage(browser, { width: 320, height: 640 }, async (page) => {
    const widths = () =>
      page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    await untilReady(page);
    assert.deepEqual(await widths(), [320, 320]);
    await generateToTheEnd(page);
    assert.deepEqual(await widths(), [320, 320]);
    await showEverySection(page);
    assert.deepEqual(await widths(), [320, 320]);
  });
});

for (const width of [1280, 320]) {
  test(`with text of twice the size nothing scrolls sideways at ${width} pixels, in every section`, async () => {
    await withPage(browser, { width }, async (page) => {
      await untilReady(page);
      await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
      await generateToTheEnd(page);
      await showEverySection(page);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      // A frame of a part may hide what does not fit into it from the page.
      const cut = await page.$$eval('main vitrine-lanes, main vitrine-cache, main vitrine-proof, main vitrine-generator', (hosts) =>
        hosts.map((host) => host.shadowRoot.querySelector('.panel')).filter((panel) => panel.scrollWidth > panel.clientWidth).length,
      );
      assert.equal(cut, 0, 'panels whose content does not fit');
    });
  });
}

test('in a layout from right to left the sentences of the page itself are at its right, and end with their full stops', async () => {
  await withPage(browser, {}, async (page) => {
    await untilReady(page);
    await page.evaluate(() => (document.documentElement.dir = 'rtl'));
    const sentences = await page.$$eval('.intro p, main > section > header p, footer p', (paragraphs) =>
      paragraphs.map((paragraph) => {
        const texts = [...paragraph.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
        const last = texts.at(-1);
        const stop = last.data.lastIndexOf('.');
        const at = (offset) => {
          const range = new Range();
          range.setStart(last, offset);
          range.setEnd(last, offset + 1);
          return range.getBoundingClientRect();
        };
        const whole = new Range();
        whole.selectNodeContents(paragraph);
        const { right } = whole.getBoundingClientRect();
        return { text: paragraph.textContent.trim(), ends: at(stop).left >= at(stop - 1).right - 1, gap: paragraph.getBoundingClientRect().right - right };
      }),
    );
    assert.ok(sentences.length >= 11, `${sentences.length} sentences`);
    for (const { text, ends, gap } of sentences) {
      assert.ok(ends, `${text}: its full stop is behind its last letter`);
      assert.ok(gap < 2, `${text}: ${gap} pixels from its right edge`);
    }
  });
});

test('at 320 pixels the table of contents shows the section that is being read, in either direction', async () => {
  await withPage(browser, { width: 320, height: 640 }, async (page) => {
    await untilReady(page);
    for (const dir of ['ltr', 'rtl']) {
      await page.evaluate((dir) => (document.documentElement.dir = dir), dir);
      for (const id of ['loaded', 'policy', 'try']) {
        await page.evaluate((id) => document.getElementById(id).scrollIntoView(), id);
        const seen = (id) => {
          const current = document.querySelector('.contents [aria-current]');
          const { left, right } = current?.getBoundingClientRect() ?? {};
          return current?.hash === `#${id}` && left >= 0 && right <= innerWidth;
        };
        await page.waitForFunction(seen, {}, id);
      }
      await page.evaluate(() => document.getElementById('loaded').scrollIntoView());
      await page.waitForFunction(() => document.querySelector('.contents [aria-current]')?.hash === '#loaded');
      await page.evaluate(() => scrollTo(0, 0));
      const first = () => {
        const { left, right } = document.querySelector('.contents a').getBoundingClientRect();
        return left >= 0 && right <= innerWidth;
      };
      await page.waitForFunction(first);
    }
  });
});

test('each section has one heading that says what it is', async () => {
  await withPage(browser, {}, async (page) => {
    await showEverySection(page);
    const headings = await page.$$eval('main > section:not(#try)', (sections) =>
      sections.map((section) => {
        const inner = [...section.children].flatMap((child) => [...(child.shadowRoot?.querySelectorAll('h2') ?? [])]);
        return [...section.querySelectorAll('h2'), ...inner].filter((heading) => heading.checkVisibility()).length;
      }),
    );
    assert.deepEqual(headings, [1, 1, 1, 1, 1, 1, 1]);
  });
});

test('the switch turns the page dark and light, whatever the system says', async () => {
  await withPage(browser, { features: scheme('light') }, async (page) => {
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    const choose = async (index) =>
      (await page.$$('vitrine-theme >>> input'))[index].evaluate((radio) => radio.click());
    await inside(page, 'vitrine-theme', 'input');
    await choose(2);
    const dark = await paper();
    assert.notEqual(dark, light);
    await page.reload();
    await inside(page, 'vitrine-theme', 'input');
    assert.equal(await paper(), dark, 'the choice is remembered');
    await choose(1);
    assert.equal(await paper(), light);
  });
});

test('every control can be reached by Tab, and shows that it has the focus', async () => {
  await withPage(browser, {}, async (page) => {
    await untilReady(page);
    const seen = new Set();
    for (let press = 0; press < 60; press += 1) {
      await page.keyboard.press('Tab');
      const { name, outlined } = await page.evaluate(() => {
        let element = document.activeElement;
        while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
        const seenBy = [element, element?.nextElementSibling, element?.closest('.case')].filter(Boolean);
        return {
          name: element?.id || element?.name || element?.textContent.trim() || '',
          outlined: element === document.body || seenBy.some((part) => getComputedStyle(part).outlineStyle !== 'none'),
        };
      });
      seen.add(name);
      assert.ok(outlined, `${name} shows its focus`);
    }
    for (const name of [
      'box',
      'prompt',
      'Generate',
      'mode',
      'temperature',
      'top_k',
      'top_p',
      'min_p',
      'seed',
      'stop',
      'theme',
    ]) {
      assert.ok(seen.has(name), `${name} was reached; seen: ${[...seen].join(', ')}`);
    }
  });
});
