// The two lanes and the cache in Chromium, driven as a visitor would: step, run, rewind, and rows that join and leave.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { atText, inside, launchBrowser, textOf, untilReady, untilText, withPage } from './support/browser-page.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

/** Opens the page at a section whose element is shown and whose engine has loaded. */
function atSection(id, body) {
  return withPage(browser, {}, async (page) => {
    await page.$eval(`#${id}`, (section) => section.scrollIntoView());
    await untilReady(page);
    await inside(page, `vitrine-${id}`, '[data-step][aria-disabled=false]');
    await body(page);
  });
}

const press = async (page, host, selector) => (await inside(page, host, selector)).click();

/** The tokens that were chosen, as they are shown. */
const chosen = (page) =>
  page.$$eval('vitrine-lanes >>> .token:not(.given)', (tokens) => tokens.map((token) => token.textContent));

const untilTokens = (page, count) =>
  page.waitForFunction(
    (wanted) => document.querySelector('vitrine-lanes').shadowRoot.querySelectorAll('.token:not(.given)').length === wanted,
    {},
    count,
  );

test('Step computes one token in both lanes, and shows that no bit differs and what each lane cost', async () => {
  await atSection('lanes', async (page) => {
    await press(page, 'vitrine-lanes', '[data-step]');
    await untilTokens(page, 1);
    await press(page, 'vitrine-lanes', '[data-step]');
    await untilTokens(page, 2);
    assert.equal(await textOf(page, 'vitrine-lanes', '[data-parity]'), '2 of 2 tokens identical, 0 bits differ');
    const text = await page.$eval('vitrine-lanes >>> section', (section) => section.textContent);
    for (const wanted of ['multiply-adds', 'time', 'bytes read', 'Prefill, time to first token', '\u0394 bits']) {
      assert.ok(text.includes(wanted), wanted);
    }
    assert.equal((await page.$$('vitrine-lanes >>> .track')).length, 2);
  });
});

test('Rewind takes tokens back, and the next steps draw the same ones again', async () => {
  await atSection('lanes', async (page) => {
    await press(page, 'vitrine-lanes', '[data-run]');
    await untilText(page, 'vitrine-lanes', '[role=status]', /identical, 0 bits differ; the model ended the text/);
    const before = await chosen(page);
    assert.ok(before.length > 8, `${before.length} tokens`);
    await press(page, 'vitrine-lanes', '[data-rewind]');
    await untilTokens(page, before.length - 5);
    assert.deepEqual(await chosen(page), before.slice(0, -5));
    await press(page, 'vitrine-lanes', '[data-run]');
    await untilText(page, 'vitrine-lanes', '[role=status]', /identical, 0 bits differ; the model ended the text/);
    assert.deepEqual(await chosen(page), before);
  });
});

test('what is no number of tokens rewinds nothing, and is refused as it was typed', async () => {
  await atSection('lanes', async (page) => {
    await press(page, 'vitrine-lanes', '[data-step]');
    await untilTokens(page, 1);
    for (const typed of ['-3', '1.5', '0', '']) {
      await page.$eval('vitrine-lanes >>> .rewind input', (field, value) => {
        field.value = value;
        field.dispatchEvent(new Event('input'));
      }, typed);
      await press(page, 'vitrine-lanes', '[data-rewind]');
      const found = typed === '' ? '""' : typed;
      await untilText(page, 'vitrine-lanes', '[role=alert]', new RegExp(`rewind: expected a whole number from 1, found ${found}$`, 'm'));
      assert.equal((await chosen(page)).length, 1);
    }
  });
});

test('every token can be rewound, and the run begins anew to the same text', async () => {
  await atSection('lanes', async (page) => {
    for (const count of [1, 2, 3]) {
      await press(page, 'vitrine-lanes', '[data-step]');
      await untilTokens(page, count);
    }
    const before = await chosen(page);
    await press(page, 'vitrine-lanes', '[data-rewind]');
    await untilTokens(page, 0);
    for (const count of [1, 2, 3]) {
      await press(page, 'vitrine-lanes', '[data-step]');
      await untilTokens(page, count);
    }
    assert.deepEqual(await chosen(page), before);
  });
});

test('a prompt that is set ends the run, also one that is just beginning, and the next step is of the new prompt', async () => {
  await atSection('lanes', async (page) => {
    const given = () => page.$eval('vitrine-lanes >>> #prompt', (field) => field.value);
    const stepOf = async (first) => {
      await page.waitForFunction(() => document.querySelector('vitrine-lanes').shadowRoot.querySelector('[data-step][aria-disabled=false]'));
      assert.deepEqual(await chosen(page), []);
      await press(page, 'vitrine-lanes', '[data-step]');
      await untilTokens(page, 1);
      const tokens = await page.$$eval('vitrine-lanes >>> .token.given', (all) => all.map((token) => token.textContent.trim()));
      assert.ok(tokens.includes(first), `${first}: ${tokens}`);
    };
    const isSet = await atText(page, 'vitrine-lanes', '[data-parity]', /^\s*[2-9] of/, (lanes) => (lanes.prompt = 'git commit'));
    await press(page, 'vitrine-lanes', '[data-run]');
    await isSet();
    assert.equal(await given(), 'git commit');
    await stepOf('git');
    // In one task: the row of the prompt before has not begun when the new one is set.
    await page.$eval('vitrine-lanes', (element) => {
      element.prompt = 'docker run';
      element.shadowRoot.querySelector('[data-again]').click();
    });
    await stepOf('docker');
    await press(page, 'vitrine-lanes', '[data-again]');
    await untilTokens(page, 0);
    await page.$eval('vitrine-lanes', (element) => {
      element.shadowRoot.querySelector('[data-run]').click();
      element.prompt = 'kubectl get';
    });
    await stepOf('kubectl');
  });
});

test('growth is a chart with a table, for each of its measures', async () => {
  await atSection('lanes', async (page) => {
    await inside(page, 'vitrine-lanes', '.growth figcaption');
    const captions = new Set();
    for (const radio of await page.$$('vitrine-lanes >>> .measures input')) {
      await radio.evaluate((input) => input.click());
      captions.add(await textOf(page, 'vitrine-lanes', '.growth figcaption'));
      await inside(page, 'vitrine-lanes >>> vitrine-line-chart', 'canvas');
    }
    assert.equal(captions.size, 3, [...captions].join('\n'));
    assert.equal((await page.$$('vitrine-lanes >>> .growth tbody tr')).length, 17);
  });
});

test("rows of the batch fill their caches, finish, leave and join; a free row's place is used again", async () => {
  await atSection('cache', async (page) => {
    const rows = () => page.$$eval('vitrine-cache >>> [data-row]', (all) => all.map((row) => row.dataset.row));
    assert.deepEqual(await rows(), ['1', '2', '3']);
    const caption = '[data-row="1"] figcaption';
    const read = Number.parseInt(await untilText(page, 'vitrine-cache', caption, /^[1-9]\d* of 256 positions are filled/), 10);
    for (const more of [1, 2]) {
      await press(page, 'vitrine-cache', '[data-step][aria-disabled=false]');
      await untilText(page, 'vitrine-cache', caption, new RegExp(`^${read + more} of 256`));
    }
    await press(page, 'vitrine-cache', '[data-run]');
    await untilText(page, 'vitrine-cache', '[role=status]', /Every row has finished/);
    assert.equal((await page.$$('vitrine-cache >>> .row.finished')).length, 3);
    await press(page, 'vitrine-cache', '[data-row="2"] button');
    await untilText(page, 'vitrine-cache', '[role=status]', /Row 2 left/);
    assert.deepEqual(await rows(), ['1', '3']);
    await press(page, 'vitrine-cache', '[data-join]');
    await inside(page, 'vitrine-cache', '[data-row="4"]');
    assert.deepEqual(await rows(), ['1', '3', '4']);
    await untilText(page, 'vitrine-cache', '[role=status]', /Row 4 joined/);
    await press(page, 'vitrine-cache', '[data-step]');
    await untilText(page, 'vitrine-cache', '[data-row="4"] figcaption', /positions are filled/);
  });
});

test('a prompt that is longer than the context does not join, and the error belongs to its field until another one joins', async () => {
  await atSection('cache', async (page) => {
    const field = await inside(page, 'vitrine-cache', '#prompt');
    const joinWith = async (text) => {
      await field.evaluate((input, value) => {
        input.value = value;
        input.dispatchEvent(new Event('input'));
      }, text);
      await press(page, 'vitrine-cache', '[data-join][aria-disabled=false]');
    };
    await joinWith('git '.repeat(300).trim());
    await inside(page, 'vitrine-cache', '#prompt[aria-invalid=true][aria-describedby=error]');
    assert.match(await textOf(page, 'vitrine-cache', '#error'), /^context_full: prompt: expected at most 256 tokens, found 301/);
    await joinWith('tar -');
    await inside(page, 'vitrine-cache', '#prompt[aria-invalid=false]');
    await untilText(page, 'vitrine-cache', '[role=status]', /joined/);
  });
});

test('rows of elements that are removed are finished: the engine has room for others', async () => {
  await atSection('cache', async (page) => {
    // More rows than any batch holds, were they to stay.
    for (let turn = 0; turn < 12; turn += 1) {
      await page.evaluate(async () => {
        const old = document.querySelector('vitrine-cache');
        const next = document.createElement('vitrine-cache');
        old.replaceWith(next);
      });
      await inside(page, 'vitrine-cache', '[data-row="3"]');
    }
    await inside(page, 'vitrine-cache', '[data-step][aria-disabled=false]');
    assert.equal(await page.$('vitrine-cache >>> [role=alert]'), null);
  });
});
