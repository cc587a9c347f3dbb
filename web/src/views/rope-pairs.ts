// The rotation of RoPE: each pair of a query's entries as an arrow before and after it is turned. A pure view: angles and
// entries are the engine's, arrows are drawn to one length.

import { html, svg, type SVGTemplateResult, type TemplateResult } from 'lit';

import type { Inside } from '../engine/protocol';
import { fill, messages } from '../messages';
import { figureView } from './figure';
import { count } from './format';

const texts = messages('rope-pairs', {
  label: 'Pairs of the query before and after their rotation. {conclusion}',
  conclusion: 'At position {position} the first pair has turned by {first}\u00a0rad ({turns} turns), the last by {last}\u00a0rad: the fast pairs tell neighbours apart, the slow ones what lies far away.',
  atZero: 'At position 0 nothing turns: before and after are the same.',
  legend: 'dashed: before; solid: after the rotation',
  table: 'Pairs of the first query head of layer 0 (theta {theta}, pairing {pairing})',
  pair: 'Pair',
  frequency: 'Frequency, rad per position',
  angle: 'Angle, rad',
  before: 'Before',
  after: 'After',
  caption: '{angle}\u00a0rad',
});

const short = (value: number): string => {
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size < 0.001) return value.toExponential(1);
  return size < 10 ? value.toFixed(3) : value.toFixed(1);
};

export function ropeConclusion({ rope, position }: Pick<Inside, 'rope' | 'position'>): string {
  const first = rope.pairs[0];
  const last = rope.pairs.at(-1);
  if (position === 0 || !first || !last) return texts.atZero;
  const turns = (first.angle / (2 * Math.PI)).toFixed(1);
  return fill(texts.conclusion, { position, first: short(first.angle), turns, last: short(last.angle) });
}

const radius = 24;
const centre = 28;

function arrow([x, y]: [number, number], kind: string): SVGTemplateResult {
  const length = Math.hypot(x, y) || 1;
  // The y axis of a picture points down, that of a plane up.
  const toX = centre + (x / length) * radius;
  const toY = centre - (y / length) * radius;
  return svg`
    <line class=${kind} x1=${centre} y1=${centre} x2=${toX} y2=${toY}></line>
    <circle class=${kind} cx=${toX} cy=${toY} r="3"></circle>
  `;
}

const pairText = ([x, y]: [number, number]): string => `(${short(x)}, ${short(y)})`;

export function ropeView({ rope, position }: Pick<Inside, 'rope' | 'position'>): TemplateResult {
  const conclusion = ropeConclusion({ rope, position });
  return figureView(
    html`
      <div class="dials" role="img" aria-label=${fill(texts.label, { conclusion })}>
        ${rope.pairs.map(
          ({ angle, before, after }, pair) => html`
            <div class="dial">
              <svg width="56" height="56" viewBox="0 0 56 56">
                <circle class="rim" cx=${centre} cy=${centre} r=${radius}></circle>
                ${arrow(before, 'before')} ${arrow(after, 'after')}
              </svg>
              <bdi><strong>${pair}</strong> ${fill(texts.caption, { angle: short(angle) })}</bdi>
            </div>
          `,
        )}
      </div>
      <p class="small soft legend"><bdi>${texts.legend}</bdi></p>
    `,
    conclusion,
    {
      caption: fill(texts.table, { theta: count(rope.theta), pairing: rope.pairing }),
      head: [texts.pair, texts.frequency, texts.angle, texts.before, texts.after],
      rows: rope.pairs.map(({ frequency, angle, before, after }, pair) => [
        pair,
        short(frequency),
        short(angle),
        pairText(before),
        pairText(after),
      ]),
    },
  );
}
