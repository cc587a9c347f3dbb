// The bytes of a KV cache three ways: by formula, as used, as allocated. A pure view.

import { html, type TemplateResult } from 'lit';

import type { CacheBytes, JsonObject } from '../engine/protocol';
import { fill, messages } from '../messages';
import { bytes, count } from './format';

const texts = messages('cache-bytes', {
  formula_text: '2 x {layers} layers x {heads} KV heads x {wide} wide x 4 bytes x {positions} positions',
  formula: 'By formula',
  formula_meaning: 'keys and values of the positions held',
  used: 'Used',
  used_meaning: 'the same with the padding of their layout',
  allocated: 'Allocated',
  allocated_meaning: 'for the whole context, once',
  exact: '{n} bytes',
});

/** The formula with the loaded model's numbers in it. */
function formulaText(architecture: JsonObject, positions: number): string {
  const { n_layers, n_kv_heads, head_dim } = architecture;
  return fill(texts.formula_text, {
    layers: String(n_layers),
    heads: String(n_kv_heads),
    wide: String(head_dim),
    positions: count(positions),
  });
}

const rows = ['formula', 'used', 'allocated'] as const;

export function cacheBytesView(cache: CacheBytes, positions: number, architecture: JsonObject | null): TemplateResult {
  return html`
    <table class="bytes">
      <tbody>
        ${rows.map(
          (key) => html`
            <tr>
              <th scope="row">${texts[key]}<span class="meaning">, ${texts[`${key}_meaning`]}</span></th>
              <td class="bar">
                <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                  <rect class="track" width="100" height="8"></rect>
                  <rect class="cached" width=${(100 * cache[key]) / Math.max(cache.allocated, 1)} height="8"></rect>
                </svg>
              </td>
              <td class="figure" title=${fill(texts.exact, { n: count(cache[key]) })}><bdi>${bytes(cache[key])}</bdi></td>
            </tr>
          `,
        )}
      </tbody>
    </table>
    ${architecture ? html`<p class="small soft formula"><bdi>${formulaText(architecture, positions)}</bdi></p>` : ''}
  `;
}
