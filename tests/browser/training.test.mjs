// <vitrine-training> in Chromium: a batch learned by heart below the baseline; a text trained on, stopped and kept, which
// generates with parity and leaves the page as a bundle that the command line continues from; and nothing that trains on
// when nobody looks.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { unzipSync } from 'fflate';

import { commandLine, inside, launchBrowser, textOf, untilNoWorker, untilText, withPage } from './support/browser-page.mjs';
import { figuresOf, holdsItsLooks, sectionFolder } from './support/section-page.mjs';

const host = 'vitrine-training';
let browser;
let site;
let folder;
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vitrine-download-'));
  site = await sectionFolder('training');
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await site?.remove();
  if (folder) await rm(folder, { recursive: true, force: true });
});

const open = (body) => withPage(browser, { folder: site.folder }, body);
const click = async (page, selector) => (await inside(page, host, selector)).click();
const made = (page) => inside(page, host, '.made');
const stop = 'form .actions button:nth-child(2)';

async function setSteps(page, steps) {
  await (await inside(page, host, '#steps')).click({ count: 3 });
  await page.keyboard.type(steps);
}

/** The numbers of a row of the loss table. */
const lossRow = (page, index) =>
  page.$$eval(`${host} >>> figure tbody tr`, (rows, at) => [...rows.at(at).cells].map((cell) => Number(cell.textContent.replaceAll(',', ''))), index);

test('one tiny batch is learned by heart: the loss ends far below counting', async () => {
  await open(async (page) => {
    await click(page, 'input[value=overfit]');
    await click(page, 'button[type=submit]');
    await made(page);
    const [, first] = await lossRow(page, 0);
    const [step, last, , baseline] = await lossRow(page, -1);
    assert.ok(first > 3 && last < 0.05, `from ${first} to ${last}`);
    assert.ok(last < baseline, `${last} against ${baseline}`);
    const [{ conclusion, rows }] = await figuresOf(page, host);
    assert.match(conclusion, new RegExp(`^After ${step} of ${step} steps .* below the n-gram baseline`));
    assert.ok(rows > 5);
    assert.ok(await page.$(`${host} >>> vitrine-line-chart >>> canvas`), 'the curve is drawn');
  });
});

/** Downloads by this page land in the folder; the file is whole once its temporary name is gone. */
async function downloadOf(page, press) {
  const session = await page.createCDPSession();
  await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder, eventsEnabled: true });
  const done = new Promise((resolve, reject) => {
    session.on('Browser.downloadProgress', ({ state }) => {
      if (state === 'completed') resolve();
      if (state === 'canceled') reject(new Error('the download was cancelled'));
    });
  });
  await press();
  await done;
  const [name] = await readdir(folder);
  return { name, bytes: await readFile(path.join(folder, name)) };
}

test('a text is trained on, stopped and kept; what it learned generates with parity, and goes on at the command line', async () => {
  await open(async (page) => {
    await setSteps(page, '5000');
    await click(page, 'button[type=submit]');
    await untilText(page, host, '.progress', /Step \d{2,} of 5,000/);
    await click(page, stop);
    await made(page);
    const [steps] = await lossRow(page, -1);
    assert.ok(steps >= 10 && steps < 5000, `${steps} steps`);
    await click(page, '.made button[type=submit]');
    assert.match(await textOf(page, host, '[data-parity]'), /^(\d+) of \1 tokens identical, 0 bits differ$/);
    const text = await page.$eval(`${host} >>> [data-output]`, (output) => output.textContent);
    await (await inside(page, host, '.made #prompt')).type(' evening');
    assert.equal(await textOf(page, host, '.output .given'), 'On Monday', 'it stands after what it was generated from');

    const { name, bytes } = await downloadOf(page, () => click(page, '.made > button'));
    assert.equal(name, 'yours.zip');
    for (const [file, content] of Object.entries(unzipSync(bytes))) {
      const target = path.join(folder, file);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, content);
    }
    const bundle = ['--bundle', path.join(folder, 'yours')];
    const again = await commandLine('wasm', ['generate', '--json', ...bundle, '--prompt', 'On Monday', '--greedy', '--max-new-tokens', '64', '--parity']);
    assert.equal(again.text, text);
    assert.equal(again.parity.differing_bits, 0);

    await (await inside(page, host, '.made #prompt')).evaluate((input) => {
      input.value = 'On Monday '.repeat(300);
      input.dispatchEvent(new Event('input'));
    });
    await click(page, '.made button[type=submit]');
    await inside(page, host, '.made #prompt[aria-invalid=true][aria-describedby=error]');
    assert.match(await textOf(page, host, '#error'), /^context_full: prompt: expected at most \d+ tokens, found \d+/);
  });
});

test('an option that the engine refuses is told at its field', async () => {
  await open(async (page) => {
    await setSteps(page, 'many');
    await click(page, 'button[type=submit]');
    await inside(page, host, '#steps[aria-invalid=true]');
    assert.match(await textOf(page, host, '#error'), /^invalid_option: .*steps/);
  });
});

test('a text that is longer than the engine takes is refused before it costs anything, pasted or given', async () => {
  await open(async (page) => {
    const field = await inside(page, host, '#text');
    const before = await field.evaluate((area) => area.value);
    assert.equal(await field.evaluate((area) => area.dir), 'ltr', 'no browser has to find the direction of a long text');
    await field.focus();
    await page.keyboard.sendCharacter('a line of text\n'.repeat(150_000));
    const refused = /^invalid_option: train: text: expected at most 1048576 bytes, found at least 22\d{5}$/;
    await untilText(page, host, '#error', /found at least/);
    assert.match(await textOf(page, host, '#error'), refused);
    assert.equal(await field.evaluate((area) => area.value), before);
    assert.equal(await field.evaluate((area) => area.getAttribute('aria-invalid')), 'true');

    await page.keyboard.type('x');
    assert.equal(await page.$(`${host} >>> #error`), null, 'what is typed next is another text');
    await page.$eval(host, (element) => (element.text = 'a line of text\n'.repeat(150_000)));
    await click(page, 'button[type=submit]');
    assert.match(await textOf(page, host, '#error'), refused);
    assert.equal(page.workers().length, 0, 'no worker is started for it');
    assert.equal(await field.evaluate((area) => area.value), '', 'nor is it laid out');

    await page.$eval(host, (element) => (element.text = '1. \u05e9\u05dc\u05d5\u05dd git'));
    await page.waitForFunction((area) => area.dir === 'rtl', {}, field);
    await click(page, 'form .actions button:nth-child(3)');
    await click(page, 'button[type=submit]');
    await untilText(page, host, '.progress', /Step/);
  });
});

test('an element that is taken away takes its worker along, and so does a page that is left', async () => {
  await open(async (page) => {
    const begin = async () => {
      await click(page, 'button[type=submit]');
      await untilText(page, host, '.progress', /Step/);
      assert.equal(page.workers().length, 1);
    };
    await setSteps(page, '5000');
    await begin();
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })));
    await untilNoWorker(page);
    await untilText(page, host, '[role=status]', /The page was left/);
    await begin();
    await page.$eval(host, (element) => element.remove());
    await untilNoWorker(page);
  });
});

test('it holds its looks in every scheme and width', async () => {
  await holdsItsLooks(browser, site.folder, async (page) => {
    await setSteps(page, '3');
    await click(page, 'button[type=submit]');
    await made(page);
    await click(page, '.made button[type=submit]');
    await inside(page, host, '.verdict');
  });
});
