// The draw as a point on the cumulative line: the tokens that the last stage left lie side by side from 0 to 1, each as
// long as it is probable, and the coin falls on one of them. A pure view; which token that is, the engine says.

import { html, nothing, svg, type TemplateResult } from 'lit';

import type { Distribution } from '../engine/protocol';
import { fill, messages } from '../messages';
import { figureView } from './figure';
import { percent, visible } from './format';
import { chosenToken } from './stages';

const texts = messages('draw-line', {
  fell: 'The coin fell on {coin}: it lies on "{token}", which holds the line from {from} to {to}.',
  beyond: 'The coin fell on {coin}: it lies on "{token}", among the tokens of rank {rank} that are too small to be drawn here.',
  label: 'The cumulative line and the coin. {conclusion}',
  table: 'The cumulative line, token by token',
  token: 'Token',
  from: 'From',
  to: 'To',
  probability: 'Probability',
  rest: 'all others',
});

export interface Segment {
  text: string;
  rank: number | null;
  from: number;
  to: number;
}

/** The line of a distribution: its tokens in their order, and what is left of it as one segment without a rank. */
export function segmentsOf({ tokens }: Distribution): Segment[] {
  const segments: Segment[] = [];
  let from = 0;
  for (const { text, rank, probabilities } of tokens) {
    const probability = probabilities.at(-1) ?? 0;
    // A token that is not the next of the order is told for another reason: the line goes on with the rest.
    if (rank !== segments.length || probability === 0) continue;
    segments.push({ text, rank, from, to: from + probability });
    from += probability;
  }
  if (from < 0.9999) segments.push({ text: texts.rest, rank: null, from, to: 1 });
  return segments;
}

const place = (value: number): string => value.toFixed(4);

export function drawConclusion(distribution: Distribution, coin: number): string {
  const segment = segmentsOf(distribution).find(({ rank }) => rank === distribution.chosen_rank);
  const token = visible(chosenToken(distribution)?.text ?? '');
  if (!segment) return fill(texts.beyond, { coin: place(coin), token, rank: distribution.chosen_rank + 1 });
  return fill(texts.fell, { coin: place(coin), token, from: place(segment.from), to: place(segment.to) });
}

/** Shorter segments have no room for a name. */
const namedFrom = 0.07;

export function drawLineView(distribution: Distribution, coin: number): TemplateResult {
  const segments = segmentsOf(distribution);
  const conclusion = drawConclusion(distribution, coin);
  const at = `${100 * coin}%`;
  return figureView(
    html`
      <svg class="draw" role="img" aria-label=${fill(texts.label, { conclusion })}>
        ${segments.map(({ text, rank, from, to }, index) => {
          const kind = rank === distribution.chosen_rank ? 'chosen' : rank === null ? 'rest' : index % 2 ? 'odd' : 'even';
          return svg`
            <svg x="${100 * from}%" y="18" width="${100 * (to - from)}%" height="30">
              <rect class="segment ${kind}" width="100%" height="30"></rect>
              ${to - from >= namedFrom ? svg`<text class="name ${kind}" x="6" y="19">${rank === null ? text : visible(text)}</text>` : nothing}
            </svg>
          `;
        })}
        <line class="coin" x1=${at} x2=${at} y1="10" y2="54"></line>
        <circle class="coin" cx=${at} cy="9" r="6"></circle>
        <text class="end" x="0" y="68">0</text>
        <text class="end" x="100%" y="68" text-anchor="end">1</text>
      </svg>
    `,
    conclusion,
    {
      caption: texts.table,
      head: [texts.token, texts.from, texts.to, texts.probability],
      rows: segments.map(({ text, rank, from, to }) => [
        rank === null ? text : visible(text),
        place(from),
        place(to),
        percent(to - from),
      ]),
    },
  );
}
