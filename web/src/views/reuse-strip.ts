// Which positions of a prompt came out of the cache and which were computed, as a strip of cells. A pure view.

import { html, svg, type TemplateResult } from 'lit';

import { count, plural } from './format';

const cell = 9;
const gap = 3;

export function reuseText(reused: number, computed: number): string {
  return `${plural(reused, 'position')} reused from the cache, ${count(computed)} computed`;
}

/** At most as many cells as can be told apart; beyond, the words alone say it. */
export function reuseStripView(reused: number, computed: number): TemplateResult {
  const total = reused + computed;
  const shown = Math.min(total, 64);
  const first = total - shown;
  const cells = Array.from({ length: shown }, (_, index) => {
    const kind = first + index < reused ? 'reused' : 'computed';
    return svg`<rect class=${kind} x=${index * (cell + gap) + 0.5} y="0.5" width=${cell - 1} height=${cell - 1} rx="1.5"></rect>`;
  });
  const width = Math.max(1, shown * (cell + gap));
  return html`
    <div class="reuse">
      <svg class="strip" width=${width} height=${cell} viewBox="0 0 ${width} ${cell}" aria-hidden="true">${cells}</svg>
      <span class="small soft" data-reuse>${reuseText(reused, computed)}</span>
    </div>
  `;
}
