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
      <th scope="row"><span>${label}</span> <span>${texts.work}</span></th>
      <td class="figure" title=${exact(cached.multiply_adds)}>${magnitude(cached.multiply_adds)}</td>
      <td class="figure" title=${exact(full.multiply_adds)}>${magnitude(full.multiply_adds)}</td>
      <td class="figure factor">${factor(full.multiply_adds, cached.multiply_adds)}</td>
    </tr>
    <tr>
      <th scope="row"><span>${label}</span> <span>${texts.time}</span></th>
      <td class="figure">${milliseconds(cached.ms)}</td>
      <td class="figure">${milliseconds(full.ms)}</td>
      <td class="figure factor">${factor(full.ms, cached.ms)}</td>
    </tr>
    ${
      withBytes
        ? html`
            <tr>
              <th scope="row"><span>${label}</span> <span>${texts.bytes}</span></th>
              <td class="figure">${bytes(cached.bytes_read)}</td>
              <td class="figure">${bytes(full.bytes_read)}</td>
              <td class="figure factor">${factor(full.bytes_read, cached.bytes_read)}</td>
            </tr>
          `
        : nothing
    }
  `;
}

/** `last` is the newest token; `total` is the run so far. */
export function lanesView(last: Lanes, total: Lanes, withBytes = false): TemplateResult {
  return html`
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
  `;
}
