// The same few commands for Chromium, Firefox and WebKit: go to an address, run a script, wait until one returns something.
// What only one of them can do belongs elsewhere.
import { launchFirefox, withWebKit } from '../../machines/browsers.mjs';
import { which } from '../../machines/build.mjs';
import { launchBrowser } from './browser-page.mjs';

const patience = 120_000;
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Scripts are texts that return something; in them `find` goes through shadow roots: find('vitrine-lab >>> #prediction'). */
const withFind = (script) =>
  `const find = (path) => path.split(' >>> ').reduce((at, part) => at && (at === document ? at : at.shadowRoot)?.querySelector(part), document); ${script}`;

const scripts = (run) => ({
  run: (script) => run(withFind(script)),
  /** What the script returns, as soon as that is truthy. */
  async until(script) {
    const end = Date.now() + patience;
    for (;;) {
      const value = await run(withFind(script));
      if (value) return value;
      if (Date.now() > end) throw new Error(`nothing in ${patience / 1000} s: ${script}`);
      await pause(200);
    }
  },
});

const tab = ({ version, go, run, runInFrame, screenshot }) => ({ version, go, screenshot, ...scripts(run), frame: scripts(runInFrame) });

async function withPuppeteer(launch, body) {
  const browser = await launch();
  const within = (frame, script) => frame.evaluate(`(() => { ${script} })()`);
  try {
    const page = await browser.newPage();
    page.setDefaultNavigationTimeout(patience);
    return await body(
      tab({
        version: await browser.version(),
        go: (url) => page.goto(url),
        run: (script) => within(page, script),
        runInFrame: (script) => within(page.frames()[1], script),
        screenshot: () => page.screenshot(),
      }),
    );
  } finally {
    await browser.close();
  }
}

const missing = (programs) => programs.filter((name) => which(name) === null);

/** Each browser's name, use(body), and why it cannot be used here: null when it can. */
export const browsers = [
  { name: 'Chromium', why: null, use: (body) => withPuppeteer(launchBrowser, body) },
  { name: 'Firefox', programs: ['firefox-esr'], use: (body) => withPuppeteer(launchFirefox, body) },
  { name: 'WebKit', programs: ['WebKitWebDriver', 'Xvfb'], use: (body) => withWebKit((driver) => body(tab(driver))) },
].map((browser) => {
  const absent = missing(browser.programs ?? []);
  return { ...browser, why: absent.length > 0 ? `not installed: ${absent.join(', ')}` : null };
});
