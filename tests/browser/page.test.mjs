// The page in Chromium, used as a visitor would: complete a command, generate, stop, err, by keyboard and on a phone.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';

import {
  atText,
  commandLine,
  inside,
  launchBrowser,
  pageFolder,
  textOf,
  untilReady,
  untilText,
  withPage,
} from './support/browser-page.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const boxSelector = 'textarea#box';
const prefix = 'git comm';

const boxValue = (page) => page.$eval(`vitrine-autocomplete >>> ${boxSelector}`, (box) => box.value);

async function typeCommand(page, text) {
  const box = await inside(page, 'vitrine-autocomplete', boxSelector);
  await box.type(text);
}

/** The suggestion behind the cursor, as soon as there is one: command and comment. */
async function suggestion(page) {
  await untilText(page, 'vitrine-autocomplete', '[data-ghost]', /./);
  return page.$eval('vitrine-autocomplete >>> .mirror', (mirror) =>
    [...mirror.querySelectorAll('[data-ghost], [data-comment]')].map((part) => part.textContent).join(''),
  );
}

async function fill(page, host, selector, value) {
  const field = await inside(page, host, selector);
  await field.click({ count: 3 });
  await page.keyboard.press('Backspace');
  await field.type(value);
}

const policyField = (page, name, value) => fill(page, 'vitrine-generator >>> vitrine-policy', `#${name}`, value);
const generate = async (page) => (await inside(page, 'vitrine-generator', 'button[type=submit]')).click();

test('a completion appears while typing, and Tab accepts it', async () => {
  await withPage(browser, {}, async (page) => {
    await untilReady(page);
    await typeCommand(page, prefix);
    const addition = await suggestion(page);
    await page.keyboard.press('Tab');
    assert.equal(await boxValue(page), prefix + addition);
    assert.equal(
      await page.evaluate(() => document.activeElement.localName),
      'vitrine-autocomplete',
      'the focus stays',
    );
  });
});

test('a completion is proved: every token identical, 0 bits differ', async () => {
  await withPage(browser, {}, async (page) => {
    await untilReady(page);
    await typeCommand(page, prefix);
    const addition = await suggestion(page);
    // The table of every token appears when the proof is complete.
    await inside(page, 'vitrine-proof', 'details');
    const [, identical, all] = /^(\d+) of (\d+) tokens identical, 0 bits differ$/.exec(
      await textOf(page, 'vitrine-proof', '[data-parity]'),
    );
    assert.equal(identical, all);
    const pieces = await page.$$eval('vitrine-proof >>> .tokens tbody code', (cells) =>
      cells.map((cell) => cell.textContent),
    );
    assert.equal(pieces.length, Number(all));
    // The proof begins before the word that is being typed, so its tokens spell that too.
    const spelled = pieces
      .join('')
      .replaceAll('\u2423', ' ')
      .replaceAll(/[\u21b5\u2205]/g, '');
    assert.ok(
      `${prefix}${addition}`.endsWith(spelled.trimStart()),
      `'${spelled}' is the end of '${prefix}${addition}'`,
    );
  });
});

test('typing on rewinds the cache to what the text has in common with the text before', async () => {
  await withPage(browser, {}, async (page) => {
    await untilReady(page);
    await typeCommand(page, 'docker run --rm --name web --publish 80');
    await untilText(page, 'vitrine-autocomplete', '[data-reuse]', /positions? reused/);
    await typeCommand(page, ' ');
    const text = await untilText(page, 'vitrine-autocomplete', '[data-reuse]', /^([5-9]|\d\d+) positions reused/);
    assert.match(text, /^\d+ positions reused from the cache, \d+ computed$/);
  });
});

test('Escape dismisses a suggestion, and without one Tab leaves the box', async () => {
  await withPage(browser, {}, async (page) => {
    await untilReady(page);
    await typeCommand(page, prefix);
    await suggestion(page);
    await page.keyboard.press('Escape');
    assert.equal(await textOf(page, 'vitrine-autocomplete', '[data-ghost]'), '');
    await page.keyboard.press('Tab');
    assert.equal(await boxValue(page), prefix);
    const focused = await page.evaluate(() => document.activeElement.shadowRoot?.activeElement?.localName);
    assert.notEqual(focused, 'textarea');
  });
});

test('a fixed seed generates the same text here, natively and in Node', async () => {
  const options = [
    '--mode',
    'sample',
    '--temperature',
    '0.8',
    '--top-p',
    '0.95',
    '--max-new-tokens',
    '40',
    '--seed',
    '20261129',
  ];
  const args = ['generate', '--bundle', 'web/models/shell', '--prompt', 'kubectl get ', ...options, '--json'];
  const [native, wasm] = await Promise.all([commandLine('native', args), commandLine('wasm', args)]);
  assert.deepEqual(native.ids, wasm.ids);
  assert.ok(native.text.length > 0);
  await withPage(browser, { base: '/lesson/vitrine/' }, async (page) => {
    await untilReady(page);
    await fill(page, 'vitrine-generator', '#prompt', 'kubectl get ');
    await policyField(page, 'max_new_tokens', '40');
    await policyField(page, 'seed', '20261129');
    await generate(page);
    assert.match(await untilText(page, 'vitrine-generator', '.after', /tokens?;/), /Seed\s+20261129/);
    assert.equal(await page.$eval('vitrine-generator >>> [data-output]', (output) => output.textContent), native.text);
    assert.equal(await textOf(page, 'vitrine-generator', '[role=log]'), native.text.trim().replaceAll(/\s+/g, ' '), 'announced');
    const count = native.ids.length;
    assert.equal(
      await textOf(page, 'vitrine-proof', '[data-parity]'),
      `${count} of ${count} tokens identical, 0 bits differ`,
    );
  });
});

test('Stop stops, and the text so far stays', async () => {
  await withPage(browser, {}, async (page) => {
    await untilReady(page);
    // A flat distribution does not end the text by itself for a while.
    await policyField(page, 'temperature', '5');
    await policyField(page, 'top_p', '1');
    await policyField(page, 'max_new_tokens', '240');
    const isStopped = await atText(page, 'vitrine-generator', '[data-output]', /../, (generator) => {
      generator.shadowRoot.querySelector('button[type=button]').click();
    });
    await generate(page);
    await isStopped();
    const after = await untilText(page, 'vitrine-generator', '.after', /tokens?;/);
    assert.match(after, /stopped by you/);
    const [, count] = /(\d+) tokens?;/.exec(after);
    assert.ok(Number(count) < 240, `${count} tokens`);
    const text = await page.$eval('vitrine-generator >>> [data-output]', (output) => output.textContent);
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(await page.$eval('vitrine-generator >>> [data-output]', (output) => output.textContent), text);
  });
});

test("a wrong option is told by the engine's own error, at its field", async () => {
  await withPage(browser, {}, async (page) => {
    await untilReady(page);
    await policyField(page, 'top_p', '1.5');
    await generate(page);
    const host = 'vitrine-generator >>> vitrine-policy';
    assert.match(await textOf(page, host, '#error'), /^invalid_option: .*top_p.*1\.5/);
    const wrong = await inside(page, host, '[aria-invalid=true]');
    assert.equal(await wrong.evaluate((field) => field.id), 'top_p');
    await policyField(page, 'top_p', '0.9');
    await generate(page);
    await untilText(page, 'vitrine-generator', '.after', /tokens?;/);
  });
});

test('what is loaded is told with the hash of every part', async () => {
  const manifest = JSON.parse(await readFile(path.join(pageFolder, 'models/shell/manifest.json'), 'utf8'));
  await withPage(browser, {}, async (page) => {
    await untilReady(page);
    await page.$eval('#loaded', (section) => section.scrollIntoView());
    await inside(page, 'vitrine-bundle', 'table');
    const text = await page.$eval('vitrine-bundle >>> section', (section) => section.textContent);
    assert.ok(manifest.parts.length >= 5);
    for (const part of manifest.parts) assert.ok(text.includes(part.sha256), `hash of ${part.name}`);
    assert.ok(text.includes('Self-test passed'));
  });
});

test('prefill and decode, both lanes and the bytes of the cache are shown', async () => {
  await withPage(browser, {}, async (page) => {
    await untilReady(page);
    await generate(page);
    await inside(page, 'vitrine-proof', 'details');
    const text = await page.$eval('vitrine-proof >>> section', (section) => section.textContent);
    for (const wanted of [
      'Prefill, time to first token',
      'Decode, per token',
      'By formula',
      'Used',
      'Allocated',
      'Whole run',
    ]) {
      assert.ok(text.includes(wanted), wanted);
    }
  });
});

test('a link carries the state: the same address generates the same text', async () => {
  await withPage(browser, { fragment: '#prompt=tar+-&seed=11&max_new_tokens=20' }, async (page) => {
    await untilReady(page);
    await generate(page);
    await untilText(page, 'vitrine-generator', '.after', /tokens?;/);
    const text = await page.$eval('vitrine-generator >>> [data-output]', (output) => output.textContent);
    assert.match(page.url(), /seed=11/);
    await page.reload();
    await untilReady(page);
    await generate(page);
    await untilText(page, 'vitrine-generator', '.after', /tokens?;/);
    assert.equal(await page.$eval('vitrine-generator >>> [data-output]', (output) => output.textContent), text);
  });
});

/** What each section shows of its state: the tokens that were drawn, the two lanes' tokens, and the token that is looked into. */
async function sectionTokens(page) {
  const texts = (selector) => page.$$eval(selector, (all) => all.map((element) => element.textContent));
  for (const name of ['lanes', 'sampling', 'inside']) await page.$eval(`vitrine-${name}`, (section) => section.scrollIntoView());
  await untilText(page, 'vitrine-sampling', '.track.sample h3', /seed 23/);
  await inside(page, 'vitrine-inside', '.dials');
  await untilText(page, 'vitrine-inside', 'h3', /"curl"/);
  await (await inside(page, 'vitrine-lanes', '[data-step][aria-disabled=false]')).click();
  await untilText(page, 'vitrine-lanes', '[role=status]', /identical/);
  return {
    drawn: await texts('vitrine-sampling >>> .track button'),
    lanes: await texts('vitrine-lanes >>> .token'),
    read: await texts('vitrine-inside >>> [part=tokens] button'),
  };
}

test('a link carries what is set in the sections: after a reload the same tokens come', async () => {
  await withPage(browser, { fragment: '' }, async (page) => {
    await untilReady(page);
    for (const name of ['lanes', 'sampling', 'inside']) {
      await page.$eval(`vitrine-${name}`, (section) => section.scrollIntoView());
      await page.waitForFunction((name) => document.querySelector(`vitrine-${name}`).shadowRoot, {}, name);
    }
    await fill(page, 'vitrine-lanes', '#prompt', 'kubectl get');
    await fill(page, 'vitrine-sampling', '#prompt', 'npm');
    await fill(page, 'vitrine-sampling', '#seed', '23');
    await fill(page, 'vitrine-inside', '#text', 'curl');
    const before = await sectionTokens(page);
    const parts = ['lanes.prompt=kubectl+get', 'draw.prompt=npm', 'draw.seed=23', 'inside.text=curl', 'bundle=', 'weights.'];
    await page.waitForFunction((wanted) => wanted.every((part) => location.hash.includes(part)), {}, parts);
    await page.reload();
    await untilReady(page);
    assert.deepEqual(await sectionTokens(page), before);
    assert.ok(before.drawn.length > 2 && before.lanes.includes('kubectl') && before.read.at(-1) === 'curl', JSON.stringify(before));
  });
});

test('a link to a place on the page changes neither text, prompt nor policy', async () => {
  await withPage(browser, { fragment: '#text=&temperature=0.3&prompt=npm' }, async (page) => {
    await untilReady(page);
    await typeCommand(page, prefix);
    await page.evaluate(() => (location.hash = 'try'));
    await typeCommand(page, 'it');
    assert.equal(await boxValue(page), `${prefix}it`);
    assert.equal(await page.$eval('vitrine-generator >>> #prompt', (field) => field.value), 'npm');
    await page.waitForFunction(() => location.hash.includes('temperature=0.3') && location.hash.includes('text=git'));
  });
});

test('following the table of contents leaves the state in the address', async () => {
  await withPage(browser, { fragment: '#text=git&seed=9' }, async (page) => {
    await untilReady(page);
    await page.$eval('a[href="#cache"]', (link) => link.click());
    await page.waitForFunction(() => document.querySelector('#cache').getBoundingClientRect().top < innerHeight / 2);
    await page.waitForFunction(() => location.hash.includes('seed=9') && location.hash.includes('text=git'));
  });
});

test('fast typing changes the address when it rests, not with every key', async () => {
  await withPage(browser, {}, async (page) => {
    await untilReady(page);
    await page.evaluate(() => {
      globalThis.changes = 0;
      const replace = history.replaceState.bind(history);
      history.replaceState = (...args) => ((globalThis.changes += 1), replace(...args));
    });
    await (await inside(page, 'vitrine-autocomplete', boxSelector)).evaluate((box) => {
      for (const key of 'git commit --amend') {
        box.value += key;
        box.dispatchEvent(new InputEvent('input', { bubbles: true }));
      }
    });
    await page.waitForFunction(() => location.hash.includes('amend'));
    assert.equal(await page.evaluate(() => globalThis.changes), 1);
  });
});

test('the focus stays on Generate while it runs and after, and undo takes an accepted completion back', async () => {
  await withPage(browser, {}, async (page) => {
    await untilReady(page);
    await generate(page);
    await untilText(page, 'vitrine-generator', '.after', /tokens?;/);
    const focused = () => page.evaluate(() => document.activeElement.shadowRoot?.activeElement?.textContent.trim());
    assert.equal(await focused(), 'Generate');
    await typeCommand(page, prefix);
    const addition = await suggestion(page);
    await page.keyboard.press('Tab');
    assert.equal(await boxValue(page), prefix + addition);
    await page.keyboard.down('Control');
    await page.keyboard.press('z');
    await page.keyboard.up('Control');
    assert.ok((await boxValue(page)).length < (prefix + addition).length);
  });
});

test('a text beyond all bounds is refused, and what was there stays', async () => {
  await withPage(browser, {}, async (page) => {
    await untilReady(page);
    await typeCommand(page, prefix);
    const box = await inside(page, 'vitrine-autocomplete', boxSelector);
    await box.evaluate((field) => {
      field.value = 'x'.repeat(30_000);
      field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    });
    assert.match(await untilText(page, 'vitrine-autocomplete', '[role=alert]', /./), /20000 characters, found 30000/);
    assert.equal(await boxValue(page), prefix);
  });
});

test('an address says which bundle it was made with; with another one the page says which parts differ', async () => {
  const notice = '#other-bundle';
  let made;
  await withPage(browser, {}, async (page) => {
    await untilReady(page);
    await policyField(page, 'seed', '11');
    await page.waitForFunction(() => location.hash.includes('bundle='));
    made = new URL(page.url()).hash;
    assert.match(made, /bundle=architecture\.[0-9a-f]{8}\*weights\.[0-9a-f]{8}\*tokenizer\./);
  });
  await withPage(browser, { fragment: made }, async (page) => {
    await untilReady(page);
    assert.equal(await page.$eval(notice, (element) => element.textContent), '');
  });
  const other = made.replace(/weights\.[0-9a-f]{8}/, 'weights.01234567');
  await withPage(browser, { fragment: other }, async (page) => {
    await page.waitForFunction((selector) => document.querySelector(selector).textContent !== '', {}, notice);
    const told = await page.$eval(notice, (element) => element.textContent);
    assert.match(told, /another model.*weights: expected 01234567, found [0-9a-f]{8}\.$/);
    assert.ok(!told.includes('tokenizer'), told);
  });
});
