// The bytes of a cache as a formula, with what each letter is in the model that is loaded. A pure view, in MathML.

import { html, type TemplateResult } from 'lit';

import type { JsonObject } from '../engine/protocol';
import { fill, messages } from '../messages';
import { bytes } from './format';

const texts = messages('cache-formula', {
  bytes: 'bytes',
  meaning: 'a key and a value (2), in {layers} layers (L), {heads} key/value heads (H), {wide} numbers each (D) of 4 bytes, for each position (S): {each} a position.',
});

/** `perPosition` is what the engine counts for one position. */
export function cacheFormulaView({ n_layers, n_kv_heads, head_dim }: JsonObject, perPosition: number): TemplateResult {
  const [layers, heads, wide] = [n_layers, n_kv_heads, head_dim].map(String) as [string, string, string];
  const each = bytes(perPosition);
  return html`
    <p class="formula scroll">
      <math>
        <mtext>${texts.bytes}</mtext><mo>=</mo><mn>2</mn><mo>&#x22C5;</mo><mi>L</mi><mo>&#x22C5;</mo
        ><msub><mi>H</mi><mtext>kv</mtext></msub><mo>&#x22C5;</mo><mi>D</mi><mo>&#x22C5;</mo><mn>4</mn><mo>&#x22C5;</mo
        ><mi>S</mi>
      </math>
    </p>
    <p class="small soft"><bdi>${fill(texts.meaning, { layers, heads, wide, each })}</bdi></p>
  `;
}
