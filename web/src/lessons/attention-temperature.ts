// The lab "attention-temperature": four fixed scores, and the attention weights that softmax makes of them at a
// temperature. The engine's softmax kernel computes the weights, and its twin in double stands beside them.

import { html, mathml, nothing, type TemplateResult } from 'lit';

import { lesson } from '../elements/lesson';
import type { Lessons } from '../engine/lesson-types';
import { fill, messages } from '../messages';
import { figureView } from '../views/figure';
import { percent } from '../views/format';
import { decimal, formula } from '../views/math';
import { shareBarsView } from '../views/share-bars';
import { sliderView } from '../views/slider';
import { LessonFigure } from './lesson-figure';

const scores = [1.2, 0.3, -0.4, 1.8] as const;

type Weights = Lessons['attention_temperature']['result'];

const text = messages('lab-attention-temperature-figure', {
  temperature: 'Temperature T',
  formula: 'Weight i is the exponential of score i over T, divided by the sum of these exponentials over all four keys.',
  item: 'Item',
  computed: 'Computed state',
  interpretation: 'Interpretation',
  caption: 'Four keys at temperature {temperature}: what the engine computed, and what it means',
  key: 'Key {number}, score {score}',
  state: 'weight {weight}; in double {reference}',
  most: '{percent} of the output is the value of this key: the largest share.',
  more: '{percent} of the output: more than the 25\u00a0% of an equal share.',
  less: '{percent} of the output: less than the 25\u00a0% of an equal share.',
  spread: 'All four keys',
  entropy: 'entropy {bits} bits',
  spreadMeaning: 'Of at most 2 bits, which four equal weights have.',
  conclusion: 'At temperature {temperature}, key {number} takes {percent} of the output; the entropy is {bits} of 2 bits.',
  agreement: 'Float32 and double differ by at most {difference}; declared tolerance {tolerance}.',
});

export class TemperatureFigure extends LessonFigure<'attention_temperature'> {
  static override properties = { ...LessonFigure.properties, temperature: { type: Number } };
  declare temperature: number;

  constructor() {
    super('attention_temperature');
    this.temperature = 1;
  }

  protected input(): Lessons['attention_temperature']['input'] {
    return { scores: [...scores], temperature: this.temperature };
  }

  protected controls(): TemplateResult {
    return html`
      <div class="controls">
        ${sliderView({
          id: 'temperature',
          label: text.temperature,
          min: 0.1,
          max: 5,
          step: 0.1,
          value: this.temperature,
          text: this.temperature.toFixed(1),
          onInput: (value) => {
            this.temperature = value;
            void this.ask();
          },
        })}
      </div>
      ${formula(
        mathml`
          <msub><mi>w</mi><mi>i</mi></msub><mo>=</mo>
          <mfrac>
            <msup><mi>e</mi><mrow><msub><mi>s</mi><mi>i</mi></msub><mo>/</mo><mi>T</mi></mrow></msup>
            <mrow>
              <munderover><mo>\u2211</mo><mrow><mi>j</mi><mo>=</mo><mn>1</mn></mrow><mn>4</mn></munderover>
              <msup><mi>e</mi><mrow><msub><mi>s</mi><mi>j</mi></msub><mo>/</mo><mi>T</mi></mrow></msup>
            </mrow>
          </mfrac>
        `,
        text.formula,
      )}
    `;
  }

  protected figure(result: Weights, input: Lessons['attention_temperature']['input']): TemplateResult {
    const temperature = input.temperature.toFixed(1);
    const largest = result.weights.indexOf(Math.max(...result.weights));
    const shares = result.weights.map((share, index) => ({ name: this.nameOf(index), share, text: decimal(share) }));
    const bits = result.entropy_bits.toFixed(2);
    const conclusion = fill(text.conclusion, {
      temperature,
      number: largest + 1,
      percent: percent(result.weights[largest] ?? 0),
      bits,
    });
    return html`
      ${figureView(shareBarsView(shares, conclusion), conclusion, this.table(result, largest, temperature), null)}
      <p class="agreement small" data-agreement>
        <bdi>${fill(text.agreement, {
          difference: result.max_difference.toExponential(1),
          tolerance: result.tolerance.toExponential(1),
        })}</bdi>
      </p>
    `;
  }

  private nameOf(index: number): string {
    return fill(text.key, { number: index + 1, score: decimal(scores[index] ?? 0, 1) });
  }

  private table(result: Weights, largest: number, temperature: string): Parameters<typeof figureView>[2] {
    const rows = result.weights.map((weight, index) => [
      this.nameOf(index),
      fill(text.state, { weight: decimal(weight), reference: decimal(result.reference[index] ?? null, 8) }),
      fill(index === largest ? text.most : weight > 0.25 ? text.more : text.less, { percent: percent(weight) }),
    ]);
    rows.push([text.spread, fill(text.entropy, { bits: result.entropy_bits.toFixed(4) }), text.spreadMeaning]);
    return { caption: fill(text.caption, { temperature }), head: [text.item, text.computed, text.interpretation], rows };
  }
}

customElements.define('vitrine-lab-temperature', TemperatureFigure);

export default lesson(
  'attention-temperature',
  {
    title: 'Attention temperature',
    question:
      'A query scores four keys 1.2, 0.3, \u22120.4 and 1.8. When the temperature falls from 1 to 0.5, which of the four attention weights grow, and which shrink?',
    hint: 'Softmax sees differences of scores alone, and the temperature divides them. Ask of each key whether its score lies above or below the average score, every key counted by the weight that it has now.',
    task: 'Move the temperature. Watch the second largest score, 1.2: its weight is not monotone.',
    reasoning:
      'Only the weight of the score 1.8 grows. The ratio of two weights is exp((s_i \u2212 s_j)/T), so halving T squares every ratio: what is ahead pulls further ahead.\nWhether one weight grows is decided by the weighted mean of the scores. With \u03b2 = 1/T, the derivative of w_i with respect to \u03b2 is w_i (s_i \u2212 \u03a3 w_j s_j). At T = 1 the mean is about 1.32, and only 1.8 lies above it. At very high temperatures the mean is that of equal weights, 0.725; there 1.2 lies above it too, so its weight rises first as the temperature falls, and falls later.\nA transformer\u2019s attention has such a temperature built in: scores are divided by \u221aD, with D the width of a head. The temperature of sampling is the same operation on the logits, at the other end of the model.',
    q1: 'The temperature is halved. What happens to the ratio of two weights?',
    q1a: 'It doubles.',
    q1b: 'It is squared.',
    q1c: 'It stays: softmax normalises it away.',
    q1why: 'The ratio is exp((s_i \u2212 s_j)/T). Half of T doubles the exponent, which squares the ratio. A ratio of 1 stays 1.',
    q2: 'Ten is added to all four scores, at temperature 1. What happens to the weights?',
    q2a: 'They become sharper, since the scores are larger.',
    q2b: 'They become flatter, since the relative differences are smaller.',
    q2c: 'Nothing: softmax depends on differences alone.',
    q2why: 'The common factor exp(10/T) stands in the numerator and in the denominator. That is also why kernels subtract the largest score before they take exponentials: it changes nothing but keeps the numbers finite.',
    q3: 'The temperature grows without bound. Where do the four weights go?',
    q3a: 'To 0.25 each.',
    q3b: 'To 0 each.',
    q3c: 'The largest goes to 1 and the others to 0.',
    q3why: 'All differences divided by T go to 0, so all exponentials become equal. The entropy goes to its maximum, log\u2082 4 = 2 bits.',
    q4: 'The temperature falls from very high to almost 0. How does the weight of the score 1.2 move?',
    q4a: 'It falls all the way, because it is not the largest score.',
    q4b: 'It rises all the way, because it is above the average score.',
    q4c: 'It rises at first and then falls to 0.',
    q4why: 'A weight rises while its score lies above the weighted mean. That mean itself rises from 0.725 to 1.8 as the temperature falls, and passes 1.2 on the way.',
    q5: 'Attention divides its scores by \u221aD. Which is the reason?',
    q5a: 'If the entries of queries and keys have unit variance and are independent, a product over D entries has variance D: the division keeps the spread of the scores independent of the width.',
    q5b: 'Without it the weights would not sum to 1.',
    q5c: 'It makes the products cheaper to compute.',
    q5why: 'Softmax makes the weights sum to 1 at any temperature, and the division costs a multiplication for each score. It keeps wide heads from starting with attention so sharp that hardly any gradient passes.',
  },
  ['b', 'c', 'a', 'c', 'a'],
  ({ base }) =>
    html`<vitrine-lab-temperature base=${base ?? nothing}></vitrine-lab-temperature>`,
);
