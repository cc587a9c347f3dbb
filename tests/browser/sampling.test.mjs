// <vitrine-sampling> in Chromium: the stages and the coin are the engine's, the text is the command line's for the same
// policy, a refused option is told at its field, and the policy can be copied.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { commandLine, inside, launchBrowser, textOf, untilText, withPage } from './support/browser-page.mjs';
import { figuresOf, holdsItsLooks, sectionFolder } from './support/section-page.mjs';

const host = 'vitrine-sampling';
let browser;
let site;
before(async () => {
  site = await sectionFolder('sampling');
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await site?.remove();
});

const open = (body, options = {}) => withPage(browser, { folder: site.folder, ...options }, body);
const drawn = (page) => inside(page, host, '.draw');
const piecesOf = (page, mode) => page.$$eval(`${host} >>> .track.${mode} button`, (buttons) => buttons.map((button) => button.textContent));

async function press(page, name) {
  const buttons = await page.$$(`${host} >>> .actions button`);
  for (const button of buttons) {
    if ((await button.evaluate((element) => element.textContent.trim())) === name) return button.click();
  }
  throw new Error(`no button "${name}"`);
}

async function type(page, field, text) {
  const input = await page.$(`${host} >>> #${field}`);
  await input.click({ count: 3 });
  await page.keyboard.press('Backspace');
  await page.keyboard.type(text);
}

/** A text as the token buttons spell it. */
const spelled = (text) => text.replaceAll(' ', '\u2423').replaceAll('\n', '\u21b5');

test('greedy and sampled stand side by side, and both are what the command line makes of the same policy', async () => {
  await open(async (page) => {
    await drawn(page);
    await press(page, 'Draw again');
    await untilText(page, host, '.track.sample h3', /seed 8/);
    const base = ['generate', '--json', '--bundle', 'web/models/shell', '--prompt', 'git', '--max-new-tokens', '6'];
    const greedy = await commandLine('wasm', [...base, '--greedy']);
    const stages = ['--temperature', '0.8', '--top-k', '12', '--top-p', '0.95', '--min-p', '0.035', '--seed', '8'];
    const sampled = await commandLine('wasm', [...base, ...stages]);
    assert.equal((await piecesOf(page, 'greedy')).join(''), spelled(greedy.text));
    assert.equal((await piecesOf(page, 'sample')).join(''), spelled(sampled.text));
    assert.notEqual(greedy.text, sampled.text);
  });
});

test('each stage shows what it left, and the coin lies on the token that was drawn', async () => {
  await open(async (page) => {
    await drawn(page);
    const names = await page.$$eval(`${host} >>> .stage-name strong`, (all) => all.map((name) => name.textContent));
    assert.deepEqual(names, ['Model', 'Penalties', 'Temperature', 'Top-k', 'Top-p', 'Min-p']);
    const left = await page.$$eval(`${host} >>> .stage-name .soft`, (all) => all.map((text) => parseInt(text.textContent.replaceAll(',', ''), 10)));
    assert.equal(left[0], 4096);
    assert.equal(left[3], 12, 'top-k 12 leaves 12');
    assert.ok(left[4] < left[3] && left[5] < left[4], `${left} narrows`);
    const picture = await page.$eval(`${host} >>> .draw`, (draw) => {
      const share = (value) => parseFloat(value) / 100;
      const chosen = draw.querySelector('.segment.chosen').closest('svg');
      const from = share(chosen.getAttribute('x'));
      return { from, to: from + share(chosen.getAttribute('width')), coin: share(draw.querySelector('circle').getAttribute('cx')) };
    });
    assert.ok(picture.from <= picture.coin && picture.coin < picture.to, JSON.stringify(picture));
    for (const { conclusion, rows } of await figuresOf(page, host)) {
      assert.match(conclusion, /^(Of|No stage|The coin)/);
      assert.ok(rows > 0, conclusion);
    }
  });
});

test('token by token, by keyboard: another token is chosen, one more is drawn, a slider moves the field', async () => {
  await open(async (page) => {
    await drawn(page);
    const first = await page.$(`${host} >>> .track.greedy button`);
    await first.focus();
    await page.keyboard.press('Enter');
    await untilText(page, host, 'section', /Greedy draws nothing/);
    await press(page, 'Next token');
    await page.waitForFunction((host) => document.querySelector(host).shadowRoot.querySelectorAll('.track.greedy button').length === 7, {}, host);
    await press(page, 'First token only');
    await page.waitForFunction((host) => document.querySelector(host).shadowRoot.querySelectorAll('.track.sample button').length === 1, {}, host);
    const slider = await page.$(`${host} >>> input[type=range]`);
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.$eval(`${host} >>> #temperature`, (input) => input.value), '0.85');
  });
});

test('an emptied field says what is in effect, and its slider stands there', async () => {
  await open(async (page) => {
    await drawn(page);
    const policy = '[part=document] textarea';
    for (const [text, isDrawn] of [
      ['0.5', /"temperature": 0\.5,[^]*"top_p": 0\.5,/],
      ['', /"temperature": 0\.8,[^]*"top_p": 0\.95,/], // The bundle's.
    ]) {
      for (const name of ['temperature', 'top_p']) {
        await page.$eval(`${host} >>> #${name}`, (input, value) => {
          input.value = value;
          input.dispatchEvent(new Event('input'));
        }, text);
      }
      await page.waitForFunction(
        (host, policy, source) => new RegExp(source).test(document.querySelector(host).shadowRoot.querySelector(policy).value),
        {}, host, policy, isDrawn.source);
    }
    const seen = () =>
      page.$eval(host, ({ shadowRoot: root }) => {
        const policy = JSON.parse(root.querySelector('[part=document] textarea').value);
        return ['temperature', 'top_p', 'repetition_penalty'].map((name) => {
          const input = root.querySelector(`#${name}`);
          return [input.value, input.placeholder, input.parentElement.querySelector('[type=range]').value, String(policy[name])];
        });
      });
    for (const [typed, placeholder, slider, effective] of await seen()) {
      assert.deepEqual([typed, placeholder, slider], ['', effective, effective]);
    }
  });
});

test('a number of tokens that is none follows one, and one that is too large as many as there may be', async () => {
  await open(async (page) => {
    await drawn(page);
    for (const [tokens, most] of [['0', 1], ['-5', 1], ['abc', 1], ['1000000', 24]]) {
      await page.$eval(host, (element, value) => element.setAttribute('tokens', value), tokens);
      await page.waitForFunction(
        (host, most) => {
          const tracks = [...document.querySelector(host).shadowRoot.querySelectorAll('.track')];
          const counts = tracks.map((track) => track.querySelectorAll('button').length);
          return counts.length === 2 && counts.every((count) => count > 0 && count <= most) && (most === 1 || Math.max(...counts) > 1);
        },
        {},
        host,
        most,
      );
    }
  });
});

test('a refused option is told in the words of the engine at its field, and what was shown stays away until it is right', async () => {
  await open(async (page) => {
    await drawn(page);
    await type(page, 'top_p', '7');
    await inside(page, host, '#top_p[aria-invalid=true]');
    assert.match(await textOf(page, host, '#error'), /^invalid_option: .*top_p.*7/);
    assert.equal(await page.$eval(`${host} >>> #top_p`, (input) => input.getAttribute('aria-describedby')), 'error');
    assert.ok((await piecesOf(page, 'greedy')).length > 0, 'greedy knows no top_p and goes on');
    await type(page, 'top_p', '0.5');
    await inside(page, host, '#top_p[aria-invalid=false]');
    await drawn(page);
  });
});

test('the policy is a document with its seed; where copying is refused it is selected', async () => {
  await open(async (page, { url }) => {
    await drawn(page);
    await page.$eval(`${host} >>> details[part=document]`, (details) => (details.open = true));
    const field = await page.$(`${host} >>> .document textarea`);
    const policy = JSON.parse(await field.evaluate((area) => area.value));
    assert.deepEqual([policy.mode, policy.top_k, policy.seed], ['sample', 12, 7]);
    const copy = async (state) => {
      await browser.defaultBrowserContext().setPermission(new URL(url).origin, { permission: { name: 'clipboard-write' }, state });
      await (await page.$(`${host} >>> .document button`)).click();
    };
    await copy('denied');
    await untilText(page, host, '.document [role=status]', /selected/);
    assert.equal(await field.evaluate((area) => area.value.slice(area.selectionStart, area.selectionEnd) === area.value), true);
    await copy('granted');
    await untilText(page, host, '.document [role=status]', /Copied/);
  });
});

test('in a page that runs from right to left the tokens of the draw stand in their segments', async () => {
  await open(async (page) => {
    await page.evaluate(() => (document.documentElement.dir = 'rtl'));
    await inside(page, host, '.draw .name');
    const outside = await page.$eval(`${host} >>> .draw`, (line) => {
      const box = (element) => element.getBoundingClientRect();
      const names = [...line.querySelectorAll('.name')].filter((name) => box(name).left < box(name.parentNode.querySelector('rect')).left);
      const ends = [...line.querySelectorAll('.end')].filter((end) => box(end).left < box(line).left - 1 || box(end).right > box(line).right + 1);
      return [...names, ...ends].map((text) => text.textContent);
    });
    assert.deepEqual(outside, []);
  });
});

test('it holds its looks in every scheme and width', async () => {
  await holdsItsLooks(browser, site.folder, drawn);
});
