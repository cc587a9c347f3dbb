// Every token of a run with its two lanes, as a table: the numbers behind the chart. A pure view.

import { html, type TemplateResult } from 'lit';

import type { RunStep } from '../engine/protocol';
import { count, magnitude, milliseconds, percent, visible } from './format';

function row(step: RunStep, index: number): TemplateResult {
  const { cached, full, parity } = step;
  return html`
    <tr>
      <th scope="row" class="figure">${index + 1}</th>
      <td><code>${visible(step.piece)}</code></td>
      <td class="figure">${step.token}</td>
      <td class="figure">${percent(step.probability)}</td>
      <td class="figure">${magnitude(cached.multiply_adds)}</td>
      <td class="figure">${full ? magnitude(full.multiply_adds) : ''}</td>
      <td class="figure">${milliseconds(cached.ms)}</td>
      <td class="figure">${full ? milliseconds(full.ms) : ''}</td>
      <td class="figure">${full ? count(parity.differing_bits) : ''}</td>
    </tr>
  `;
}

export function tokenTableView(steps: readonly RunStep[]): TemplateResult {
  const heads = ['Id', 'Chance', 'Cached mul-adds', 'Full mul-adds', 'Cached time', 'Full time', 'Bits that differ'];
  return html`
    <p class="small soft">
      Each row is one token. Chance is what the policy gave it; the bits are those of all logits of that token.
    </p>
    <div class="scroll tokens" tabindex="0" role="region" aria-label="Every token of the run">
      <table>
        <thead>
          <tr>
            <th scope="col" class="figure">No</th>
            <th scope="col">Token</th>
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
