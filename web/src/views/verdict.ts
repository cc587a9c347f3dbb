// The verdict of a run: how many tokens were identical and how many bits differed. A pure view of counts.

import { html, nothing, type TemplateResult } from 'lit';

import type { ParityTally } from '../engine/protocol';
import { count } from './format';

export type Verdict = 'waiting' | 'identical' | 'different';

export function verdictOf(parity: ParityTally): Verdict {
  if (parity.logits_compared === 0) return 'waiting';
  return parity.differing_bits === 0 && parity.identical_tokens === parity.tokens ? 'identical' : 'different';
}

/** The sentence of the verdict: "57 of 57 tokens identical, 0 bits differ". */
export function verdictText(parity: ParityTally): string {
  const { tokens, identical_tokens, differing_bits } = parity;
  const bits = differing_bits === 1 ? '1 bit differs' : `${count(differing_bits)} bits differ`;
  return `${count(identical_tokens)} of ${count(tokens)} ${tokens === 1 ? 'token' : 'tokens'} identical, ${bits}`;
}

export function verdictView(parity: ParityTally): TemplateResult {
  const verdict = verdictOf(parity);
  if (verdict === 'waiting') {
    return html`<p class="verdict waiting">Type a command or generate a text: the proof appears here.</p>`;
  }
  return html`
    <div class="verdict ${verdict}">
      <p class="bits">
        <span class="number">${count(parity.differing_bits)}</span>
        <span>${parity.differing_bits === 1 ? 'bit differs' : 'bits differ'}</span>
      </p>
      <p class="sentence" data-parity>${verdictText(parity)}</p>
      <p class="small soft">
        ${count(parity.logits_compared)} logits
        compared${verdict === 'different' ? html`: <strong>the cache is wrong</strong>` : nothing}
      </p>
    </div>
  `;
}
