// <vitrine-faults> in Chromium: a prediction is asked for first; then each fault shows itself as docs/exactness.md says,
// in its lanes and by its detectors, and the healthy model is quiet.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { root } from '../../wasm/build.mjs';
import { atText, inside, launchBrowser, textOf, untilNoWorker, untilText, withPage } from './support/browser-page.mjs';
import { holdsItsLooks, sectionFolder } from './support/section-page.mjs';

const host = 'vitrine-faults';
let browser;
let site;
let caughtBy;
before(async () => {
  const text = await readFile(path.join(root, 'docs/exactness.md'), 'utf8');
  const table = text.split('## The mutations')[1].split('## What is done')[0];
  // The columns: mutation, what happens, systems, caught by, owner.
  caughtBy = new Map(
    [...table.matchAll(/^\| `(\w+)` \|[^|]*\|[^|]*\|([^|]*)\|/gm)].map(([, name, cell]) => [name, cell.match(/\w+/g)]),
  );
  site = await sectionFolder('faults');
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await site?.remove();
});

const open = (body) => withPage(browser, { folder: site.folder }, body);
const click = async (page, selector) => (await inside(page, host, selector)).click();

async function run(page, fault, { text, bits, detector }) {
  await click(page, `input[value=${fault}]`);
  await click(page, `input[name=text][value=${text}]`);
  await click(page, `input[name=bits][value=${bits}]`);
  await (await page.$(`${host} >>> #detector`)).select(detector);
  await click(page, 'button[type=submit]');
  await inside(page, host, '[data-comparison], [role=alert]');
  const texts = (selector) =>
    page.$$eval(`${host} >>> ${selector}`, (all) => all.map((element) => element.textContent.trim().replaceAll(/\s+/g, ' ')));
  return {
    error: (await texts('[role=alert]'))[0],
    lanes: await texts('figcaption'),
    saw: await texts('.sightings .saw code'),
    judged: await texts('[data-comparison] tbody tr td:nth-child(2)'),
  };
}

test('a run waits for the prediction, and says so', async () => {
  await open(async (page) => {
    await click(page, 'button[type=submit]');
    await untilText(page, host, 'form [role=status]', /Answer the three questions first/);
    assert.equal(await page.$(`${host} >>> figure`), null);
  });
});

test('the healthy model is quiet, and whoever predicted that was right', async () => {
  await open(async (page) => {
    const { lanes, saw, judged } = await run(page, 'none', { text: 'no', bits: 'no', detector: 'none' });
    assert.deepEqual(lanes, ['The text is the same; no bit of any logit differs.']);
    assert.deepEqual(saw, []);
    assert.deepEqual(judged, ['\u2713 right', '\u2713 right', '\u2713 right']);
    assert.match(await textOf(page, host, 'form [role=status]'), /^All 9 detectors are quiet/);
  });
});

test('whoever chooses the fault again while it runs sees no judgement of answers that were not given', async () => {
  await open(async (page) => {
    await inside(page, host, '.switch');
    await page.evaluate(() => document.addEventListener('vitrine-faults', ({ detail }) => (globalThis.told ??= []).push(detail)));
    // Without a pause, so that the run cannot end before the choice is made.
    await page.$eval(host, async (element) => {
      const root = element.shadowRoot;
      const choose = async (fault) => {
        root.querySelector(`input[value=${fault}]`).click();
        await element.updateComplete;
      };
      const answer = async (text) => {
        root.querySelector(`input[name=text][value=${text}]`).click();
        root.querySelector('input[name=bits][value=no]').click();
        const select = root.querySelector('#detector');
        select.value = 'none';
        select.dispatchEvent(new Event('change'));
        await element.updateComplete;
      };
      await choose('none');
      await answer('no');
      root.querySelector('button[type=submit]').click();
      await choose('key_rotated_by_slot');
      await choose('none');
      await answer('yes');
      root.querySelector('button[type=submit]').click();
    });
    await inside(page, host, '[data-comparison]');
    const said = await page.$$eval(`${host} >>> [data-comparison] tbody tr`, (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent.trim())));
    assert.match(said[0].join(' '), /wrong\s*Yes\s*No/, 'the answers of the second run');
    assert.deepEqual(await page.evaluate(() => globalThis.told), [{ fault: 'none', right: 2, asked: 3 }]);
    // What is answered after a run belongs to the next one.
    await click(page, 'input[name=text][value=no]');
    assert.match(await textOf(page, host, '[data-comparison] tbody tr'), /wrong\s*Yes\s*No/);
  });
});

/** In faults of the generator each row's logits are those of its own tokens. */
const withoutBits = new Set(['one_draw_for_all_rows', 'finished_row_advances']);
/** Faults that the demonstration's few tokens survive: the bits differ, the text does not. */
const sameText = new Set(['key_rotated_by_slot', 'norm_epsilon_wrong']);

test('each fault shows itself in its lanes, and the detectors of the documents see it', async () => {
  await open(async (page) => {
    await inside(page, host, '.switch');
    const names = await page.$$eval(`${host} >>> input[name=fault]`, (all) => all.map((radio) => radio.value));
    assert.deepEqual(names.slice(1), [...caughtBy.keys()]);
    for (const name of names.slice(1)) {
      const { error, lanes, saw, judged } = await run(page, name, { text: 'yes', bits: 'yes', detector: 'parity' });
      assert.equal(error, undefined, name);
      assert.deepEqual(saw.sort(), [...caughtBy.get(name)].sort(), name);
      const differ = lanes.some((lane) => /bits of the logits differ/.test(lane));
      const changed = lanes.some((lane) => /text (changes|is \d)/.test(lane));
      assert.equal(differ, !withoutBits.has(name), `${name}: ${lanes}`);
      assert.equal(changed, !sameText.has(name), `${name}: ${lanes}`);
      const right = [changed, differ, caughtBy.get(name).includes('parity')];
      assert.deepEqual(judged, right.map((is) => (is ? '\u2713 right' : '\u2717 wrong')), name);
    }
  });
});

test('an element that is taken away while its run goes on leaves nothing behind, and runs again when it is back', async () => {
  await open(async (page) => {
    for (const stage of [/Both lanes are running/, /The detectors are looking/]) {
      await click(page, 'input[value=rope_twice]');
      for (const answer of ['text', 'bits']) await click(page, `input[name=${answer}][value=yes]`);
      await (await inside(page, host, '#detector')).select('parity');
      const isTaken = await atText(page, host, 'form [role=status]', stage, (element) => {
        globalThis.taken = element;
        element.remove();
      });
      await click(page, 'button[type=submit]');
      await isTaken();
      await untilNoWorker(page);
      await page.evaluate(() => document.querySelector('main').append(globalThis.taken));
      await inside(page, host, 'button[type=submit][aria-disabled=false]');
      assert.equal(await textOf(page, host, 'form [role=status]'), '');
      assert.equal(await page.$(`${host} >>> [role=alert]`), null);
    }
    const { error, saw } = await run(page, 'none', { text: 'no', bits: 'no', detector: 'none' });
    assert.deepEqual([error, saw], [undefined, []]);
  });
});

test('it holds its looks in every scheme and width', async () => {
  await holdsItsLooks(browser, site.folder, (page) => run(page, 'row_in_neighbours_cache', { text: 'no', bits: 'no', detector: 'none' }));
});
