// Prefill and decode apart: the time to the first token, and the time of each one after it. A pure view.

import { html, type TemplateResult } from 'lit';

import type { LaneCost } from '../engine/protocol';
import { messages } from '../messages';
import { counted, milliseconds } from './format';

const texts = messages('latency', {
  prefill: 'Prefill, time to first token',
  positions_one: '{n} position computed',
  positions_other: '{n} positions computed',
  decode: 'Decode, per token',
  mean_one: 'mean of {n} token',
  mean_other: 'mean of {n} tokens',
});

export function latencyView(prefill: LaneCost, decode: LaneCost): TemplateResult {
  const perToken = decode.positions > 0 ? milliseconds(decode.ms / decode.positions) : '\u2013';
  return html`
    <dl class="gauges">
      <div>
        <dt>${texts.prefill}</dt>
        <dd><bdi class="number">${milliseconds(prefill.ms)}</bdi></dd>
        <dd class="small soft"><bdi>${counted(prefill.positions, texts.positions_one, texts.positions_other)}</bdi></dd>
      </div>
      <div>
        <dt>${texts.decode}</dt>
        <dd><bdi class="number">${perToken}</bdi></dd>
        <dd class="small soft"><bdi>${counted(decode.positions, texts.mean_one, texts.mean_other)}</bdi></dd>
      </div>
    </dl>
  `;
}
