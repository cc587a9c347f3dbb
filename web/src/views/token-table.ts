// Every token of a run with its two lanes, as a table: the numbers behind the chart. A pure view.

import { html, type TemplateResult } from 'lit';

import type { RunStep } from '../engine/protocol';
import { messages } from '../messages';
import { count, magnitude, milliseconds, percent, visible } from './format';

const texts = messages('tokens', {
  number: 'No',
  token: 'Token',
  id: 'Id',
  chance: 'Chance',
  cached_work: 'Cached mul-adds',
  full_work: 'Full mul-adds',
  cached_time: 'Cached time',
  full_time: 'Full time',
  bits: 'Bits that differ',
  about: 'Each row is one token. Chance is what the policy gave it; the bits are those of all logits of that token.',
  label: 'Every token of the run',
});

function row(step: RunStep, index: number): TemplateResult {
  const { cached, full, parity } = step;
  return html`
    <tr>
      <th scope="row" class="figure"><bdi>${index + 1}</bdi></th>
      <td><code dir="auto">${visible(step.piece)}</code></td>
      <td class="figure"><bdi>${step.token}</bdi></td>
      <td class="figure"><bdi>${percent(step.probability)}</bdi></td>
      <td class="figure"><bdi>${full ? count(parity.differing_bits) : ''}</bdi></td>
      <td class="figure"><bdi>${magnitude(cached.multiply_adds)}</bdi></td>
      <td class="figure"><bdi>${full ? magnitude(full.multiply_adds) : ''}</bdi></td>
      <td class="figure"><bdi>${milliseconds(cached.ms)}</bdi></td>
      <td class="figure"><bdi>${full ? milliseconds(full.ms) : ''}</bdi></td>
    </tr>
  `;
}

export function tokenTableView(steps: readonly RunStep[]): TemplateResult {
  const { id, chance, cached_work, full_work, cached_time, full_time, bits } = texts;
  const heads = [id, chance, bits, cached_work, full_work, cached_time, full_time];
  return html`
    <p class="small soft">${texts.about}</p>
    <div class="scroll tokens" tabindex="0" role="region" aria-label=${texts.label}>
      <table>
        <thead>
          <tr>
            <th scope="col" class="figure">${texts.number}</th>
            <th scope="col">${texts.token}</th>
            ${heads.map((head) => html`<th scope="col" class="figure">${head}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${steps.map(row)}
        </tbody>
      </table>
    </div>
  `;
}
