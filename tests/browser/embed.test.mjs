// The elements on pages that are not ours, in Chromium: from another origin under a strict policy, as a plain script, in a
// frame, several at once, in another language and direction.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { violations } from './support/axe.mjs';
import { inside, launchBrowser, openTab, pageFolder, untilNoWorker, untilText } from './support/browser-page.mjs';
import { hostPage, serveFiles, servePages } from './support/hosts.mjs';
import { withScreenshot } from './support/screenshots.mjs';

let browser;
let files;
before(async () => {
  browser = await launchBrowser();
  files = await serveFiles(pageFolder);
});
after(async () => {
  await browser?.close();
  await files?.close();
});

/** The policy that docs/embed.md tells a host page to send. */
const policyFor = (origin) =>
  `default-src 'self'; script-src 'self' ${origin} 'wasm-unsafe-eval'; worker-src blob: ${origin}; connect-src ${origin}; frame-src ${origin}`;

/** Opens a host page and hands it to `body`; afterwards no error may have been noted. */
async function withHost(t, html, { headers, errors = [] } = {}, body) {
  const host = await servePages({ '/': html }, headers);
  const page = await openTab(browser);
  const noted = [];
  page.on('pageerror', (error) => noted.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('404')) noted.push(message.text());
  });
  try {
    await withScreenshot(t.name, () => page.screenshot(), async () => {
      await page.goto(host.url);
      await body(page, host);
      assert.deepEqual(noted, errors);
    });
  } finally {
    await page.close();
    await host.close();
  }
}

const moduleScript = () => `<script type="module" src="${files.url}vitrine.js"></script>`;
const ghost = (page, host = 'vitrine-autocomplete') => untilText(page, host, '[data-ghost]', /\S/);

test('one module script of another origin is all the set-up, under a strict policy and without isolation', async (t) => {
  const html = hostPage(`${moduleScript()}<vitrine-autocomplete text="git comm"></vitrine-autocomplete>`);
  const headers = { 'Content-Security-Policy': policyFor(new URL(files.url).origin) };
  await withHost(t, html, { headers }, async (page) => {
    assert.match(await ghost(page), /\S/);
    assert.equal(await page.evaluate(() => crossOriginIsolated), false);
    assert.equal(page.workers().length, 1);
    assert.deepEqual(await violations(page), []);
  });
});

test('a plain script defines the same elements', async (t) => {
  const html = hostPage(
    `<script src="${files.url}vitrine-classic.js"></script><vitrine-autocomplete text="git comm"></vitrine-autocomplete>`,
  );
  await withHost(t, html, {}, async (page) => {
    assert.match(await ghost(page), /\S/);
    assert.ok(await page.evaluate(() => globalThis.vitrine.elementNames.includes('vitrine-lab')));
  });
});

/** The elements that hold an engine. */
const running = ['autocomplete', 'proof', 'generator', 'parity', 'lanes', 'cache', 'sampling', 'inside', 'faults'];

test('each element alone tells in its place why its model did not load, and tries again', async (t) => {
  const html = hostPage(moduleScript());
  await withHost(t, html, {}, async (page) => {
    await page.waitForFunction(() => customElements.get('vitrine-lab') || document.readyState === 'complete');
    const show = (attributes) =>
      page.evaluate(
        (names, attributes) => {
          document.querySelector('main').replaceChildren(
            ...names.map((name) => {
              const element = document.createElement(`vitrine-${name}`);
              for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
              return element;
            }),
          );
        },
        running,
        attributes,
      );
    const told = async (pattern) => {
      for (const name of running) await untilText(page, `vitrine-${name}`, '[role=alert], [data-idle]', pattern);
    };
    await show({ bundle: 'http://[' });
    await told(/invalid_option: bundle: expected the URL of a folder, found "http:\/\/\["/);
    await show({ base: 'javascript:alert(1)' });
    await told(/invalid_option: base: expected the URL of a folder, found "javascript:alert\(1\)"/);
    await page.evaluate(() => {
      const element = document.createElement('vitrine-training');
      element.setAttribute('base', 'data:,');
      element.text = 'git commit\n'.repeat(100);
      document.querySelector('main').append(element);
    });
    await (await inside(page, 'vitrine-training', 'button[type=submit]')).click();
    await untilText(page, 'vitrine-training', '[role=alert]', /invalid_option: base: expected the URL of a folder/);
    await show({ bundle: 'nowhere/' });
    await told(/file_not_found: part "manifest" \(manifest\.json\)[^]*Try again/);
    await show({ bundle: 'http://[' });
    await told(/invalid_option/);
    await page.$eval('vitrine-lanes', (element) => {
      element.removeAttribute('bundle');
      element.shadowRoot.querySelector('[data-idle] button').click();
    });
    await page.waitForFunction(() => document.querySelector('vitrine-lanes').shadowRoot.querySelector('[data-idle]') === null);
  });
});

test('two elements on one page share one worker, which ends when both are gone', async (t) => {
  const html = hostPage(
    `${moduleScript()}<vitrine-autocomplete text="git comm"></vitrine-autocomplete><vitrine-generator></vitrine-generator>`,
  );
  await withHost(t, html, {}, async (page) => {
    await ghost(page);
    await inside(page, 'vitrine-generator', 'button[type=submit][aria-disabled=false]');
    assert.equal(page.workers().length, 1);
    await page.$eval('vitrine-autocomplete', (element) => element.remove());
    await new Promise((resolve) => setTimeout(resolve, 600));
    assert.equal(page.workers().length, 1, 'one of two is still there');
    await page.$eval('vitrine-generator', (element) => element.remove());
    await untilNoWorker(page);
  });
});

test('an element that is added later is found, and one that is in a shadow root when it is defined', async (t) => {
  await withHost(t, hostPage(moduleScript()), {}, async (page) => {
    await page.evaluate(() => document.querySelector('main').append(document.createElement('vitrine-parity')));
    await inside(page, 'vitrine-parity', 'button');
    await page.evaluate(async (url) => {
      const { define } = await import(url);
      const root = document.querySelector('h1').attachShadow({ mode: 'open' });
      root.append(document.createElement('vitrine-lab'));
      await define('vitrine-lab');
    }, `${files.url}vitrine.js`);
    await inside(page, 'h1', 'vitrine-lab');
    assert.ok(await page.evaluate(() => customElements.get('vitrine-lab') !== undefined));
  });
});

test("a foreign page's custom properties do not reach in, and those with the prefix do", async (t) => {
  const html = hostPage(
    `<style>:root { --line: 3px solid red; --ink: red; --vitrine-ink: rgb(1, 2, 3); } main { font: 30px serif; text-align: right; }</style>
    ${moduleScript()}<vitrine-generator></vitrine-generator>`,
  );
  await withHost(t, html, {}, async (page) => {
    const title = await inside(page, 'vitrine-generator', 'h2');
    const seen = await title.evaluate((element) => {
      const { color, fontFamily, textAlign } = getComputedStyle(element);
      const { borderTopWidth, borderTopStyle } = getComputedStyle(element.closest('.panel'));
      return { color, fontFamily, textAlign, borderTopWidth, borderTopStyle };
    });
    assert.equal(seen.color, 'rgb(1, 2, 3)');
    assert.match(seen.fontFamily, /system-ui/);
    assert.equal(seen.textAlign, 'start');
    assert.deepEqual([seen.borderTopWidth, seen.borderTopStyle], ['1px', 'solid']);
  });
});

test('messages are replaced by those of another language, in elements that are shown and in those to come', async (t) => {
  const html = hostPage(`${moduleScript()}<vitrine-lab name="rope"></vitrine-lab>`, { lang: 'de' });
  await withHost(t, html, {}, async (page) => {
    await untilText(page, 'vitrine-lab', '[part=reveal]', /Show the figure/);
    await page.evaluate(async (url) => {
      const { replaceMessages } = await import(url);
      replaceMessages({
        'lab.reveal': 'Abbildung zeigen',
        'lab.first': 'Bitte zuerst eine Vorhersage.',
        'lab-rope.title': 'Drehung je Position',
        'parity.check': 'Parit\u00e4t pr\u00fcfen',
      });
      document.querySelector('main').append(document.createElement('vitrine-parity'));
    }, `${files.url}vitrine.js`);
    await untilText(page, 'vitrine-lab', '[part=reveal]', /^\s*Abbildung zeigen\s*$/);
    await untilText(page, 'vitrine-lab', '[part=title]', /Drehung je Position/);
    await untilText(page, 'vitrine-parity', '[part=check]', /Parit\u00e4t pr\u00fcfen/);
    await (await inside(page, 'vitrine-lab', '[part=reveal]')).click();
    await untilText(page, 'vitrine-lab', '[role=status]', /Bitte zuerst eine Vorhersage/);
  });
});

test('from right to left, the layout turns and what the model says keeps its own direction', async (t) => {
  const html = hostPage(`${moduleScript()}<vitrine-generator prompt="git"></vitrine-generator>`, { lang: 'ar', dir: 'rtl' });
  await withHost(t, html, {}, async (page) => {
    await inside(page, 'vitrine-generator', 'button[type=submit][aria-disabled=false]');
    await (await inside(page, 'vitrine-generator', 'button[type=submit]')).click();
    await untilText(page, 'vitrine-generator', '.after', /\d/);
    const seen = await page.$eval('vitrine-generator', (element) => {
      const root = element.shadowRoot;
      const output = root.querySelector('[data-output]');
      const isolated = output.closest('[dir], bdi');
      const [label, button] = [root.querySelector('label'), root.querySelector('button')].map((part) => part.getBoundingClientRect());
      return { title: getComputedStyle(root.querySelector('h2')).direction, output: isolated && getComputedStyle(isolated).direction, turned: button.left < label.right };
    });
    assert.deepEqual(seen, { title: 'rtl', output: 'ltr', turned: true });
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.equal(widths[0], widths[1]);
  });
});

test('a chart is drawn in the colours of where it stands, also when a course turns its page dark', async (t) => {
  const html = hostPage(`<style>.dark { color-scheme: dark }</style>${moduleScript()}<vitrine-lanes></vitrine-lanes>`);
  await withHost(t, html, {}, async (page) => {
    await inside(page, 'vitrine-lanes >>> vitrine-line-chart', 'canvas');
    const hasColourOfLegend = (before) => {
      const root = document.querySelector('vitrine-lanes').shadowRoot.querySelector('vitrine-line-chart').shadowRoot;
      const canvas = root.querySelector('canvas');
      const wanted = getComputedStyle(root.querySelector('.key')).color.match(/\d+/g).slice(0, 3).join();
      if (wanted === before) return false; // the colours are about to change
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      for (let at = 0; at < data.length; at += 4) if (`${data[at]},${data[at + 1]},${data[at + 2]}` === wanted) return wanted;
      return false;
    };
    const light = await (await page.waitForFunction(hasColourOfLegend)).jsonValue();
    await page.$eval('main', (main) => main.classList.add('dark'));
    const dark = await (await page.waitForFunction(hasColourOfLegend, {}, light)).jsonValue();
    assert.notEqual(dark, light);
  });
});

test('from right to left, a sentence that is not translated keeps its full stop behind it', async (t) => {
  const html = hostPage(`${moduleScript()}<vitrine-lab name="rope"></vitrine-lab>`, { lang: 'ar', dir: 'rtl' });
  await withHost(t, html, {}, async (page) => {
    await (await inside(page, 'vitrine-lab', '#prediction')).type('It stays.');
    await (await inside(page, 'vitrine-lab', '[part=reveal]')).click();
    await inside(page, 'vitrine-lab >>> vitrine-quiz', 'fieldset');
    const sentences = [];
    for (const path of ['.prose', '#about', '.question', 'vitrine-quiz >>> legend', 'vitrine-quiz >>> .option span']) {
      const found = await page.$$eval(`vitrine-lab >>> ${path}`, (elements) =>
        elements.map((element) => {
          const nodes = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
          let last = null;
          for (let node = nodes.nextNode(); node; node = nodes.nextNode()) if (node.data.trim() !== '') last = node;
          const end = last.data.trimEnd().length;
          const at = (index) => {
            const range = new Range();
            range.setStart(last, index);
            range.setEnd(last, index + 1);
            return range.getBoundingClientRect();
          };
          return { text: element.textContent.trim(), ends: at(end - 1).left >= at(end - 2).right - 1 };
        }),
      );
      assert.ok(found.length > 0, path);
      sentences.push(...found);
    }
    assert.deepEqual(sentences.filter(({ ends }) => !ends), []);
  });
});

test('a check of parity that ended with its element is no error when the element comes back', async (t) => {
  const html = hostPage(`${moduleScript()}<vitrine-parity></vitrine-parity>`);
  await withHost(t, html, {}, async (page) => {
    const usable = '[part=check][aria-disabled=false]';
    await (await inside(page, 'vitrine-parity', usable)).evaluate(async (check) => {
      const element = document.querySelector('vitrine-parity');
      const place = element.parentNode;
      check.click();
      element.remove();
      while (element.running) await new Promise((resolve) => setTimeout(resolve, 20));
      place.append(element);
    });
    await inside(page, 'vitrine-parity', usable);
    assert.equal(await page.$('vitrine-parity >>> [role=alert]'), null);
  });
});

test('from right to left, a number in a table keeps its minus sign before it', async (t) => {
  const html = hostPage(`${moduleScript()}<vitrine-lab name="rope"></vitrine-lab>`, { lang: 'ar', dir: 'rtl' });
  await withHost(t, html, {}, async (page) => {
    await (await inside(page, 'vitrine-lab', '#prediction')).type('It stays.');
    await (await inside(page, 'vitrine-lab', '[part=reveal]')).click();
    const cell = await inside(page, 'vitrine-lab >>> vitrine-lab-rope', 'figure:nth-of-type(2) tbody td:last-child bdi');
    const seen = await cell.evaluate((element) => {
      const at = (index) => {
        const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        let node = text.nextNode();
        while (node.data.trim() === '') node = text.nextNode();
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + 1);
        return range.getBoundingClientRect().left;
      };
      return { text: element.textContent.trim(), minus: at(0), digit: at(1) };
    });
    assert.match(seen.text, /^\u2212\d/);
    assert.ok(seen.minus < seen.digit, JSON.stringify(seen));
  });
});
