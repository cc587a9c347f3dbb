// Every lab in Chromium, as a person uses it and by keyboard alone: predict, reveal, use the figure, fail the quiz, pass it
// at 80 %. In each state axe-core finds nothing, and on a narrow screen nothing scrolls sideways.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { violations } from './support/axe.mjs';
import { inside, launchBrowser, untilText, withPage } from './support/browser-page.mjs';
import * as lab from './support/lab.mjs';
import { withScreenshot } from './support/screenshots.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const host = (element) => `vitrine-lab >>> ${element}`;

/** Moves a slider by keyboard. */
async function slide(page, element, id, key, times) {
  await (await inside(page, host(element), `#${id}`)).focus();
  for (let press = 0; press < times; press += 1) await page.keyboard.press(key);
}

const cells = (page, element) =>
  page.$$eval(`${host(element)} >>> tbody tr`, (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent.trim())));

const untilIn = (page, element, selector, pattern) => untilText(page, host(element), selector, pattern);

/** What a person does with each lab's figure, and what has to be seen then. */
const figures = {
  async 'attention-temperature'(page) {
    const element = 'vitrine-lab-temperature';
    await untilIn(page, element, 'figcaption', /temperature 1\.0, key 4 takes 53\.1 %/);
    const states = (await cells(page, element)).map(([item, state]) => `${item}: ${state.split(';')[0]}`);
    assert.deepEqual(states.slice(0, 4), [
      'Key 1, score 1.2: weight 0.2915',
      'Key 2, score 0.3: weight 0.1185',
      'Key 3, score \u22120.4: weight 0.0589',
      'Key 4, score 1.8: weight 0.5311',
    ]);
    await slide(page, element, 'temperature', 'ArrowLeft', 5);
    await untilIn(page, element, 'figcaption', /temperature 0\.5, key 4 takes 73\.4 %/);
  },
  async 'sampling-policy'(page) {
    await untilIn(page, 'vitrine-sampling', 'figcaption', /Top-k leaves/);
    const field = await inside(page, host('vitrine-sampling'), '#top_k');
    await field.focus();
    await field.evaluate((input) => input.select());
    await page.keyboard.type('5');
    await untilIn(page, 'vitrine-sampling', 'figcaption', /Top-k leaves 5/);
  },
  async 'kv-cache-growth'(page) {
    const element = 'vitrine-lab-growth';
    const said = await untilIn(page, element, 'figure:nth-of-type(2) figcaption', /At 256 positions the cache holds 983 kB/);
    assert.match(said, /each step reads all of it/);
    await slide(page, element, 'length', 'ArrowLeft', 8);
    await untilIn(page, element, 'figure:nth-of-type(2) figcaption', /At 128 positions the cache holds 492 kB/);
  },
  async parity(page) {
    await inside(page, host('vitrine-parity'), '[part=check][aria-disabled=false]');
    const check = async (tokens) => {
      const field = await inside(page, host('vitrine-parity'), '#tokens');
      await field.focus();
      await field.evaluate((input) => input.select());
      await page.keyboard.type(tokens);
      await page.keyboard.press('Enter');
    };
    // Too few tokens for two of the schedules: they are not counted, and their rows say why.
    await check('6');
    await untilIn(page, 'vitrine-parity', '[data-report] figcaption', /^229,376 logits over 5 of 7 schedules: 0 bits differ/);
    const idle = (await cells(page, 'vitrine-parity')).filter(([, , compared, bits]) => compared === 'not exercised' && bits === '\u2013');
    assert.deepEqual(idle.map(([name]) => name), ['chunks_7', 'chunks_16']);
    await check('20');
    await untilIn(page, 'vitrine-parity', '[data-report] figcaption', /logits over 7 schedules: 0 bits differ/);
    assert.equal((await cells(page, 'vitrine-parity')).length, 7);
    // A schedule of chunks of 16 needs a seventeenth token; what it did not do is not counted.
    await check('16');
    const said = await untilIn(page, 'vitrine-parity', '[data-report] figcaption', /logits over 6 of 7 schedules: 0 bits differ/);
    const counts = (await cells(page, 'vitrine-parity')).map((row) => row[2]);
    assert.equal(counts.filter((compared) => compared === 'not exercised').length, 1);
    const sum = counts.reduce((total, compared) => total + (Number(compared.replaceAll(',', '')) || 0), 0);
    assert.ok(said.includes(`${sum.toLocaleString('en')} logits`), `${said}: the sum of what the rows compared, ${sum}`);
    // Another prompt has not been checked.
    await (await inside(page, host('vitrine-parity'), '#prompt')).type('x');
    await page.waitForFunction(() => document.querySelector('vitrine-lab').shadowRoot.querySelector('vitrine-parity').shadowRoot.querySelector('[data-report]') === null);
    await check('0x20');
    await untilIn(page, 'vitrine-parity', '[role=alert]', /invalid_option: .*tokens.*0x20/);
  },
  async 'attention-by-hand'(page) {
    const element = 'vitrine-lab-by-hand';
    await untilIn(page, element, '[data-agreement]', /is within it/);
    const shapes = (await cells(page, element)).map(([symbol, shape]) => `${symbol} ${shape}`);
    assert.deepEqual(shapes, [
      'Q [T, D] = [2, 2]',
      'K [S, D] = [3, 2]',
      'V [S, D] = [3, 2]',
      'S [T, S] = [2, 3]',
      'W [T, S] = [2, 3]',
      'O [T, D] = [2, 2]',
    ]);
    // What is no number leaves no formula behind: it would hold other numbers than its result.
    const entry = await inside(page, host(element), '#q00');
    for (const [typed, found] of [['abc', /found "abc"/], ['0x10', /found "0x10"/], ['', /found ""/]]) {
      await entry.focus();
      await entry.evaluate((input) => input.select());
      await page.keyboard.press('Backspace');
      await page.keyboard.type(typed);
      await untilIn(page, element, '.error', found);
      assert.equal(await page.$(`${host(element)} >>> .steps`), null, `no figure beside "${typed}"`);
    }
    await page.keyboard.type('2.5');
    const substituted = await untilIn(page, element, '.steps', /2\.5\u00b71/);
    assert.doesNotMatch(substituted, /abc|0x10/);
    await untilIn(page, element, '[data-agreement]', /is within it/);
    await (await inside(page, host(element), '#wide')).focus();
    await page.keyboard.press('Space');
    await untilIn(page, element, '.error', /shape_mismatch|invalid_option/);
    await page.keyboard.press('Space');
    await untilIn(page, element, '[data-agreement]', /is within it/);
    // What is no number, or none as JSON writes it, has no formula.
    for (const typed of ['abc', '0x10', '']) {
      const entry = await inside(page, host(element), '#q00');
      await entry.evaluate((input, value) => {
        input.value = value;
        input.dispatchEvent(new Event('input'));
      }, typed);
      await untilIn(page, element, '.error', new RegExp(`Q.*"?${typed}`));
      assert.deepEqual(await page.$$(`${host(element)} >>> :is(math, [data-agreement])`), [], `"${typed}"`);
    }
  },
  async rope(page) {
    const element = 'vitrine-lab-rope';
    const product = async () => /product is (\S+) at distance (-?\d+)/.exec(await untilIn(page, element, 'figure:nth-of-type(2) figcaption', /product is/)).slice(1);
    const [before, five] = await product();
    assert.equal(five, '5');
    await slide(page, element, 'query-position', 'ArrowRight', 1);
    await untilIn(page, element, 'figure:nth-of-type(2) figcaption', /distance 6/);
    assert.notEqual((await product())[0], before);
    await slide(page, element, 'key-position', 'ArrowRight', 1);
    await untilIn(page, element, 'figure:nth-of-type(2) figcaption', /distance 5/);
    assert.equal((await product())[0].slice(0, 7), before.slice(0, 7), 'the distance alone decides, up to rounding');
  },
  async 'causal-mask-failure'(page) {
    const element = 'vitrine-faults';
    const form = await inside(page, host(element), 'form');
    assert.equal(await form.$eval('input[value="causal_mask_dropped"]', (radio) => radio.checked), true);
    await form.evaluate((root) => {
      for (const name of new Set([...root.querySelectorAll('input[type=radio][name]')].map((radio) => radio.name))) {
        const radios = [...root.querySelectorAll(`input[name="${name}"]`)];
        if (!radios.some((radio) => radio.checked)) radios[0].click();
      }
      const select = root.querySelector('select');
      if (select) {
        select.value = 'causality_probe';
        select.dispatchEvent(new Event('change', { bubbles: true }));
      }
    });
    await lab.tabTo(page, ({ text }) => text === 'Run it');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => {
      const text = document.querySelector('vitrine-lab').shadowRoot.querySelector('vitrine-faults').shadowRoot.textContent;
      return /causality_probe[\s\S]*gradient_leak/.test(text.slice(text.indexOf('Run it')));
    });
  },
  async 'tiny-batch-overfit'(page) {
    const element = 'vitrine-training';
    await inside(page, host(element), 'button');
    await lab.tabTo(page, ({ text }) => /^(Train|Start)/.test(text));
    await page.keyboard.press('Enter');
    await untilIn(page, element, 'figcaption', /loss/i);
  },
};

const sideways = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

for (const [name, useFigure] of Object.entries(figures)) {
  test(`the lab ${name}: predicted, revealed, used, failed and passed by keyboard`, { timeout: 300_000 }, async (t) => {
    await withPage(browser, { prepare: lab.noteResults, fragment: lab.labAddress(name) }, (page) =>
      withScreenshot(t.name, () => page.screenshot({ fullPage: true }), async () => {
        await inside(page, 'vitrine-lab', '#prediction');
        assert.deepEqual(await violations(page), [], 'before the prediction');
        // Without a prediction nothing is revealed, and the focus goes to where it is written.
        await lab.tabTo(page, ({ text }) => text === 'Show the figure');
        await page.keyboard.press('Enter');
        assert.equal((await lab.focused(page)).id, 'prediction');
        assert.equal(await page.$('vitrine-lab >>> [part=look]'), null);
        await page.keyboard.type('I expect it to grow.');
        await lab.tabTo(page, ({ text }) => text === 'Show the figure');
        await page.keyboard.press('Enter');
        await inside(page, 'vitrine-lab', '[part=look]');
        await useFigure(page);
        assert.deepEqual(await violations(page), [], 'with the figure');

        const right = await lab.rightAnswers(page);
        await lab.answerAll(page, right.map((option) => (option === 0 ? 1 : 0)));
        assert.match(await lab.score(page), /^Not passed yet: 0 of 5 right, 0 %/);
        assert.deepEqual(await violations(page), [], 'with the quiz failed');
        await lab.tryAgain(page);
        const lastWrong = right.map((option, index) => (index < 4 ? option : option === 0 ? 1 : 0));
        await lab.answerAll(page, lastWrong);
        assert.match(await lab.score(page), /^Passed: 4 of 5 right, 80 %/);
        assert.deepEqual(await violations(page), [], 'with the quiz passed');

        const [failed, passed] = await lab.results(page);
        assert.deepEqual([failed.score, failed.passed], [0, false]);
        assert.deepEqual(passed, { lab: name, score: 0.8, passed: true, answers: lastWrong, predicted: 'I expect it to grow.' });

        await page.setViewport({ width: 320, height: 640 });
        assert.equal(await sideways(page), 0, 'at 320 pixels nothing scrolls sideways');

        await page.reload();
        await untilText(page, 'vitrine-lab', '[data-record]', /80 %, passed/);
      }),
    );
  });
}

test('a lab whose sums need no model loads none, alone or before one that does', async () => {
  const requests = [];
  const note = (page) => page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  const reveal = async (page, figure) => {
    await lab.predictAndReveal(page, 'It grows.');
    await inside(page, host(figure), 'figcaption, [data-agreement]');
  };
  for (const [name, figure] of [
    ['attention-temperature', 'vitrine-lab-temperature'],
    ['attention-by-hand', 'vitrine-lab-by-hand'],
    ['rope', 'vitrine-lab-rope'],
  ]) {
    await withPage(browser, { prepare: note, fragment: lab.labAddress(name) }, async (page) => {
      await reveal(page, figure);
      assert.ok(requests.includes('/vitrine-module.mjs'), `${requests}`);
      assert.deepEqual(requests.filter((path) => path.includes('/models/')), []);
      if (name !== 'rope') return;
      // An element that needs a model gets it in the worker that is there, and the lab goes on.
      await page.evaluate(() => {
        const box = document.createElement('vitrine-parity');
        document.querySelector('main').append(box);
      });
      await inside(page, 'vitrine-parity', '[part=check][aria-disabled=false]');
      assert.equal(page.workers().length, 1);
      assert.ok(requests.some((path) => path.includes('/models/shell/')));
      await slide(page, figure, 'key-position', 'ArrowRight', 1);
      await untilIn(page, figure, 'figcaption', /Query at 12, key at 8/);
    });
  }
});

test('a lab in dark colours, with every text shown, has nothing that axe-core finds', async (t) => {
  const features = [{ name: 'prefers-color-scheme', value: 'dark' }];
  await withPage(browser, { features, fragment: lab.labAddress('rope') }, (page) =>
    withScreenshot(t.name, () => page.screenshot(), async () => {
      await lab.predictAndReveal(page, 'They turn, and the product stays.');
      await inside(page, 'vitrine-lab >>> vitrine-lab-rope', 'figcaption');
      await lab.answerAll(page, [0, 0, 0, 0, 0]);
      await lab.score(page);
      assert.deepEqual(await violations(page), []);
    }),
  );
});

test('a lab that keeps nothing, since the browser forbids it, works all the same', async (t) => {
  const forbid = async (page) => {
    await lab.noteResults(page);
    await page.evaluateOnNewDocument(() => {
      Object.defineProperty(globalThis, 'localStorage', { get: () => { throw new DOMException('denied', 'SecurityError'); } });
    });
  };
  await withPage(browser, { prepare: forbid, fragment: lab.labAddress('parity') }, (page) =>
    withScreenshot(t.name, () => page.screenshot(), async () => {
      await lab.predictAndReveal(page, 'None.');
      await lab.answerAll(page, await lab.rightAnswers(page));
      assert.match(await lab.score(page), /^Passed: 5 of 5 right, 100 %/);
      assert.equal((await lab.results(page)).length, 1);
    }),
  );
});

test('a lab that nobody knows says which there are', async () => {
  await withPage(browser, { fragment: lab.labAddress('alchemy') }, async (page) => {
    const told = await untilText(page, 'vitrine-lab', '[role=alert]', /alchemy/);
    for (const name of Object.keys(figures)) assert.ok(told.includes(name), name);
  });
});
