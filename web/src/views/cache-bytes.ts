// The bytes of a KV cache three ways: by formula, as used, as allocated. A pure view.

import { html, type TemplateResult } from 'lit';

import type { CacheBytes, JsonObject } from '../engine/protocol';
import { bytes, count } from './format';

/** The formula with the loaded model's numbers in it. */
export function formulaText(architecture: JsonObject, positions: number): string {
  const { n_layers, n_kv_heads, head_dim } = architecture;
  return `2 x ${n_layers} layers x ${n_kv_heads} KV heads x ${head_dim} wide x 4 bytes x ${count(positions)} positions`;
}

const rows: ReadonlyArray<{ key: keyof CacheBytes; label: string; meaning: string }> = [
  { key: 'formula', label: 'By formula', meaning: 'keys and values of the positions held' },
  { key: 'used', label: 'Used', meaning: 'the same with the padding of their layout' },
  { key: 'allocated', label: 'Allocated', meaning: 'for the whole context, once' },
];

export function cacheBytesView(cache: CacheBytes, positions: number, architecture: JsonObject | null): TemplateResult {
  return html`
    <table class="bytes">
      <tbody>
        ${rows.map(
          ({ key, label, meaning }) => html`
            <tr>
              <th scope="row">${label}<span class="meaning">, ${meaning}</span></th>
              <td class="bar">
                <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                  <rect class="track" width="100" height="8"></rect>
                  <rect class="cached" width=${(100 * cache[key]) / Math.max(cache.allocated, 1)} height="8"></rect>
                </svg>
              </td>
              <td class="figure" title="${count(cache[key])} bytes">${bytes(cache[key])}</td>
            </tr>
          `,
        )}
      </tbody>
    </table>
    ${architecture ? html`<p class="small soft formula">${formulaText(architecture, positions)}</p>` : ''}
  `;
}
