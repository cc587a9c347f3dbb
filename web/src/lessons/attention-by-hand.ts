// The lab "attention-by-hand": one head of scaled dot-product attention on two queries and three keys, substituted step by
// step, beside the reference in double. Every number is the engine's; the visitor's are passed on as they were typed.

import { html, mathml, nothing, type TemplateResult } from 'lit';

import { lesson } from '../elements/lesson';
import type { Lessons } from '../engine/lesson-types';
import { fill, messages } from '../messages';
import { numberOrText } from '../state/policy-fields';
import { dataTableView } from '../views/figure';
import { decimal, formula, matrix, numberMatrix } from '../views/math';
import { LessonFigure } from './lesson-figure';

type Attention = Lessons['attention_by_hand']['result'];
type Input = Lessons['attention_by_hand']['input'];
type Operand = 'q' | 'k' | 'v';
type Texts = Record<Operand, string[][]>;

const initial: Texts = {
  q: [
    ['1.0', '0.5'],
    ['-0.5', '2.0'],
  ],
  k: [
    ['1.0', '0.0'],
    ['0.5', '1.0'],
    ['-1.0', '1.5'],
  ],
  v: [
    ['1.0', '2.0'],
    ['3.0', '-1.0'],
    ['0.0', '4.0'],
  ],
};

const text = messages('lab-attention-by-hand-figure', {
  q: 'Q, queries',
  k: 'K, keys',
  v: 'V, values',
  entry: '{name}, row {row}, column {column}',
  wide: 'Give every key a third entry: shapes that do not fit',
  causal: 'Causal mask: no query sees a later key',
  reset: 'The first numbers again',
  notANumber: '{entry}: expected a number such as -0.5, found "{found}".',
  symbols: 'Symbols, shapes and units',
  symbol: 'Symbol',
  shape: 'Shape',
  meaning: 'Meaning and unit',
  qMeaning: 'T = {T} queries of D = {D} entries; pure numbers',
  kMeaning: 'S = {S} keys of D = {D} entries; pure numbers',
  vMeaning: 'S = {S} values of D = {D} entries, in the unit of the residual stream',
  scoresMeaning: 'Scores: each query times each key, scaled; pure numbers',
  weightsMeaning: 'Weights: shares that sum to 1 in each row; pure numbers',
  outputMeaning: 'Output: weighted means of the values, in their unit',
  products: 'Multiply each query with each key:',
  scale: 'Scale by one over the root of D:',
  mask: 'Mask what lies after each query: a score of minus infinity is a weight of exactly 0.',
  softmax: 'Softmax of each row: the weights.',
  mix: 'Mix the values by the weights: the output.',
  agreement:
    'Reference in double: {reference}. The engine\u2019s float32 output differs by at most {difference}; declared tolerance {tolerance}: it is {verdict} it.',
  within: 'within',
  beyond: 'beyond',
});

const operands = ['q', 'k', 'v'] as const;
/** A number that was given, as a formula writes it: with a true minus sign, and in brackets where it follows another sign. */
const signed = (given: number): string => String(given).replaceAll('-', '\u2212');
const factor = (given: number): string => (given < 0 ? `(${signed(given)})` : signed(given));
const copy = (rows: readonly string[][]): string[][] => rows.map((row) => [...row]);

export class ByHandFigure extends LessonFigure<'attention_by_hand'> {
  static override properties = {
    ...LessonFigure.properties,
    texts: { state: true },
    wide: { state: true },
    causal: { state: true },
  };
  declare texts: Texts;
  /** Keys with one entry too many. */
  declare wide: boolean;
  declare causal: boolean;

  constructor() {
    super('attention_by_hand');
    this.texts = initial;
    this.wide = false;
    this.causal = true;
  }

  private numbers(operand: Operand): number[][] {
    return this.texts[operand].map((row) => row.map(Number));
  }

  protected input(): Input {
    const k = this.numbers('k').map((row) => (this.wide ? [...row, 0] : row));
    return { q: this.numbers('q'), k, v: this.numbers('v'), causal: this.causal };
  }

  private isNumber(value: string): boolean {
    return typeof numberOrText(value) === 'number';
  }

  /** Counted from 0, as the engine's errors and the positions of a text are. */
  private nameOf(operand: Operand, row: number, column: number): string {
    return fill(text.entry, { name: operand.toUpperCase(), row, column });
  }

  /** What stands in a field that is no number, in words; the engine is not asked about it. */
  private get wrong(): string | null {
    for (const operand of operands) {
      for (const [row, cells] of this.texts[operand].entries()) {
        const column = cells.findIndex((cell) => !this.isNumber(cell));
        if (column < 0) continue;
        return fill(text.notANumber, { entry: this.nameOf(operand, row, column), found: cells[column] ?? '' });
      }
    }
    return null;
  }

  private change(operand: Operand, row: number, column: number, value: string): void {
    const rows = copy(this.texts[operand]);
    (rows[row] as string[])[column] = value;
    this.set({ texts: { ...this.texts, [operand]: rows } });
  }

  private set(changed: Partial<Pick<ByHandFigure, 'texts' | 'wide' | 'causal'>>): void {
    Object.assign(this, changed);
    if (this.wrong === null) void this.ask();
  }

  protected controls(): TemplateResult {
    const { wrong } = this;
    return html`
      <div class="numbers">${operands.map((operand) => this.operandView(operand))}</div>
      <div class="controls">
        ${this.checkView('causal', text.causal)} ${this.checkView('wide', text.wide)}
        <button type="button" part="reset" @click=${() => this.set({ texts: initial, wide: false, causal: true })}>${text.reset}</button>
      </div>
      ${wrong === null ? nothing : html`<p class="error" role="alert"><bdi>${wrong}</bdi></p>`}
    `;
  }

  private checkView(name: 'causal' | 'wide', label: string): TemplateResult {
    const onChange = (event: Event): void => this.set({ [name]: (event.target as HTMLInputElement).checked });
    return html`
      <label class="choice" part=${name}><input type="checkbox" id=${name} .checked=${this[name]} @change=${onChange} />${label}</label>
    `;
  }

  private operandView(operand: Operand): TemplateResult {
    return html`
      <fieldset part=${operand}>
        <legend>${text[operand]}</legend>
        ${this.texts[operand].map(
          (cells, row) => html`
            <div class="row">
              ${cells.map(
                (cell, column) => html`
                  <input
                    id="${operand}${row}${column}"
                    inputmode="decimal"
                    autocomplete="off"
                    aria-label=${this.nameOf(operand, row, column)}
                    aria-invalid=${!this.isNumber(cell)}
                    .value=${cell}
                    @input=${(event: Event) => this.change(operand, row, column, (event.target as HTMLInputElement).value)}
                  />
                `,
              )}
            </div>
          `,
        )}
      </fieldset>
    `;
  }

  protected figure(result: Attention, input: Input): TemplateResult | typeof nothing {
    // The numbers of before, beside a field that says otherwise, would be read as its result.
    if (this.wrong !== null) return nothing;
    return html`
      ${this.symbolsView(result)}
      ${formula(
        mathml`
          <mi>O</mi><mo>=</mo><mi>softmax</mi><mo>(</mo>
          <mfrac><mrow><mi>Q</mi><msup><mi>K</mi><mi>T</mi></msup></mrow><msqrt><mi>D</mi></msqrt></mfrac>
          <mo>+</mo><mi>M</mi><mo>)</mo><mi>V</mi>
        `,
        'O = softmax(Q K transposed / root of D + M) V',
      )}
      <ol class="steps">
        ${this.productsStep(result, input)}
        ${this.step(text.scale, this.scaleMath(result), `S = ${decimal(result.scale)} times P`)}
        ${input.causal ? this.step(text.mask, mathml`<mi>S</mi><mo>+</mo><mi>M</mi><mo>=</mo>${numberMatrix(result.masked)}`, 'S + M') : nothing}
        ${this.step(text.softmax, mathml`<mi>W</mi><mo>=</mo>${numberMatrix(result.weights)}`, 'W')}
        ${this.step(text.mix, this.mixMath(result, input), 'O = W V')}
      </ol>
      ${this.agreementView(result)}
    `;
  }

  private step(sentence: string, content: TemplateResult, label: string): TemplateResult {
    return html`<li>${sentence}${formula(content, label)}</li>`;
  }

  private productsStep(result: Attention, { q, k }: Input): TemplateResult {
    const substituted = q.map((query) =>
      k.map((key) => query.map((entry, index) => `${factor(entry)}\u00b7${factor(key[index] ?? 0)}`).join(' + ')),
    );
    const given = mathml`<mi>P</mi><mo>=</mo><mi>Q</mi><msup><mi>K</mi><mi>T</mi></msup><mo>=</mo>${matrix(substituted)}`;
    const computed = mathml`<mi>P</mi><mo>=</mo>${numberMatrix(result.products)}`;
    return html`<li>${text.products}${formula(given, 'P = Q K transposed, substituted')}${formula(computed, 'P')}</li>`;
  }

  private scaleMath({ scale, scores }: Attention): TemplateResult {
    return mathml`
      <mi>S</mi><mo>=</mo><mfrac><mn>1</mn><msqrt><mi>D</mi></msqrt></mfrac><mi>P</mi><mo>=</mo>
      <mn>${decimal(scale)}</mn><mo>\u00b7</mo><mi>P</mi><mo>=</mo>${numberMatrix(scores)}
    `;
  }

  private mixMath({ weights, output }: Attention, { v }: Input): TemplateResult {
    return mathml`
      <mi>O</mi><mo>=</mo><mi>W</mi><mi>V</mi><mo>=</mo>${numberMatrix(weights)}${matrix(v.map((row) => row.map(signed)))}<mo>=</mo>
      ${numberMatrix(output)}
    `;
  }

  private symbolsView({ shapes }: Attention): TemplateResult {
    const sizes = { T: shapes.q[0], S: shapes.k[0], D: shapes.q[1] };
    const row = (symbol: string, shape: [number, number], names: string, meaning: string): string[] => [
      symbol,
      `[${names}] = [${shape.join(', ')}]`,
      fill(meaning, sizes),
    ];
    return dataTableView({
      caption: text.symbols,
      head: [text.symbol, text.shape, text.meaning],
      rows: [
        row('Q', shapes.q, 'T, D', text.qMeaning),
        row('K', shapes.k, 'S, D', text.kMeaning),
        row('V', shapes.v, 'S, D', text.vMeaning),
        row('S', shapes.scores, 'T, S', text.scoresMeaning),
        row('W', shapes.weights, 'T, S', text.weightsMeaning),
        row('O', shapes.output, 'T, D', text.outputMeaning),
      ],
    });
  }

  private agreementView({ reference, max_difference: difference, tolerance }: Attention): TemplateResult {
    const within = difference <= tolerance;
    const values = {
      reference: reference.map((row) => `(${row.map((value) => decimal(value, 8)).join(', ')})`).join(', '),
      difference: difference.toExponential(1),
      tolerance: tolerance.toExponential(1),
      verdict: within ? text.within : text.beyond,
    };
    return html`<p class="agreement small ${within ? '' : 'different'}" data-agreement><bdi>${fill(text.agreement, values)}</bdi></p>`;
  }
}

customElements.define('vitrine-lab-by-hand', ByHandFigure);

export default lesson(
  'attention-by-hand',
  {
    title: 'Scaled dot-product attention, by hand',
    question:
      'Two queries, the last two tokens of a text of three, meet three keys under a causal mask. What is the shape of the score matrix, how many of its entries are masked, and what does each row of the weights sum to?',
    hint: 'The first of the two queries stands at the second position. The last query sees everything.',
    task: 'Follow the substitution, then change numbers. Make a key point along a query and see the weight follow. Give the keys a third entry to see what a shape error looks like.',
    reasoning:
      'The scores have the shape [T, S] = [2, 3]: a row for each query, a column for each key. One entry is masked: the first query stands at position 1 and must not see key 2. Row by row the weights sum to 1, because softmax normalises over the keys that a query sees.\nThe mask works before the softmax, as a score of minus infinity. Zeroing a weight afterwards would leave a row that sums to less than 1, and would already have let the hidden key take part in the normalisation.\nIn decode there is one query, T = 1, and it stands at the last position: nothing is masked, and K and V come from the cache. That one row is what a cached step computes.',
    q1: 'Q is [T, D], K is [S, D] and V is [S, D]. What is the shape of the output?',
    q1a: '[S, D]',
    q1b: '[T, D]',
    q1c: '[T, S]',
    q1why: 'Weights [T, S] times values [S, D]: one mixed value for each query.',
    q2: 'A head has D = 64. By which factor are the products scaled?',
    q2a: '1/64',
    q2b: '8',
    q2c: '1/8',
    q2why: 'One over the root of D: 1/8.',
    q3: 'Why is the mask added before the softmax, and not multiplied into the weights after it?',
    q3a: 'Hidden keys would take part in the normalisation, and the visible weights would sum to less than 1.',
    q3b: 'The result is the same, but adding is cheaper.',
    q3c: 'Because weights cannot be multiplied by zero in floating point.',
    q3why: 'The denominator of the softmax would still contain the hidden scores: information leaks, and the rows no longer sum to 1.',
    q4: 'Two keys are equal, and all else differs. What do their weights for one query look like?',
    q4a: 'The earlier key gets more.',
    q4b: 'They are equal, if the query sees both.',
    q4c: 'Each gets half of the whole.',
    q4why: 'Equal keys give equal scores, and equal scores equal weights. Without positions attention does not know which came first; RoPE changes the keys to tell them apart.',
    q5: 'Float32 and double differ by about one part in ten million here. What should the declared tolerance be derived from?',
    q5a: 'From the largest difference that was seen, with a margin.',
    q5b: 'From the unit roundoff of float32, the number of operations and the size of the numbers.',
    q5c: 'From what makes the test pass on all machines.',
    q5why: 'A tolerance that is taken from the observed error approves of whatever is observed. It has to follow from an error bound; then exceeding it means a bug.',
  },
  ['b', 'c', 'a', 'b', 'b'],
  ({ base }) => html`<vitrine-lab-by-hand base=${base ?? nothing}></vitrine-lab-by-hand>`,
);
