// Shares of one whole as bars, one below the other, each with its name and number in words. A pure view.

import { html, svg, type TemplateResult } from 'lit';

export interface Share {
  name: string;
  /** From 0 to 1. */
  share: number;
  text: string;
}

const width = 100;
const height = 10;

export function shareBarsView(shares: readonly Share[], label: string): TemplateResult {
  const largest = Math.max(...shares.map(({ share }) => share));
  return html`
    <div class="shares" role="img" aria-label=${label}>
      ${shares.map(
        ({ name, share, text }) => html`
          <span dir="auto">${name}</span>
          <svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true">
            ${svg`<rect class="track" width=${width} height=${height}></rect>`}
            ${svg`<rect class="bar ${share === largest ? 'largest' : ''}" width=${width * share} height=${height}></rect>`}
          </svg>
          <bdi class="number">${text}</bdi>
        `,
      )}
    </div>
  `;
}
