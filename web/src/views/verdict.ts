// The verdict of a run: how many tokens were identical and how many bits differed. A pure view of counts.

import { html, nothing, type TemplateResult } from 'lit';

import type { ParityTally } from '../engine/protocol';
import { fill, messages } from '../messages';
import { count, counted } from './format';

const texts = messages('verdict', {
  tokens_one: '{identical} of {tokens} token identical',
  tokens_other: '{identical} of {tokens} tokens identical',
  bits_one: '1 bit differs',
  bits_other: '{n} bits differ',
  sentence: '{tokens}, {bits}',
  bit: 'bit differs',
  bits: 'bits differ',
  waiting: 'Type a command or generate a text: the proof appears here.',
  compared: '{n} logits compared',
  wrong: 'the cache is wrong',
});

export type Verdict = 'waiting' | 'identical' | 'different';

export function verdictOf(parity: ParityTally): Verdict {
  if (parity.logits_compared === 0) return 'waiting';
  return parity.differing_bits === 0 && parity.identical_tokens === parity.tokens ? 'identical' : 'different';
}

/** The sentence of the verdict: "57 of 57 tokens identical, 0 bits differ". */
export function verdictText(parity: ParityTally): string {
  const { tokens, identical_tokens, differing_bits } = parity;
  const identical = fill(tokens === 1 ? texts.tokens_one : texts.tokens_other, {
    identical: count(identical_tokens),
    tokens: count(tokens),
  });
  return fill(texts.sentence, { tokens: identical, bits: counted(differing_bits, texts.bits_one, texts.bits_other) });
}

export function verdictView(parity: ParityTally): TemplateResult {
  const verdict = verdictOf(parity);
  if (verdict === 'waiting') {
    return html`<p class="verdict waiting">${texts.waiting}</p>`;
  }
  return html`
    <div class="verdict ${verdict}">
      <p class="bits">
        <bdi class="number">${count(parity.differing_bits)}</bdi>
        <span>${parity.differing_bits === 1 ? texts.bit : texts.bits}</span>
      </p>
      <p class="sentence" data-parity><bdi>${verdictText(parity)}</bdi></p>
      <p class="small soft">
        <bdi>${fill(texts.compared, { n: count(parity.logits_compared) })}</bdi>${verdict === 'different' ? html`: <strong>${texts.wrong}</strong>` : nothing}
      </p>
    </div>
  `;
}
