// The two lanes of a run as a table: what its tokens cost with the cache, and with the whole prefix computed anew for
// each of them. A pure view of the engine's counts and times.

import { html, nothing, type TemplateResult } from 'lit';

import type { LaneCost } from '../engine/protocol';
import { fill, messages } from '../messages';
import { bytes, count, magnitude, milliseconds, ratio } from './format';

export interface Lanes {
  cached: LaneCost;
  full: LaneCost;
}

const texts = messages('lanes-table', {
  cached: 'Cached',
  full: 'Full prefix',
  factor: 'Factor',
  token: 'This token,',
  run: 'Whole run,',
  work: 'multiply-adds',
  time: 'time',
  bytes: 'bytes read',
  exact: '{n} multiply-adds',
});

const exact = (value: number): string => fill(texts.exact, { n: count(value) });

function rows(label: string, { cached, full }: Lanes, withBytes: boolean): TemplateResult {
  const factor = (a: number, b: number): string => (b > 0 ? ratio(a / b) : '');
  return html`
    <tr>
      <th scope="row"><bdi><span>${label}</span> <span>${texts.work}</span></bdi></th>
      <td class="figure" title=${exact(cached.multiply_adds)}><bdi>${magnitude(cached.multiply_adds)}</bdi></td>
      <td class="figure" title=${exact(full.multiply_adds)}><bdi>${magnitude(full.multiply_adds)}</bdi></td>
      <td class="figure factor"><bdi>${factor(full.multiply_adds, cached.multiply_adds)}</bdi></td>
    </tr>
    <tr>
      <th scope="row"><bdi><span>${label}</span> <span>${texts.time}</span></bdi></th>
      <td class="figure"><bdi>${milliseconds(cached.ms)}</bdi></td>
      <td class="figure"><bdi>${milliseconds(full.ms)}</bdi></td>
      <td class="figure factor"><bdi>${factor(full.ms, cached.ms)}</bdi></td>
    </tr>
    ${
      withBytes
        ? html`
            <tr>
              <th scope="row"><bdi><span>${label}</span> <span>${texts.bytes}</span></bdi></th>
              <td class="figure"><bdi>${bytes(cached.bytes_read)}</bdi></td>
              <td class="figure"><bdi>${bytes(full.bytes_read)}</bdi></td>
              <td class="figure factor"><bdi>${factor(full.bytes_read, cached.bytes_read)}</bdi></td>
            </tr>
          `
        : nothing
    }
  `;
}

/** `last` is the newest token; `total` is the run so far. */
export function lanesView(last: Lanes, total: Lanes, withBytes = false): TemplateResult {
  return html`
    <div class="scroll">
      <table class="lanes">
        <thead>
          <tr>
            <td></td>
            <th scope="col" class="figure">
              <span><span class="key cached" aria-hidden="true"></span>${texts.cached}</span>
            </th>
            <th scope="col" class="figure">
              <span><span class="key full" aria-hidden="true"></span>${texts.full}</span>
            </th>
            <th scope="col" class="figure factor">${texts.factor}</th>
          </tr>
        </thead>
        <tbody>
          ${rows(texts.token, last, withBytes)} ${rows(texts.run, total, withBytes)}
        </tbody>
      </table>
    </div>
  `;
}
