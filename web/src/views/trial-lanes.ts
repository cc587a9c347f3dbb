// A row without a fault and with it, token under token, and how many bits of each token's logits differ. A pure view.

import { html, type TemplateResult } from 'lit';

import type { RunStep } from '../engine/protocol';
import { fill, messages } from '../messages';
import { figureView } from './figure';
import { count, plural, visible } from './format';

const texts = messages('trial-lanes', {
  label: 'Row {row}: tokens without the fault and with it, and the bits that differ. {conclusion}',
  healthy: 'healthy',
  broken: 'with the fault',
  bits: 'bits',
  number: 'Token',
  table: 'Row {row}: token by token',
  bitsHead: 'Bits that differ',
  same: 'The text is the same',
  changed: 'The text changes at token {token}',
  longer: 'The text is {extra} longer than it may be',
  shorter: 'The text is {extra} shorter',
  noBits: 'no bit of any logit differs.',
  someBits: '{bits} bits of the logits differ, in {tokens} of {all} tokens, from token {first} on.',
});

type Steps = readonly RunStep[];

export function trialConclusion(healthy: Steps, broken: Steps): string {
  const first = healthy.findIndex(({ token }, index) => index < broken.length && token !== broken[index]?.token);
  const extra = broken.length - healthy.length;
  let text = first < 0 ? texts.same : fill(texts.changed, { token: first + 1 });
  if (first < 0 && extra > 0) text = fill(texts.longer, { extra: plural(extra, 'token') });
  if (first < 0 && extra < 0) text = fill(texts.shorter, { extra: plural(-extra, 'token') });
  const wrong = broken.filter(({ parity }) => parity.differing_bits > 0);
  if (wrong.length === 0) return `${text}; ${texts.noBits}`;
  const bits = wrong.reduce((sum, { parity }) => sum + parity.differing_bits, 0);
  const from = broken.findIndex(({ parity }) => parity.differing_bits > 0) + 1;
  return `${text}; ${fill(texts.someBits, { bits: count(bits), tokens: wrong.length, all: broken.length, first: from })}`;
}

const barHeight = 40;

export function trialLanesView(healthy: Steps, broken: Steps, row: number): TemplateResult {
  const conclusion = trialConclusion(healthy, broken);
  const length = Math.max(healthy.length, broken.length);
  const indices = Array.from({ length }, (_, index) => index);
  const largest = Math.max(...broken.map(({ parity }) => parity.differing_bits), 1);
  const piece = (steps: Steps, index: number): string => {
    const step = steps[index];
    return step ? visible(step.piece) : '';
  };
  const bitsOf = (index: number): number | null => broken[index]?.parity.differing_bits ?? null;
  return figureView(
    html`
      <div class="scroll" tabindex="0" role="group" aria-label=${fill(texts.table, { row: row + 1 })}>
        <div class="lanes" role="img" aria-label=${fill(texts.label, { row: row + 1, conclusion })}>
          <div class="lane-names soft">
            <span>${texts.healthy}</span><span>${texts.broken}</span><span class="bits-name">${texts.bits}</span>
          </div>
          ${indices.map((index) => {
            const bits = bitsOf(index);
            const height = bits === null ? 0 : (barHeight * bits) / largest;
            const isOther = healthy[index]?.token !== broken[index]?.token;
            return html`
              <div class="pair">
                <bdi class="token">${piece(healthy, index)}</bdi>
                <bdi class="token ${isOther ? 'different' : ''}">${piece(broken, index)}</bdi>
                <svg width="18" height=${barHeight + 2} aria-hidden="true">
                  <rect class="delta" x="2" y=${barHeight - height} width="14" height=${height}></rect>
                  <line class="floor" x1="0" x2="18" y1=${barHeight + 0.5} y2=${barHeight + 0.5}></line>
                </svg>
                <bdi class="number">${bits === null ? '' : count(bits)}</bdi>
              </div>
            `;
          })}
        </div>
      </div>
    `,
    conclusion,
    {
      caption: fill(texts.table, { row: row + 1 }),
      head: [texts.number, texts.healthy, texts.broken, texts.bitsHead],
      rows: indices.map((index) => [index + 1, piece(healthy, index), piece(broken, index), bitsOf(index) ?? '\u2013']),
    },
  );
}
