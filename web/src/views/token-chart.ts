// Multiply-adds of each token in both lanes, as bars: the cached lane filled, the full prefix outlined above it.
// A pure view; its caption says in words what the picture shows, and the token table holds the numbers.

import { html, svg, type SVGTemplateResult, type TemplateResult } from 'lit';

import type { RunStep } from '../engine/protocol';
import { fill, messages } from '../messages';
import { tokenCosts } from '../runs/run';
import { count, counted, magnitude, ratio } from './format';

const texts = messages('token-chart', {
  label_one: 'Multiply-adds of {n} token in both lanes.',
  label_other: 'Multiply-adds of {n} tokens in both lanes.',
  first: 'The first token computes the whole prompt in both lanes; each further one parts them.',
  later: 'Token {n} cost {cached} multiply-adds with the cache and {factor} as many without.',
  begin: 'token 1',
  highest: 'highest bar: {n}',
});

const width = 480;
const height = 104;

/** Multiply-adds of one token in the two lanes. */
export interface Bar {
  cached: number;
  full: number;
}

function bars(values: readonly Bar[]): SVGTemplateResult[] {
  const largest = Math.max(...values.flatMap((bar) => [bar.cached, bar.full]));
  // Few tokens should not become blocks as wide as the chart.
  const slot = width / Math.max(values.length, 24);
  const thickness = Math.max(slot * 0.72, slot - 3, 0.5);
  const scale = (value: number): number => (value / largest) * (height - 2);
  return values.map((bar, index) => {
    const x = index * slot + (slot - thickness) / 2;
    const full = scale(bar.full);
    const cached = scale(bar.cached);
    const floor = height - 0.5;
    return svg`
      <rect class="full" x=${x} y=${floor - full} width=${thickness} height=${full}></rect>
      <rect class="cached" x=${x} y=${floor - cached} width=${thickness} height=${Math.max(cached, 1)}></rect>
    `;
  });
}

/** The compared tokens in order. */
export function barsOf(steps: readonly RunStep[]): Bar[] {
  return tokenCosts(steps).flatMap(({ cached, full }) =>
    full === null ? [] : [{ cached: cached.multiply_adds, full: full.multiply_adds }],
  );
}

/** What the bars show, in words; `values` holds at least one. */
export function conclusion(values: readonly Bar[]): string {
  const last = values.at(-1) as Bar;
  const factor = last.full / Math.max(last.cached, 1);
  // A prompt that no cache knew costs the same in both lanes; one whose beginning was reused does not.
  if (values.length === 1 && last.cached === last.full) {
    return texts.first;
  }
  return fill(texts.later, { n: count(values.length), cached: magnitude(last.cached), factor: ratio(factor) });
}

/** The steps of a run, in order. */
export function tokenChartView(steps: readonly RunStep[]): TemplateResult {
  const values = barsOf(steps);
  if (values.length === 0) return html``;
  const largest = Math.max(...values.map((bar) => bar.full));
  const label = `${counted(values.length, texts.label_one, texts.label_other)} ${conclusion(values)}`;
  return html`
    <figure class="chart">
      <svg viewBox="0 0 ${width} ${height}" role="img" aria-label=${label}>
        <line class="axis" x1="0" y1=${height - 0.5} x2=${width} y2=${height - 0.5}></line>
        ${bars(values)}
      </svg>
      <p class="ends small soft" aria-hidden="true">
        <bdi>${texts.begin}</bdi><bdi>${fill(texts.highest, { n: magnitude(largest) })}</bdi>
      </p>
      <figcaption class="small"><bdi>${conclusion(values)}</bdi></figcaption>
    </figure>
  `;
}
