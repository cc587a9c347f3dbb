// Opens a page in each of three browser engines and returns what it left in globalThis.golden. It knows no hashes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

import { launchBrowser } from '../browser/support/browser-page.mjs';
import { which } from './build.mjs';

const patience = 10 * 60_000;

async function withPuppeteer(browser, url) {
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(patience);
    await page.goto(url);
    const handle = await page.waitForFunction(() => globalThis.golden && JSON.stringify(globalThis.golden));
    return { version: await browser.version(), golden: JSON.parse(await handle.jsonValue()) };
  } finally {
    await browser.close();
  }
}

export async function launchFirefox() {
  const { default: puppeteer } = await import('puppeteer-core');
  return puppeteer.launch({ browser: 'firefox', executablePath: which('firefox-esr'), headless: true, protocolTimeout: patience });
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** One command of the W3C's WebDriver protocol. */
async function webDriver(base, method, path, body) {
  const answer = await fetch(`${base}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
  const { value } = await answer.json();
  if (!answer.ok) throw new Error(`WebDriver ${path}: ${value.error}: ${value.message}`);
  return value;
}

/**
 * MiniBrowser of WebKitGTK, driven by WebKitWebDriver on a display of its own, for as long as `body` takes. Its argument
 * has the version, go(url), run(script) for what a script returns, runInFrame(script) in the page's first frame, and
 * screenshot() as PNG.
 */
export async function withWebKit(body) {
  const display = `:${90 + (process.pid % 100)}`;
  const port = await freePort();
  const env = { ...process.env, DISPLAY: display, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' };
  const started = [spawn('Xvfb', [display], { stdio: 'ignore' })];
  try {
    await pause(1000);
    started.push(spawn('WebKitWebDriver', [`--port=${port}`], { stdio: 'ignore', env }));
    const base = `http://127.0.0.1:${port}`;
    for (let left = 50; !(await fetch(`${base}/status`).catch(() => null)) && left > 0; left -= 1) await pause(200);
    const browser = { binary: '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser', args: ['--automation'] };
    const session = await webDriver(base, 'POST', '/session', { capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': browser } } });
    const path = `/session/${session.sessionId}`;
    const { browserName, browserVersion } = session.capabilities;
    const run = (script) => webDriver(base, 'POST', `${path}/execute/sync`, { script, args: [] });
    const enter = (id) => webDriver(base, 'POST', `${path}/frame`, { id });
    try {
      return await body({
        version: `${browserName} ${browserVersion}`,
        go: (url) => webDriver(base, 'POST', `${path}/url`, { url }),
        run,
        async runInFrame(script) {
          await enter(0);
          try {
            return await run(script);
          } finally {
            await enter(null);
          }
        },
        screenshot: async () => Buffer.from(await webDriver(base, 'GET', `${path}/screenshot`), 'base64'),
      });
    } finally {
      await webDriver(base, 'DELETE', path);
    }
  } finally {
    for (const child of started.reverse()) child.kill();
  }
}

function inWebKit(url) {
  return withWebKit(async ({ version, go, run }) => {
    await go(url);
    const end = Date.now() + patience;
    let text = null;
    while (text === null && Date.now() < end) {
      await pause(500);
      text = await run('return globalThis.golden ? JSON.stringify(globalThis.golden) : null;');
    }
    return { version, golden: text === null ? { error: 'no result in time' } : JSON.parse(text) };
  });
}

/** Each engine: the programs that it needs, the packages that bring them, and open(url) to { version, golden }. */
export const engines = [
  { name: 'Chromium', programs: ['chromium'], packages: ['chromium'], open: async (url) => withPuppeteer(await launchBrowser(), url) },
  { name: 'Firefox', programs: ['firefox-esr'], packages: ['firefox-esr'], open: async (url) => withPuppeteer(await launchFirefox(), url) },
  { name: 'WebKit', programs: ['WebKitWebDriver', 'Xvfb'], packages: ['webkit2gtk-driver', 'xvfb'], open: inWebKit },
];
