// The text of a run as its tokens, each with a mark that says whether its logits were the same bits in both lanes. A pure
// view.

import { html, type TemplateResult } from 'lit';

import type { RunStep, TokenPiece } from '../engine/protocol';
import { fill, messages } from '../messages';
import { count, visible } from './format';

const texts = messages('lane-tokens', {
  label: 'The text, token by token',
  same: '0 bits differ',
  different: '{n} bits differ',
});

/** `tokens` are the prompt's, once it is known how it is cut. */
export function laneTokensView(
  prompt: string,
  tokens: readonly TokenPiece[] | null,
  steps: readonly RunStep[],
): TemplateResult {
  const chosen = steps.filter((step) => step.token !== null);
  const mark = ({ parity }: RunStep): string =>
    parity.differing_bits === 0 ? texts.same : fill(texts.different, { n: count(parity.differing_bits) });
  return html`
    <div class="tokens" dir="auto" role="group" aria-label=${texts.label} tabindex="0">
      ${(tokens ?? [{ id: -1, piece: prompt }]).map(({ piece }) => html`<span class="token given">${visible(piece)}</span>`)}${chosen.map(
        (step) => html`<span
          class="token ${step.parity.differing_bits === 0 ? 'same' : 'different'}"
          title="${mark(step)}"
          >${visible(step.piece)}</span
        >`,
      )}
    </div>
  `;
}
