// embed.html in a frame of another origin's page, in Chromium: state in the address, controls hidden by it, height by
// message, and messages from the declared origin alone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { inside, launchBrowser, openTab, pageFolder, untilText } from './support/browser-page.mjs';
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
    const inner = await frame.evaluate(() => [document.documentElement.scrollHeight, innerHeight]);
    assert.ok(inner[0] <= inner[1] + 1, `nothing scrolls inside: ${inner}`);
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
    await frame.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
    assert.equal(await frame.evaluate(() => document.documentElement.dir), 'rtl');
    await page.$eval('iframe', (element) => element.contentWindow.postMessage({ vitrine: 'messages', texts: { 'parity.check': 'Los' } }, '*'));
    await frame.waitForFunction(() => document.querySelector('vitrine-parity').shadowRoot.querySelector('[part=check]').textContent.trim() === 'Los');
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
    await withScreenshot(t.name, () => page.screenshot(), async () => {
      await page.goto(`${files.url}embed.html?${query}`);
      await body(page);
    });
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

test('an address that was made with another bundle says so', async (t) => {
  await withAddress(t, 'element=vitrine-generator&prompt=git&bundle=weights.00000000', async (page) => {
    await page.waitForFunction(() => /made with another model.*weights: expected 00000000, found [0-9a-f]{8}/.test(document.querySelector('main > p').textContent));
  });
});

test('an address cannot say where scripts come from, and an unknown element is told', async (t) => {
  await withAddress(t, 'element=vitrine-autocomplete&text=git+comm&base=https://evil.example/&onclick=alert(1)', async (page) => {
    await untilText(page, 'vitrine-autocomplete', '[data-ghost]', /./);
    assert.deepEqual(await page.$eval('vitrine-autocomplete', (element) => element.getAttributeNames()), ['text']);
  });
  await withAddress(t, 'element=script', async (page) => {
    const told = await page.waitForSelector('[role=alert]');
    assert.match(await told.evaluate((element) => element.textContent), /expected one of .*vitrine-lab.*found "script"/);
  });
});
