// A lab used as a person would: by keyboard, from the prediction to the quiz. It judges nothing.
import { inside, untilText } from './browser-page.mjs';

const lab = 'vitrine-lab';

/** Opens a lab alone, in the page that frames show, and notes the results that it tells. */
export async function noteResults(page) {
  await page.evaluateOnNewDocument(() => {
    globalThis.labResults = [];
    document.addEventListener('vitrine-lab-result', ({ detail }) => globalThis.labResults.push(detail));
  });
}

export const labAddress = (name, more = '') => `embed.html?element=vitrine-lab&name=${name}${more}`;

export const results = (page) => page.evaluate(() => globalThis.labResults);

/** The innermost element that has the focus: its id, and its text. */
export const focused = (page) =>
  page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return { id: element.id, name: element.name, text: element.textContent.trim(), value: element.value };
  });

export async function tabTo(page, wanted, most = 80) {
  for (let presses = 0; presses < most; presses += 1) {
    await page.keyboard.press('Tab');
    if (wanted(await focused(page))) return;
  }
  throw new Error(`the keyboard did not reach it in ${most} steps; at ${JSON.stringify(await focused(page))}`);
}

/** Writes a prediction and reveals the figure, by keyboard alone. */
export async function predictAndReveal(page, prediction) {
  await inside(page, lab, '#prediction');
  await tabTo(page, ({ id }) => id === 'prediction');
  await page.keyboard.type(prediction);
  await tabTo(page, ({ text }) => text === 'Show the figure');
  await page.keyboard.press('Enter');
  await inside(page, lab, '[part=look]');
}

/** The right option of each question. */
export const rightAnswers = (page) =>
  page.$eval(`${lab} >>> vitrine-quiz`, (quiz) => quiz.questions.map(({ right }) => right));

/** Chooses an option of every question and checks, by keyboard alone. */
export async function answerAll(page, options) {
  const quiz = await inside(page, lab, 'vitrine-quiz');
  for (const [question, option] of options.entries()) {
    const radios = await quiz.evaluateHandle((element, number) => element.shadowRoot.querySelectorAll('fieldset')[number], question);
    const first = await radios.$(`input[value="${option}"]`);
    await first.focus();
    await page.keyboard.press('Space');
  }
  await tabTo(page, ({ text }) => text === 'Check the answers', 20);
  await page.keyboard.press('Enter');
}

/** Takes the wrong answers back: the focus is still on the button that checked. */
export async function tryAgain(page) {
  const { text } = await focused(page);
  if (text !== 'Try again') throw new Error(`expected the focus on "Try again", found it on "${text}"`);
  await page.keyboard.press('Enter');
}

export const score = (page) => untilText(page, `${lab} >>> vitrine-quiz`, '[data-score]', /./);
