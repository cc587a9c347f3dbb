// The built page, served and opened in Chromium for a test, with everything that must not happen being noted: errors,
// violations of the Content-Security-Policy, requests to another origin. It asserts nothing about the page itself.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import puppeteer from 'puppeteer-core';

import { serve } from '../../../web/serve.mjs';
import { root } from '../../../wasm/build.mjs';

export const pageFolder = path.join(root, 'build/page');

/** Loading takes a moment on a busy machine; nothing here waits so long unless it fails. */
const patience = 60_000;

/** Options of puppeteer's launch beside those that every test needs. */
export function launchBrowser(options = {}) {
  return puppeteer.launch({
    ...options,
    executablePath: process.env.VITRINE_CHROMIUM || '/usr/bin/chromium',
    headless: true,
    protocolTimeout: 180_000,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** A copy of the built page that a test may damage. */
export async function copyOfPage() {
  const folder = await mkdtemp(path.join(tmpdir(), 'vitrine-page-'));
  await cp(pageFolder, folder, { recursive: true });
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/**
 * Asks again and again until the answer is a yes, which it returns. Asked from here and by the clock, and an error is a no:
 * puppeteer by itself asks with every frame, of which a still page draws none, it asks no more when what the condition looks
 * into was not there at first, and an answer that a navigation cuts off is an error. Of a page that is closed nothing is asked.
 */
async function poll(target, ask, wanted, timeout = patience) {
  let cause;
  for (const started = Date.now(); Date.now() - started < timeout && !(target.page?.() ?? target).isClosed();) {
    try {
      const answer = await ask();
      if (answer) return answer;
    } catch (error) {
      cause = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`expected within ${timeout / 1000} s: ${wanted}`, { cause });
}

/** The yes of a page or a frame to a condition, as a handle. */
export const until = (target, condition, args = [], timeout = patience) =>
  poll(
    target,
    async () => {
      const answer = await target.evaluateHandle(condition, ...args);
      if (await answer.evaluate((value) => Boolean(value))) return answer;
      return answer.dispose();
    },
    condition,
    timeout,
  );

/** A new tab whose waiting is until(). */
export async function openTab(browser) {
  const page = await browser.newPage();
  page.setDefaultTimeout(patience);
  page.setDefaultNavigationTimeout(patience);
  page.waitForFunction = (condition, { timeout } = {}, ...args) => until(page, condition, args, timeout);
  return page;
}

/** Opens the page, its text box empty unless the fragment says else, and hands it to `body`; afterwards nothing forbidden
    may have happened. */
export async function withPage(browser, options, body) {
  const { folder = pageFolder, base = '/', fragment = '#text=', width = 1280, height = 900, features = [] } = options;
  const site = await serve({ folder, base });
  const page = await openTab(browser);
  const noted = watch(page, new URL(site.url).origin);
  try {
    await page.setViewport({ width, height });
    await page.emulateMediaFeatures(features);
    await page.evaluateOnNewDocument(() => {
      globalThis.violations = [];
      document.addEventListener('securitypolicyviolation', (event) => {
        globalThis.violations.push(`${event.violatedDirective}: ${event.blockedURI}`);
      });
    });
    await options.prepare?.(page);
    await page.goto(`${site.url}${fragment}`);
    await body(page, site);
    assert.deepEqual(await page.evaluate(() => globalThis.violations), [], 'violations of the Content-Security-Policy');
    assert.deepEqual(noted.foreign, [], 'requests to another origin');
    if (options.errors !== 'any') assert.deepEqual(noted.errors, options.errors ?? [], 'errors of the page');
    assert.ok(noted.requests > 5, `the page's requests are seen, ${noted.requests} of them`);
  } finally {
    await page.close();
    await site.close();
  }
}

/**
 * Holds back the requests for a file until release(), or until cutOff() ends the one that has come, or comes, in an error of
 * the network: a load that lasts as long as a test wants, within the 20 s of silence after which a download has stalled.
 */
export async function holdBack(page, ending) {
  const held = [];
  let open = false;
  // A request whose page was left meanwhile cannot go on, and need not.
  const goOn = (request) => request.continue().catch(() => {});
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    if (open || !request.url().endsWith(ending)) void goOn(request);
    else held.push(request);
  });
  const letGo = (end) => {
    open = true;
    return Promise.all(held.splice(0).map(end));
  };
  return {
    release: () => letGo(goOn),
    cutOff: async () => {
      await poll(page, () => held.length > 0, `a request for *${ending}`);
      await letGo((request) => request.abort());
    },
  };
}

export const weights = '.safetensors';

function watch(page, origin) {
  const noted = { requests: 0, foreign: [], errors: [] };
  page.on('request', (request) => {
    noted.requests += 1;
    if (new URL(request.url()).origin !== origin) noted.foreign.push(request.url());
  });
  page.on('pageerror', (error) => noted.errors.push(error.message));
  page.on('console', (message) => {
    // A file that a test took away is told by the browser too.
    if (message.type() === 'error' && !message.text().includes('404')) noted.errors.push(message.text());
  });
  return noted;
}

/** Puppeteer's selector of elements inside the shadow root of a host, or, unless told else, inside any within it. */
const shadowed = (host, selector, combinator = '>>>') =>
  selector
    .split(', ')
    .map((each) => `${host} ${combinator} ${each}`)
    .join(', ');

/** An element inside the shadow root of another, when it is there. */
export function inside(page, host, selector) {
  const wanted = shadowed(host, selector);
  return poll(page, () => page.$(wanted), wanted);
}

/** Workers end a moment after the last element that held them. */
export const untilNoWorker = (page) => poll(page, () => page.workers().length === 0, 'no worker');

export const untilReady = (page) => inside(page, 'vitrine-status', '.ready');

/** A text as it is read: trimmed, and every white space one blank, also that which keeps a unit on the line of its number. */
const readable = (text) => text.trim().replaceAll(/\s+/g, ' ');

export async function textOf(page, host, selector) {
  const handle = await inside(page, host, selector);
  return readable(await handle.evaluate((element) => element.textContent));
}

/** Waits until a text inside an element's shadow root, as it is read, matches, and returns it. */
export function untilText(page, host, selector, pattern) {
  const find = async () => {
    const element = await page.$(shadowed(host, selector, '>>>>'));
    const text = element && readable(await element.evaluate(({ textContent }) => textContent));
    // An empty text that matches is a yes too.
    return text !== null && pattern.test(text) ? { text } : null;
  };
  return poll(page, find, `${host} >>> ${selector} with ${pattern}`).then(({ text }) => text);
}

/**
 * Has the page itself act, once, at the next change after which a text inside an element's shadow root matches: what is there
 * for a moment may have passed by the time that a test is told of it. What comes back waits until it has acted.
 */
export async function atText(page, host, selector, pattern, act) {
  const watched = await page.evaluateHandle(
    (host, selector, source, act) => {
      const element = document.querySelector(host);
      const watched = { acted: false };
      const watch = new MutationObserver(() => {
        const text = element.shadowRoot.querySelector(selector)?.textContent ?? '';
        if (!new RegExp(source).test(text)) return;
        watch.disconnect();
        act(element);
        watched.acted = true;
      });
      watch.observe(element.shadowRoot, { subtree: true, childList: true, characterData: true });
      return watched;
    },
    host,
    selector,
    pattern.source,
    await page.evaluateHandle(`(${act})`),
  );
  return () => poll(page, () => watched.evaluate(({ acted }) => acted), `${host} >>> ${selector} with ${pattern}, and then ${act}`);
}

/** What `npx vitrine` prints as JSON, from the native build or from the wasm one. */
export async function commandLine(build, args) {
  const program = path.join(root, 'wasm/vitrine.mjs');
  const env = { ...process.env, VITRINE_BUILD: build };
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { cwd: root, env });
  return JSON.parse(stdout);
}
