// A run as two tracks on one scale of time: the cached lane and the full prefix, each token a block, prefill hatched and
// decode plain. A pure view of the engine's times.

import { html, nothing, svg, type SVGTemplateResult, type TemplateResult } from 'lit';

import type { LaneCost } from '../engine/protocol';
import { fill, messages } from '../messages';
import type { TokenCost } from '../runs/run';
import { milliseconds, ratio } from './format';

const texts = messages('timeline', {
  cached: 'Cached',
  full: 'Full prefix',
  label: 'Time of each token in both lanes, on one scale.',
  prefill: 'hatched: until the first token (prefill)',
  decode: 'plain: each token after it (decode)',
  first: 'The first token came after {first}.',
  later: 'The first token came after {first}, each further one after {each}. Without the cache, the last one took {last}, and the run {factor} as long.',
});

const width = 1000;
const height = 22;

/** What the tracks show, in words; there is at least one token. */
export function timelineConclusion(costs: readonly TokenCost[]): string {
  const [first, ...rest] = costs as [TokenCost, ...TokenCost[]];
  const values = { first: milliseconds(first.cached.ms) };
  const last = rest.at(-1)?.full;
  if (!last) return fill(texts.first, values);
  const sum = (lane: 'cached' | 'full', of: readonly TokenCost[]): number =>
    of.reduce((total, cost) => total + (cost[lane]?.ms ?? 0), 0);
  return fill(texts.later, {
    ...values,
    each: milliseconds(sum('cached', rest) / rest.length),
    last: milliseconds(last.ms),
    factor: ratio(sum('full', costs) / sum('cached', costs)),
  });
}

function trackView(
  lane: 'cached' | 'full',
  costs: ReadonlyArray<LaneCost | null>,
  scale: number,
): TemplateResult {
  let at = 0;
  const blocks: SVGTemplateResult[] = [];
  costs.forEach((cost, index) => {
    if (cost === null) return;
    const wide = cost.ms * scale;
    const kind = index === 0 ? `${lane} prefill` : lane;
    blocks.push(svg`<rect class=${kind} x=${at} y="0.5" width=${Math.max(wide - 1, 0.5)} height=${height - 1}></rect>`);
    // Stripes over the block, since a pattern would be stretched with the picture.
    if (index === 0) {
      for (let x = at + 6; x < at + wide - 2; x += 12) {
        blocks.push(svg`<line class="stripe" x1=${x} x2=${x} y1="1" y2=${height - 1}></line>`);
      }
    }
    at += wide;
  });
  const total = costs.reduce((sum, cost) => sum + (cost?.ms ?? 0), 0);
  return html`
    <div class="track">
      <span><span class="key ${lane}" aria-hidden="true"></span>${texts[lane]}</span>
      <svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true">${blocks}</svg>
      <bdi class="number">${milliseconds(total)}</bdi>
    </div>
  `;
}

export function timelineView(costs: readonly TokenCost[]): TemplateResult | typeof nothing {
  const total = (lane: 'cached' | 'full'): number => costs.reduce((sum, cost) => sum + (cost[lane]?.ms ?? 0), 0);
  const longest = Math.max(total('cached'), total('full'));
  if (longest <= 0) return nothing;
  const scale = width / longest;
  return html`
    <div role="img" aria-label="${texts.label} ${timelineConclusion(costs)}">
      ${trackView('cached', costs.map(({ cached }) => cached), scale)}
      ${trackView('full', costs.map(({ full }) => full), scale)}
      <p class="legend small soft">${texts.prefill}; ${texts.decode}</p>
    </div>
  `;
}
