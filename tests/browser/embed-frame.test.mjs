// embed.html in a frame of another origin's page, in Chromium: state in the address, controls hidden by it, height by
// message, and messages from the declared origin alone.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { holdBack, inside, launchBrowser, openTab, pageFolder, until, untilText } from './support/browser-page.mjs';
import { root } from '../../wasm/build.mjs';
import { hostPage, serveFiles, servePages } from './support/hosts.mjs';
import { visibleText, withScreenshot } from './support/screenshots.mjs';

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

const frameTag = (query, id = 'frame') => `<iframe id="${id}" data-vitrine title="A lab" width="700" src="${files.url}embed.html?${query}"></iframe>`;

/** Opens a course's page with a frame, and hands over page, frame and host. `query` is made when the host's address is known. */
async function withFrame(t, query, body) {
  const pages = {};
  const host = await servePages(pages);
  pages['/'] = hostPage(
    `<script src="${files.url}vitrine-frame.js"></script>
    <script>addEventListener('message', (event) => (globalThis.told ??= []).push(event.data))</script>
    ${frameTag(query(host))}`,
  );
  const page = await openTab(browser);
  try {
    await withScreenshot(t.name, () => page.screenshot(), async () => {
      await page.goto(host.url);
      const frame = await (await page.waitForSelector('iframe')).contentFrame();
      await body({ page, frame, host });
    });
  } finally {
    await page.close();
    await host.close();
  }
}

const declared = (query) => (host) => `${query}&origin=${encodeURIComponent(host.url)}`;
const height = (page) => page.$eval('iframe', (frame) => frame.clientHeight);
const told = (page) => page.evaluate(() => globalThis.told ?? []);

test('a frame is as high as its element, and follows it', async (t) => {
  await withFrame(t, declared('element=vitrine-lab&name=parity'), async ({ page, frame }) => {
    await inside(frame, 'vitrine-lab', '#prediction');
    await page.waitForFunction(() => document.querySelector('iframe').clientHeight > 250);
    const before = await height(page);
    await (await inside(frame, 'vitrine-lab', '#prediction')).type('None.');
    await (await inside(frame, 'vitrine-lab', '[part=reveal]')).click();
    await page.waitForFunction((least) => document.querySelector('iframe').clientHeight > least, {}, before + 400);
    await until(frame, () => document.documentElement.scrollHeight <= innerHeight + 1);
  });
});

test("a lab's result reaches the parent as an event of the frame", async (t) => {
  await withFrame(t, declared('element=vitrine-lab&name=parity'), async ({ page, frame }) => {
    await page.evaluate(() => {
      document.addEventListener('vitrine-lab-result', ({ detail, target }) => (globalThis.result = { detail, from: target.id }));
    });
    await (await inside(frame, 'vitrine-lab', '#prediction')).type('None.');
    await (await inside(frame, 'vitrine-lab', '[part=reveal]')).click();
    const quiz = await inside(frame, 'vitrine-lab', 'vitrine-quiz');
    await quiz.evaluate((element) => {
      for (const fieldset of element.shadowRoot.querySelectorAll('fieldset')) fieldset.querySelector('input').click();
      element.shadowRoot.querySelector('button').click();
    });
    const handle = await page.waitForFunction(() => globalThis.result);
    const { detail, from } = await handle.jsonValue();
    assert.equal(from, 'frame');
    assert.equal(detail.lab, 'parity');
    assert.equal(detail.predicted, 'None.');
    assert.deepEqual(detail.answers, [0, 0, 0, 0, 0]);
  });
});

test('a frame that declares no origin, or another one, tells a foreign parent nothing', async (t) => {
  for (const query of [() => 'element=vitrine-lab&name=parity', () => 'element=vitrine-lab&name=parity&origin=https://other.example']) {
    await withFrame(t, query, async ({ page, frame }) => {
      await inside(frame, 'vitrine-lab', '#prediction');
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.deepEqual(await told(page), []);
      assert.equal(await height(page), 150, 'the height of any frame');
    });
  }
});

test('a frame takes messages from its declared parent, and a parent takes them from its frames alone', async (t) => {
  const appearance = { vitrine: 'appearance', theme: 'dark', dir: 'rtl', lang: 'ar' };
  const theme = (frame) => frame.evaluate(() => document.documentElement.dataset.theme ?? 'auto');
  await withFrame(t, declared('element=vitrine-parity&theme=light'), async ({ page, frame }) => {
    await inside(frame, 'vitrine-parity', 'button');
    await page.$eval('iframe', (element, message) => element.contentWindow.postMessage(message, '*'), appearance);
    await until(frame, () => document.documentElement.dataset.theme === 'dark');
    assert.equal(await frame.evaluate(() => document.documentElement.dir), 'rtl');
    await page.$eval('iframe', (element) => element.contentWindow.postMessage({ vitrine: 'messages', texts: { 'parity.check': 'Los' } }, '*'));
    await until(frame, () => document.querySelector('vitrine-parity').shadowRoot.querySelector('[part=check]').textContent.trim() === 'Los');
    await page.evaluate(() => postMessage({ vitrine: 'height', height: 7777 }, '*'));
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.notEqual(await height(page), 7777);
  });
  await withFrame(t, () => 'element=vitrine-parity&theme=light&origin=https://other.example', async ({ page, frame }) => {
    await inside(frame, 'vitrine-parity', 'button');
    await page.$eval('iframe', (element, message) => element.contentWindow.postMessage(message, '*'), appearance);
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(await theme(frame), 'light');
  });
});

/** embed.html itself, as a page. */
async function withAddress(t, query, body) {
  const page = await openTab(browser);
  try {
    const show = async () => {
      await page.goto(`${files.url}embed.html?${query}`);
      await body(page);
    };
    await withScreenshot(t.name, () => page.screenshot(), show, async () => `${page.url()}: ${await visibleText(page)}`);
  } finally {
    await page.close();
  }
}

test('the address says element, attributes, policy, seed, appearance and language, and what is hidden', async (t) => {
  const query = 'element=vitrine-generator&prompt=kubectl+get+&seed=41&temperature=0.5&mode=sample&theme=dark&lang=de&dir=rtl&hide=title,stop';
  await withAddress(t, query, async (page) => {
    await inside(page, 'vitrine-generator', '#prompt');
    const seen = await page.evaluate(() => {
      const { lang, dir, dataset } = document.documentElement;
      const root = document.querySelector('vitrine-generator').shadowRoot;
      const policy = root.querySelector('vitrine-policy').shadowRoot;
      const shown = (selector) => root.querySelector(selector)?.checkVisibility() ?? null;
      return {
        lang,
        dir,
        theme: dataset.theme,
        prompt: root.querySelector('#prompt').value,
        seed: policy.querySelector('#seed').value,
        temperature: policy.querySelector('#temperature').value,
        title: shown('[part~=title]'),
        stop: shown('[part~=stop]'),
        generate: shown('[part~=generate]'),
      };
    });
    assert.deepEqual(seen, {
      lang: 'de',
      dir: 'rtl',
      theme: 'dark',
      prompt: 'kubectl get ',
      seed: '41',
      temperature: '0.5',
      title: false,
      stop: false,
      generate: true,
    });
  });
});

test('the stages of the policy show that of the address, and what it does not say as it is at first', async (t) => {
  const query = 'element=vitrine-sampling&prompt=git+co&temperature=0.5&top_p=&seed=41&repetition_penalty=1.5&penalty_prompt=true';
  await withAddress(t, query, async (page) => {
    await inside(page, 'vitrine-sampling', '.tracks');
    const typed = await page.$eval('vitrine-sampling', ({ shadowRoot: root }) =>
      ['prompt', 'temperature', 'top_k', 'top_p', 'repetition_penalty'].map((id) => root.querySelector(`#${id}`).value));
    assert.deepEqual(typed, ['git co', '0.5', '12', '', '1.5']);
    const policy = JSON.parse(await page.$eval('vitrine-sampling >>> [part=document] textarea', (area) => area.value));
    const { temperature, top_k, seed, repetition_penalty, penalty_prompt } = policy;
    assert.deepEqual([temperature, top_k, seed, repetition_penalty, penalty_prompt], [0.5, 12, 41, 1.5, true]);
  });
});

test('in a page from right to left drawings keep their sides, and a number its sign', async (t) => {
  await withAddress(t, 'element=vitrine-inside&dir=rtl', async (page) => {
    await inside(page, 'vitrine-inside', '.map svg');
    const { names, rows, below, floor } = await page.$eval('vitrine-inside >>> .map svg', (svg) => {
      const boxes = (selector) => [...svg.querySelectorAll(selector)].map((element) => element.getBoundingClientRect());
      return {
        names: Math.max(...boxes('.head').map((box) => box.right)),
        rows: Math.min(...boxes('.row').map((box) => box.left)),
        below: Math.min(...boxes('.column-name').map((box) => box.top)),
        floor: Math.max(...boxes('.row').map((box) => box.bottom)),
      };
    });
    assert.ok(names <= rows, `the names of heads end at ${names}, the rows begin at ${rows}`);
    assert.ok(below >= floor - 1, `the names of tokens begin at ${below}, the rows end at ${floor}`);
  });
  await withAddress(t, 'element=vitrine-sampling&dir=rtl', async (page) => {
    await inside(page, 'vitrine-sampling', '.share');
    // The percent sign stands after its number where that is read from left to right.
    const [number, sign] = await page.$eval('vitrine-sampling >>> .share', ({ childNodes }) => {
      const text = [...childNodes].find(({ nodeType, data }) => nodeType === Node.TEXT_NODE && data.includes('%'));
      return [0, text.data.indexOf('%')].map((at) => {
        const range = document.createRange();
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        return range.getBoundingClientRect().left;
      });
    });
    assert.ok(number < sign, `${number} and ${sign}`);
  });
});

test('what the visitor sets goes into the address, and a reload shows it again', async (t) => {
  await withAddress(t, 'element=vitrine-generator&prompt=git&hide=title', async (page) => {
    const field = await inside(page, 'vitrine-generator', '#prompt');
    await field.type(' pu');
    const seed = await inside(page, 'vitrine-generator >>> vitrine-policy', '#seed');
    await seed.type('5');
    await page.waitForFunction(() => /prompt=git\+pu/.test(location.search) && /seed=75/.test(location.search) && /bundle=architecture\./.test(location.search) && /hide=title/.test(location.search));
    await page.reload();
    await inside(page, 'vitrine-generator', '#prompt');
    assert.equal(await page.$eval('vitrine-generator >>> #prompt', (input) => input.value), 'git pu');
    assert.equal(await page.$eval('vitrine-generator >>> vitrine-policy >>> #seed', (input) => input.value), '75');
  });
});

/** What a visitor sets in each element, and what its address says then and an element says after a reload. */
const settings = {
  'vitrine-autocomplete': { set: ['#box', 'docker run --'], query: 'text=docker+run+--' },
  'vitrine-parity': { set: ['#seed', '11'], query: 'seed=11' },
  'vitrine-lanes': { set: ['#prompt', 'npm'], query: 'prompt=npm' },
  'vitrine-sampling': { set: ['#top_k', '5'], query: 'top_k=5' },
  'vitrine-inside': { set: ['#text', 'curl'], query: 'text=curl' },
  'vitrine-faults': { check: 'input[value=rope_twice]', query: 'fault=rope_twice' },
  'vitrine-training': { set: ['#text', 'one line'], check: 'input[value=overfit]', query: 'text=one+line&way=overfit', bundle: false },
};

test('the address carries what is set in each element, with the mark of its bundle if it has one', { timeout: 300_000 }, async (t) => {
  for (const [name, { set, check, query, bundle = true }] of Object.entries(settings)) {
    await withAddress(t, `element=${name}&theme=dark`, async (page) => {
      if (set) {
        const field = await inside(page, name, set[0]);
        await field.evaluate((input, text) => {
          input.value = text;
          input.dispatchEvent(new InputEvent('input', { bubbles: true }));
        }, set[1]);
      }
      if (check) await (await inside(page, name, check)).evaluate((input) => input.click());
      const wanted = `?element=${name}&theme=dark&${query}${bundle ? '&bundle=architecture.' : ''}`;
      await page.waitForFunction((start) => location.search.startsWith(start), {}, wanted);
      assert.equal(new URL(page.url()).searchParams.has('bundle'), bundle, page.url());
      await page.reload();
      if (set) {
        await page.waitForFunction(
          (name, id, text) => document.querySelector(name)?.shadowRoot.querySelector(id)?.value === text, {}, name, ...set);
      }
      if (check) {
        await page.waitForFunction((name, id) => document.querySelector(name)?.shadowRoot.querySelector(id)?.checked, {}, name, check);
      }
    });
  }
});

test('a long text to train on is not carried, and the settings are', async (t) => {
  await withAddress(t, 'element=vitrine-training', async (page) => {
    for (const [id, value] of [['#text', 'a line of text\n'.repeat(400)], ['#steps', '20']]) {
      await (await inside(page, 'vitrine-training', id)).evaluate((input, text) => {
        input.value = text;
        input.dispatchEvent(new InputEvent('input', { bubbles: true }));
      }, value);
    }
    await page.waitForFunction(() => location.search === '?element=vitrine-training&steps=20');
    await page.reload();
    assert.match(await (await inside(page, 'vitrine-training', '#text')).evaluate((area) => area.value), /^On Monday it rains/);
    assert.equal(await page.$eval('vitrine-training >>> #steps', (input) => input.value), '20');
  });
});

test('a seed beyond the exact numbers is refused as it stands in the address', async (t) => {
  const seed = '9007199254740993';
  for (const [name, submit] of [['generator', '[part=generate]'], ['parity', '[part=check]'], ['training', '[part=train]']]) {
    await withAddress(t, `element=vitrine-${name}&seed=${seed}`, async (page) => {
      await (await inside(page, `vitrine-${name}`, `${submit}[aria-disabled=false]`)).evaluate((button) => button.click());
      const host = name === 'generator' ? 'vitrine-generator >>> vitrine-policy' : `vitrine-${name}`;
      const told = await inside(page, host, '[role=alert]');
      assert.match(await told.evaluate((element) => element.textContent), /seed: expected an integer from 0 to 9007199254740991, found "9007199254740993"/);
    });
  }
});

test('a prompt that is longer than the context is refused, and the error belongs to its field', async (t) => {
  const prompt = 'git '.repeat(300).trim();
  const tooLong = /^context_full: prompt: expected at most 256 tokens, found 301/;
  for (const [name, submit, words] of [
    ['vitrine-generator', '[part=generate]', tooLong],
    ['vitrine-parity', '[part=check]', /^invalid_option: tokens: expected at least the 301 of the prompt, found 40/],
    ['vitrine-lanes', '[data-step]', tooLong],
    ['vitrine-sampling', null, tooLong],
  ]) {
    await withAddress(t, `element=${name}&prompt=${encodeURIComponent(prompt)}`, async (page) => {
      if (submit) await (await inside(page, name, `${submit}[aria-disabled=false]`)).evaluate((button) => button.click());
      const field = await inside(page, name, '#prompt[aria-invalid=true]');
      const told = await field.evaluate((input) => input.getRootNode().getElementById(input.getAttribute('aria-describedby')).textContent);
      assert.match(told, words, name);
    });
  }
});

/** The controls that can be seen, through shadow roots, by what they are. */
const visibleControls = (page) =>
  page.evaluate(() => {
    const within = (root) =>
      [...root.querySelectorAll('*')].flatMap((element) => [
        ...(element.matches('button, input, select, textarea') && element.checkVisibility() ? [element.outerHTML.slice(0, 200)] : []),
        ...(element.shadowRoot ? within(element.shadowRoot) : []),
      ]);
    return within(document);
  });

/** What is there when an element shows all its controls. */
const complete = { lab: '#prediction', cache: '[part=leave]', sampling: '.tracks', inside: '.dials', faults: '[part=run]', autocomplete: '[data-reuse]' };
/** Parts that hold several controls: each of these has to have a name of its own, or one with what it belongs to. */
const holders = ['panel', 'controls', 'actions'];

test('every control of every element can be hidden by the name of a part', { timeout: 300_000 }, async (t) => {
  const { modules } = JSON.parse(await readFile(path.join(root, 'custom-elements.json'), 'utf8'));
  const declarations = modules.flatMap((module) => module.declarations);
  assert.ok(declarations.length > 10);
  for (const { tagName, cssParts, attributes } of declarations) {
    assert.ok(attributes.some(({ name }) => name === 'hide'), tagName);
    await withAddress(t, `element=${tagName}&name=parity&text=git+comm`, async (page) => {
      await inside(page, tagName, complete[tagName.replace('vitrine-', '')] ?? 'section');
      if (tagName !== 'vitrine-proof') assert.notDeepEqual(await visibleControls(page), [], tagName);
      const names = cssParts.map(({ name }) => name).filter((name) => !holders.includes(name));
      await page.$eval(tagName, (element, hide) => element.setAttribute('hide', hide), names.join(' '));
      await page.waitForFunction((tag) => document.querySelector(tag).shadowRoot.querySelector('[part~=title]').checkVisibility() === false, {}, tagName);
      assert.deepEqual(await visibleControls(page), [], tagName);
    });
  }
});

test("hide reaches the figure of a lab, by the address and by the lab's attribute", async (t) => {
  await withAddress(t, 'element=vitrine-lab&name=parity&hide=seed,hint', async (page) => {
    await (await inside(page, 'vitrine-lab', '#prediction')).type('None.');
    await (await inside(page, 'vitrine-lab', '[part=reveal]')).click();
    const figure = 'vitrine-lab >>> vitrine-parity';
    await inside(page, figure, '#seed');
    const shown = async (...selectors) => {
      const seen = selectors.map((selector) => page.$eval(selector, (element) => element.checkVisibility()));
      return Promise.all(seen);
    };
    const controls = [`${figure} >>> #seed`, `${figure} >>> #tokens`, 'vitrine-lab >>> [part=hint]'];
    assert.deepEqual(await shown(...controls), [false, true, false]);
    await page.$eval('vitrine-lab', (lab) => lab.setAttribute('hide', 'tokens'));
    await page.waitForFunction(() => document.querySelector('vitrine-lab').shadowRoot.querySelector('vitrine-parity').shadowRoot.querySelector('#seed').checkVisibility());
    assert.deepEqual(await shown(...controls), [true, false, true]);
  });
});

test('what is set while the model loads leaves the mark of the address, and another bundle is told', async () => {
  const page = await openTab(browser);
  try {
    const { release } = await holdBack(page, 'worker.js');
    await page.goto(`${files.url}embed.html?element=vitrine-generator&prompt=git&bundle=weights.00000000`);
    await (await inside(page, 'vitrine-generator', '#prompt')).type('x');
    await page.waitForFunction(() => location.search.includes('prompt=gitx'));
    await release();
    await page.waitForFunction(() => /weights: expected 00000000/.test(document.querySelector('main > p').textContent));
  } finally {
    await page.close();
  }
});

test('an address that was made with another bundle says so', async (t) => {
  await withAddress(t, 'element=vitrine-generator&prompt=git&bundle=weights.00000000', async (page) => {
    await page.waitForFunction(() => /made with another model.*weights: expected 00000000, found [0-9a-f]{8}/.test(document.querySelector('main > p').textContent));
  });
});

test('an address cannot say where scripts come from, and an unknown element is told', async (t) => {
  await withAddress(t, 'element=vitrine-autocomplete&text=git+comm&base=https://evil.example/&onclick=alert(1)', async (page) => {
    await untilText(page, 'vitrine-autocomplete', '[data-ghost]', /./);
    assert.deepEqual(await page.$eval('vitrine-autocomplete', (element) => element.getAttributeNames()), ['text']);
    assert.equal(await page.$eval('vitrine-autocomplete', (element) => element.base), null);
  });
  await withAddress(t, 'element=script', async (page) => {
    const told = await page.waitForSelector('[role=alert]');
    assert.match(await told.evaluate((element) => element.textContent), /expected one of .*vitrine-lab.*found "script"/);
  });
});
