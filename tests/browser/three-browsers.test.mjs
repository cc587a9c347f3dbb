// The main paths in Chromium, Firefox and WebKit: the page completes, a lab is done, an element is embedded from another
// origin, as itself and in a frame, and one address gives the same tokens in all three and in the command line. A browser
// that is absent is skipped.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { commandLine, pageFolder } from './support/browser-page.mjs';
import { hostPage, serveFiles, servePages } from './support/hosts.mjs';
import { withScreenshot } from './support/screenshots.mjs';
import { browsers } from './support/three-browsers.mjs';

let files;
let host;
before(async () => {
  files = await serveFiles(pageFolder);
  const pages = {
    '/': hostPage(`<script type="module" src="${files.url}vitrine.js"></script><vitrine-autocomplete text="git comm"></vitrine-autocomplete>`),
  };
  host = await servePages(pages);
  const query = new URLSearchParams({ element: 'vitrine-lab', name: 'rope', hide: 'hint', origin: host.url });
  pages['/frame'] = hostPage(`<script src="${files.url}vitrine-frame.js"></script>
    <iframe data-vitrine title="A lab" width="700" src="${files.url}embed.html?${query}"></iframe>`);
});
after(async () => {
  await files?.close();
  await host?.close();
});

const policy = { mode: 'sample', temperature: 0.9, top_p: 0.97, top_k: 60, seed: 20261130, max_new_tokens: 32 };
const prompt = 'docker run --';

/** The whole state as an address, as the frame's page reads and writes it. */
const address = () => {
  const values = new URLSearchParams({ element: 'vitrine-generator', prompt });
  for (const [name, value] of Object.entries(policy)) values.set(name, value);
  return `${files.url}embed.html?${values}`;
};

let expected;
async function expectedText() {
  const options = Object.entries(policy).flatMap(([name, value]) => [`--${name.replaceAll('_', '-')}`, String(value)]);
  expected ??= (await commandLine('native', ['generate', '--bundle', 'web/models/shell', '--prompt', prompt, ...options, '--json'])).text;
  return expected;
}

async function pageCompletes(tab) {
  await tab.go(`${files.url}index.html#text=git+comm`);
  assert.match(await tab.until(`return find('vitrine-status >>> .ready')?.textContent;`), /parameters/);
  assert.match(await tab.until(`return find('vitrine-autocomplete >>> [data-ghost]')?.textContent;`), /\S/);
}

async function addressGivesItsTokens(tab) {
  await tab.go(address());
  await tab.until(`return find('vitrine-generator >>> button[type=submit][aria-disabled=false]') !== null;`);
  await tab.run(`find('vitrine-generator >>> button[type=submit]').click(); return true;`);
  await tab.until(`return /\\d/.test(find('vitrine-generator >>> .after')?.textContent ?? '');`);
  assert.equal(await tab.run(`return find('vitrine-generator >>> [data-output]').textContent;`), await expectedText());
  const seen = await tab.run(`return location.search;`);
  for (const [name, value] of Object.entries({ ...policy, prompt })) assert.equal(new URLSearchParams(seen).get(name), String(value));
}

async function labIsDone(tab) {
  await tab.go(`${files.url}embed.html?element=vitrine-lab&name=attention-temperature`);
  await tab.until(`return find('vitrine-lab >>> #prediction') !== null;`);
  await tab.run(`
    globalThis.told = null;
    document.addEventListener('vitrine-lab-result', ({ detail }) => (globalThis.told = detail));
    const box = find('vitrine-lab >>> #prediction');
    box.value = 'The largest alone.';
    box.dispatchEvent(new Event('input'));
    return true;`);
  await tab.run(`find('vitrine-lab >>> [part=reveal]').click(); return true;`);
  const table = await tab.until(`return find('vitrine-lab >>> vitrine-lab-temperature >>> tbody')?.textContent;`);
  for (const weight of ['0.2915', '0.1185', '0.0589', '0.5311']) assert.ok(table.includes(weight), weight);
  await tab.run(`
    const quiz = find('vitrine-lab >>> vitrine-quiz');
    quiz.questions.forEach(({ right }, index) => quiz.shadowRoot.querySelectorAll('fieldset')[index].querySelectorAll('input')[right].click());
    return true;`);
  await tab.run(`find('vitrine-lab >>> vitrine-quiz >>> button').click(); return true;`);
  const result = JSON.parse(await tab.until(`return globalThis.told && JSON.stringify(globalThis.told);`));
  assert.deepEqual([result.lab, result.score, result.passed, result.predicted], ['attention-temperature', 1, true, 'The largest alone.']);
}

async function embeddedFromAnotherOrigin(tab) {
  await tab.go(host.url);
  assert.match(await tab.until(`return find('vitrine-autocomplete >>> [data-ghost]')?.textContent;`), /\S/);
}

async function framedFromAnotherOrigin(tab) {
  await tab.go(`${host.url}frame`);
  await tab.frame.until(`return find('vitrine-lab >>> #prediction') !== null;`);
  const low = await tab.until(`const { clientHeight } = find('iframe'); return clientHeight > 250 && clientHeight;`);
  await tab.run(`
    document.addEventListener('vitrine-lab-predicted', ({ detail, target }) => (globalThis.told = { ...detail, from: target.localName }));
    const { contentWindow } = find('iframe');
    const say = (message) => contentWindow.postMessage(message, ${JSON.stringify(files.url)});
    say({ vitrine: 'appearance', theme: 'dark', lang: 'de', dir: 'rtl' });
    say({ vitrine: 'messages', texts: { 'lab.reveal': 'Zeigen' } });
    return true;`);
  await tab.frame.until(`
    const { lang, dir, dataset } = document.documentElement;
    return lang === 'de' && dir === 'rtl' && dataset.theme === 'dark' && find('vitrine-lab >>> [part=reveal]').textContent === 'Zeigen';`);
  await tab.frame.run(`
    const box = find('vitrine-lab >>> #prediction');
    box.value = 'Both turn.';
    box.dispatchEvent(new Event('input'));
    return true;`);
  await tab.frame.run(`find('vitrine-lab >>> [part=reveal]').click(); return true;`);
  const told = JSON.parse(await tab.until(`return globalThis.told && JSON.stringify(globalThis.told);`));
  assert.deepEqual(told, { lab: 'rope', predicted: 'Both turn.', from: 'iframe' });
  await tab.until(`return find('iframe').clientHeight > ${low} + 400;`);
  assert.equal(await tab.frame.run(`return getComputedStyle(find('vitrine-lab >>> [part=hint]')).display;`), 'none');
}

for (const { name, why, use } of browsers) {
  test(`${name}: completes, gives an address's tokens, does a lab, embeds, frames`, { timeout: 600_000 }, async (t) => {
    if (why) return t.skip(why);
    await use((tab) =>
      withScreenshot(t.name, () => tab.screenshot(), async () => {
        await pageCompletes(tab);
        await addressGivesItsTokens(tab);
        await labIsDone(tab);
        await embeddedFromAnotherOrigin(tab);
        await framedFromAnotherOrigin(tab);
      }),
    );
  });
}
