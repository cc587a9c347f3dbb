// The logit lens: what the model's head would say after each layer, as a table that is its own picture. A pure view.

import { html, nothing, type TemplateResult } from 'lit';

import type { Inside } from '../engine/protocol';
import { fill, messages } from '../messages';
import { percent, visible } from './format';

const texts = messages('logit-lens', {
  table: 'Most probable next tokens, read from the residual stream after each layer',
  layer: 'Layer',
  best: 'No {rank}',
  settled: 'The last layer says "{token}" with {probability}; the lens shows it first from layer {layer} on; the last layer is {last}.',
  late: 'The last layer says "{token}" with {probability}, and only there does it come first.',
});

/** The first layer from which on the last layer's answer leads. */
export function settledFrom(layers: Inside['layers']): number {
  const answer = layers.at(-1)?.lens[0]?.id;
  let from = layers.length - 1;
  while (from > 0 && layers[from - 1]?.lens[0]?.id === answer) from -= 1;
  return from;
}

export function lensConclusion(layers: Inside['layers']): string {
  const answer = layers.at(-1)?.lens[0];
  const layer = settledFrom(layers);
  const values = {
    token: visible(answer?.piece ?? ''),
    probability: percent(answer?.probability ?? 0),
    layer,
    last: layers.length - 1,
  };
  return fill(layer === layers.length - 1 ? texts.late : texts.settled, values);
}

export function lensView(layers: Inside['layers'], shown = 5): TemplateResult {
  const columns = Math.min(shown, layers[0]?.lens.length ?? 0);
  const answer = layers.at(-1)?.lens[0]?.id;
  return html`
    <figure part="figure">
      <div class="scroll" tabindex="0" role="group" aria-label=${texts.table}>
        <table class="lens">
          <caption><bdi>${texts.table}</bdi></caption>
          <thead>
            <tr>
              <th scope="col">${texts.layer}</th>
              ${Array.from({ length: columns }, (_, rank) => html`<th scope="col">${fill(texts.best, { rank: rank + 1 })}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${layers.map(
              ({ lens }, layer) => html`
                <tr>
                  <th scope="row" class="number">${layer}</th>
                  ${lens.slice(0, columns).map(
                    ({ id, piece, probability }) => html`
                      <td class=${id === answer ? 'answer' : nothing}>
                        <bdi class="spelling">${visible(piece)}</bdi>
                        <bdi class="soft number">${percent(probability)}</bdi>
                        <svg width="100%" height="4" aria-hidden="true">
                          <rect class="weight" width="${100 * probability}%" height="4"></rect>
                        </svg>
                      </td>
                    `,
                  )}
                </tr>
              `,
            )}
          </tbody>
        </table>
      </div>
      <figcaption><bdi>${lensConclusion(layers)}</bdi></figcaption>
    </figure>
  `;
}
