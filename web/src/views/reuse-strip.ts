// Which positions of a prompt came out of the cache and which were computed, as a strip of cells. A pure view.

import { html, svg, type TemplateResult } from 'lit';

import { fill, messages } from '../messages';
import { count, counted } from './format';

const texts = messages('reuse', {
  reused_one: '{n} position reused from the cache',
  reused_other: '{n} positions reused from the cache',
  computed: '{reused}, {computed} computed',
});

const cell = 9;
const gap = 3;

function reuseText(reused: number, computed: number): string {
  const sentence = counted(reused, texts.reused_one, texts.reused_other);
  return fill(texts.computed, { reused: sentence, computed: count(computed) });
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
      <bdi class="small soft" data-reuse>${reuseText(reused, computed)}</bdi>
    </div>
  `;
}
