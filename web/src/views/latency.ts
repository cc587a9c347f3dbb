// Prefill and decode apart: the time to the first token, and the time of each one after it. A pure view.

import { html, type TemplateResult } from 'lit';

import type { LaneCost } from '../engine/protocol';
import { milliseconds, plural } from './format';

export function latencyView(prefill: LaneCost, decode: LaneCost): TemplateResult {
  const perToken = decode.positions > 0 ? milliseconds(decode.ms / decode.positions) : '\u2013';
  return html`
    <dl class="gauges">
      <div>
        <dt>Prefill, time to first token</dt>
        <dd><span class="number">${milliseconds(prefill.ms)}</span></dd>
        <dd class="small soft">${plural(prefill.positions, 'position')} computed</dd>
      </div>
      <div>
        <dt>Decode, per token</dt>
        <dd><span class="number">${perToken}</span></dd>
        <dd class="small soft">mean of ${plural(decode.positions, 'token')}</dd>
      </div>
    </dl>
  `;
}
