// The tokens of a text as a row of buttons, one of which is chosen. A pure view.

import { html, type TemplateResult } from 'lit';

import { visible } from './format';

export function tokenStripView(
  pieces: readonly string[],
  chosen: number,
  label: string,
  choose: (index: number) => void,
): TemplateResult {
  return html`
    <ol class="tokens" aria-label=${label}>
      ${pieces.map(
        (piece, index) => html`
          <li>
            <button type="button" aria-pressed=${index === chosen} @click=${() => choose(index)}><bdi>${visible(piece)}</bdi></button>
          </li>
        `,
      )}
    </ol>
  `;
}
