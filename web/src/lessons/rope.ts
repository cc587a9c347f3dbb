// The lab "rope": a query and a key, each rotated to its position, pair by pair, and their product, which their distance
// alone decides. The engine rotates and multiplies; here its pairs are drawn as arrows.

import { html, nothing, svg, type TemplateResult } from 'lit';

import { lesson } from '../elements/lesson';
import type { Lessons } from '../engine/lesson-types';
import { fill, messages } from '../messages';
import { figureView, type FigureTable } from '../views/figure';
import { decimal } from '../views/math';
import { sliderView } from '../views/slider';
import { LessonFigure } from './lesson-figure';

type Rotation = Lessons['rope']['result'];
type Places = Lessons['rope']['input'];
type Pair = Rotation['pairs'][number];

const query = [1, 0.5, -0.8, 0.6] as const;
const key = [0.7, -0.4, 0.9, 0.3] as const;
const theta = 100;
const lastPosition = 63;

const text = messages('lab-rope-figure', {
  queryPosition: 'Position of the query',
  keyPosition: 'Position of the key',
  query: 'query',
  key: 'key',
  legend: 'Query: solid. Key: dashed. Thin: before the rotation; thick: after it.',
  dial: 'Pair {number}: the query at {query} radians, the key at {key} radians',
  pair: 'Pair {number}, frequency {frequency}',
  dials: 'Query at {query}, key at {key}: pair 1 turned by {fast} and {fastKey} radians, pair {last} by {slow} and {slowKey}.',
  plane: 'Pair',
  dialTable: 'Each pair of entries, before and after the rotation by position times frequency',
  angleQuery: 'Query, angle',
  angleKey: 'Key, angle',
  queryAfter: 'Query, before > after',
  keyAfter: 'Key, before > after',
  product: 'The product is {product} at distance {distance}. Moving both together by {least} to {most} positions changes it by at most {difference}: rounding.',
  productTable: 'The product with both positions moved together',
  shift: 'Both moved by',
  productHead: 'Query times key',
  where: 'Query and key at',
  places: '{query} and {key}',
});

const size = 120;
const reach = 1.35;

function arrow(kind: 'query' | 'key', [x, y]: readonly [number, number], when: 'before' | 'after'): TemplateResult {
  const at = (value: number): string => ((value / reach) * (size / 2)).toFixed(2);
  return svg`
    <line class="arrow ${kind} ${when}" x1="0" y1="0" x2=${at(x)} y2=${at(-y)}></line>
    <circle class=${kind} cx=${at(x)} cy=${at(-y)} r=${when === 'after' ? 4 : 2}></circle>
  `;
}

function dialView(pair: Pair, index: number): TemplateResult {
  const values = { number: index + 1, query: decimal(pair.query_angle, 2), key: decimal(pair.key_angle, 2) };
  return html`
    <div class="dial">
      <svg viewBox="${-size / 2} ${-size / 2} ${size} ${size}" role="img" aria-label=${fill(text.dial, values)}>
        <circle class="rim" r=${size / 2 / reach}></circle>
        <line class="axis" x1=${-size / 2} y1="0" x2=${size / 2} y2="0"></line>
        <line class="axis" y1=${-size / 2} x1="0" y2=${size / 2} x2="0"></line>
        ${arrow('query', pair.query.before, 'before')} ${arrow('key', pair.key.before, 'before')}
        ${arrow('query', pair.query.after, 'after')} ${arrow('key', pair.key.after, 'after')}
      </svg>
      <span class="small">${fill(text.pair, { number: index + 1, frequency: Number(pair.frequency.toPrecision(3)) })}</span>
    </div>
  `;
}

const turn = ({ before, after }: Pair['query']): string =>
  `(${before.map((value) => decimal(value, 3)).join(', ')}) > (${after.map((value) => decimal(value, 3)).join(', ')})`;

export class RopeFigure extends LessonFigure<'rope'> {
  static override properties = {
    ...LessonFigure.properties,
    queryPosition: { type: Number, attribute: 'query-position' },
    keyPosition: { type: Number, attribute: 'key-position' },
  };
  declare queryPosition: number;
  declare keyPosition: number;

  constructor() {
    super('rope');
    this.queryPosition = 12;
    this.keyPosition = 7;
  }

  protected input(): Lessons['rope']['input'] {
    const { queryPosition: query_position, keyPosition: key_position } = this;
    return { query: [...query], key: [...key], query_position, key_position, theta };
  }

  protected controls(): TemplateResult {
    const move = (change: () => void) => {
      change();
      void this.ask();
    };
    return html`
      <div class="controls">
        ${sliderView({
          id: 'query-position',
          label: text.queryPosition,
          min: 0,
          max: lastPosition,
          step: 1,
          value: this.queryPosition,
          text: String(this.queryPosition),
          onInput: (value) => move(() => (this.queryPosition = value)),
        })}
        ${sliderView({
          id: 'key-position',
          label: text.keyPosition,
          min: 0,
          max: lastPosition,
          step: 1,
          value: this.keyPosition,
          text: String(this.keyPosition),
          onInput: (value) => move(() => (this.keyPosition = value)),
        })}
      </div>
    `;
  }

  protected figure(result: Rotation, at: Places): TemplateResult {
    const dials = html`
      <div class="dials">${result.pairs.map(dialView)}</div>
      <p class="small soft">${text.legend}</p>
    `;
    return html`
      ${figureView(dials, this.dialConclusion(result, at), this.dialTable(result))}
      ${figureView(nothing, this.productConclusion(result, at), this.productTable(result, at), null)}
    `;
  }

  private dialConclusion({ pairs }: Rotation, at: Places): string {
    const [first, last] = [pairs[0], pairs.at(-1)];
    if (!first || !last) return '';
    return fill(text.dials, {
      query: at.query_position,
      key: at.key_position,
      fast: decimal(first.query_angle, 2),
      fastKey: decimal(first.key_angle, 2),
      last: pairs.length,
      slow: decimal(last.query_angle, 2),
      slowKey: decimal(last.key_angle, 2),
    });
  }

  private dialTable({ pairs }: Rotation): FigureTable {
    const rows = pairs.map((pair, index) => [
      fill(text.pair, { number: index + 1, frequency: Number(pair.frequency.toPrecision(3)) }),
      decimal(pair.query_angle, 3),
      decimal(pair.key_angle, 3),
      turn(pair.query),
      turn(pair.key),
    ]);
    const head = [text.plane, text.angleQuery, text.angleKey, text.queryAfter, text.keyAfter];
    return { caption: text.dialTable, head, rows };
  }

  private productConclusion({ product, shifted }: Rotation, at: Places): string {
    const shifts = shifted.map(({ shift }) => shift);
    const difference = Math.max(...shifted.map((moved) => Math.abs(moved.product - product)));
    return fill(text.product, {
      product: decimal(product, 6),
      distance: at.query_position - at.key_position,
      least: Math.min(...shifts),
      most: Math.max(...shifts),
      difference: difference === 0 ? '0' : difference.toExponential(1),
    });
  }

  private productTable({ shifted }: Rotation, at: Places): FigureTable {
    const rows = shifted.map(({ shift, product }) => [
      String(shift),
      fill(text.places, { query: at.query_position + shift, key: at.key_position + shift }),
      decimal(product, 8),
    ]);
    return { caption: text.productTable, head: [text.shift, text.where, text.productHead], rows };
  }
}

customElements.define('vitrine-lab-rope', RopeFigure);

export default lesson(
  'rope',
  {
    title: 'Rotary positions',
    question:
      'A query stands at position 12 and a key at position 7; both were rotated to their positions. Now both move forward by 100. What happens to the two rotated vectors, and what to their product?',
    hint: 'Rotating both vectors of a plane by the same angle does not change the angle between them.',
    task: 'Move the query and the key. Keep their distance while you move both, then change it.',
    reasoning:
      'Both vectors turn, and their product stays. RoPE splits a head of width D into D/2 planes and turns plane i by position times frequency, with frequencies that fall from 1 towards 1/\u03b8. A query turned by m\u03c9 and a key turned by n\u03c9 meet at an angle that contains (m \u2212 n)\u03c9 alone, so the score is a function of the two vectors and of their distance.\nThe table below the figure shows the same product for every shift, up to rounding: the angles differ, so sine and cosine round differently. That is why the promise of parity is not that shifted texts have equal bits. It is that a key is rotated to its absolute position once, when it is stored, and every later step reads those same bits.\nThe fast planes resolve neighbours and repeat themselves soon; the slow ones tell far from near. This figure uses \u03b8 = 100 and D = 4, so that the second plane can be seen to turn; the shell model has \u03b8 = 10,000 and D = 40.',
    q1: 'Which vectors does RoPE rotate?',
    q1a: 'Queries, keys and values.',
    q1b: 'Queries and keys.',
    q1c: 'The embeddings, once, before the first layer.',
    q1why: 'Positions are to influence who attends to whom, which the product of query and key decides. What is passed on, the value, is left as it is.',
    q2: 'Why can a cache keep keys that are rotated already?',
    q2a: 'A key\u2019s absolute position never changes, so its rotation is done once and for all.',
    q2b: 'The cache rotates them back when they are read.',
    q2c: 'It cannot: they have to be rotated anew in each step, as the distance grows.',
    q2why: 'The growing distance is the query\u2019s matter: each new query is rotated to its own, later position. The stored key stays valid.',
    q3: 'What does the rotation do to the length of a vector?',
    q3a: 'It grows with the position.',
    q3b: 'It shrinks with the position.',
    q3c: 'Nothing, apart from rounding.',
    q3why: 'A rotation keeps lengths. RoPE adds nothing to the vector, unlike embeddings of positions that are added.',
    q4: 'An implementation rotates every query and key twice. Does comparing cached with full-prefix logits reveal it?',
    q4a: 'No: both lanes are wrong alike, and agree. Only logits recorded elsewhere show it.',
    q4b: 'Yes: the cached keys are rotated twice and the others once.',
    q4c: 'Yes: the product is no longer a function of the distance.',
    q4why: 'Twice the rotation is a rotation by twice the distance, in both lanes. This is the fault rope_twice of Vitrine\u2019s list, and the bundle\u2019s self-test catches it.',
    q5: 'Which planes distinguish a token 3 positions away from one 4 positions away best?',
    q5a: 'Those of low frequency.',
    q5b: 'Those of high frequency.',
    q5c: 'All alike.',
    q5why: 'At frequency 1 one position is a turn of one radian; at frequency 1/1000 it is hardly a turn at all. The slow planes are for long distances.',
  },
  ['b', 'a', 'c', 'a', 'b'],
  ({ base }) => html`<vitrine-lab-rope base=${base ?? nothing}></vitrine-lab-rope>`,
);
