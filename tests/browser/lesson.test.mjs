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
const states = (page) => page.$$eval('#progress .state', (items) => items.map((item) => item.textContent.trim()));

async function doLab(page, name, answer) {
  const lab = await page.waitForSelector(`vitrine-lab[name="${name}"]`);
  const part = (selector) => inside(page, `vitrine-lab[name="${name}"]`, selector);
  await (await part('#prediction')).type('A guess.');
  await (await part('[part=reveal]')).click();
  await part('vitrine-quiz');
  await lab.evaluate(async (element, pick) => {
    const quiz = element.shadowRoot.querySelector('vitrine-quiz');
    await quiz.updateComplete;
    quiz.questions.forEach(({ right }, index) => {
      const option = pick === 'right' || index > 0 ? right : (right + 1) % quiz.questions[index].options.length;
      quiz.shadowRoot.querySelectorAll('fieldset')[index].querySelectorAll('input')[option].click();
    });
    await quiz.updateComplete;
    quiz.shadowRoot.querySelector('button').click();
  }, answer);
}

test('a lesson with three labs keeps the progress that their events tell', { timeout: 300_000 }, async (t) => {
  await withPage(browser, { fragment: 'lesson.html' }, (page) =>
    withScreenshot(t.name, () => page.screenshot(), async () => {
      await inside(page, 'vitrine-lab', '#prediction');
      assert.deepEqual(await states(page), ['open', 'open', 'open']);
      assert.deepEqual(await violations(page), []);
      for (const name of labs) await doLab(page, name, name === 'parity' ? 'one wrong' : 'right');
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
