// The lesson page in Chromium: three labs that share one engine, and a list of progress that follows their events and is
// there again after a reload.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { violations } from './support/axe.mjs';
import { inside, launchBrowser, withPage } from './support/browser-page.mjs';
import { withScreenshot } from './support/screenshots.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const labs = ['attention-by-hand', 'kv-cache-growth', 'parity'];
const states = (page) => page.$$eval('#progress .state', (items) => items.map((item) => item.textContent.trim().replaceAll('\u00a0', ' ')));

const toldOf = (page) => page.$eval('#told', (element) => element.textContent);

/** Checks the quiz of a lab, as it stands, with the right answers or with so many of the first ones wrong. */
async function answer(page, name, wrong) {
  const lab = await page.waitForSelector(`vitrine-lab[name="${name}"]`);
  await lab.evaluate(async (element, wrong) => {
    const quiz = element.shadowRoot.querySelector('vitrine-quiz');
    const button = () => quiz.shadowRoot.querySelector('button');
    await quiz.updateComplete;
    if (quiz.checked) button().click();
    await quiz.updateComplete;
    quiz.questions.forEach(({ right, options }, index) => {
      const option = index < wrong ? (right + 1) % options.length : right;
      quiz.shadowRoot.querySelectorAll('fieldset')[index].querySelectorAll('input')[option].click();
    });
    await quiz.updateComplete;
    button().click();
  }, wrong);
}

async function doLab(page, name, wrong) {
  const part = (selector) => inside(page, `vitrine-lab[name="${name}"]`, selector);
  await (await part('#prediction')).type('A guess.');
  await (await part('[part=reveal]')).click();
  await part('vitrine-quiz');
  await answer(page, name, wrong);
}

test('a lesson with three labs keeps the progress that their events tell', { timeout: 300_000 }, async (t) => {
  await withPage(browser, { fragment: 'lesson.html' }, (page) =>
    withScreenshot(t.name, () => page.screenshot(), async () => {
      await inside(page, 'vitrine-lab', '#prediction');
      assert.deepEqual(await states(page), ['open', 'open', 'open']);
      assert.deepEqual(await violations(page), []);
      for (const name of labs) await doLab(page, name, name === 'parity' ? 1 : 0);
      await page.waitForFunction(() => document.querySelectorAll('#progress .passed').length === 3);
      assert.deepEqual(await states(page), ['passed, 100 %', 'passed, 100 %', 'passed, 80 %']);
      assert.match(await page.$eval('#told', (element) => element.textContent), /3 of 3 labs passed/);
      assert.equal(page.workers().length, 1, 'three labs share one engine');
      assert.deepEqual(await violations(page), []);
      await page.setViewport({ width: 320, height: 640 });
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
      await page.reload();
      await inside(page, 'vitrine-lab', '[data-record]');
      assert.deepEqual(await states(page), ['passed, 100 %', 'passed, 100 %', 'passed, 80 %']);
    }),
  );
});

test('the list keeps the best result, as the lab does, and forgets it with the lab', { timeout: 120_000 }, async (t) => {
  const prepare = (page) =>
    page.evaluateOnNewDocument(() => localStorage.setItem('vitrine-lab-parity', '{"lab":"parity","score":2,"passed":true}'));
  await withPage(browser, { fragment: 'lesson.html', prepare }, (page) =>
    withScreenshot(t.name, () => page.screenshot(), async () => {
      await inside(page, 'vitrine-lab', '#prediction');
      assert.deepEqual(await states(page), ['open', 'open', 'open'], 'what no lab kept is not shown');
      await doLab(page, 'attention-by-hand', 0);
      await page.waitForFunction(() => document.querySelectorAll('#progress .passed').length === 1);
      await answer(page, 'attention-by-hand', 3);
      await page.waitForFunction(() => {
        const quiz = document.querySelector('vitrine-lab').shadowRoot.querySelector('vitrine-quiz');
        return /40\s%/.test(quiz.shadowRoot.querySelector('[data-score]').textContent);
      });
      assert.deepEqual(await states(page), ['passed, 100 %', 'open', 'open']);
      assert.match(await toldOf(page), /1 of 3 labs passed/);
      const forget = await inside(page, 'vitrine-lab[name="attention-by-hand"]', '[part=record] button');
      await forget.click();
      await page.waitForFunction(() => document.querySelector('#progress .state').textContent === 'open');
      assert.match(await toldOf(page), /0 of 3 labs passed/);
      const focused = await page.evaluate(() => document.activeElement.shadowRoot?.activeElement?.id);
      assert.equal(focused, 'title', 'the focus stays in the lab');
    }),
  );
});
