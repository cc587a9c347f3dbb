// A bundle whose model says what a test wants: after byte b, most probably the byte that `follows` gives. Its blocks are
// zero, so the residual stream is the last token's embedding, which the head turns into the next token.
import { createHash } from 'node:crypto';

import { byteTokenizerJson } from './tokenizer-files.mjs';

const width = 128;
const specialToken = 256;
const vocabulary = 257;

/** Embeddings of plus and minus one, nearly orthogonal: bits of xorshift32. */
function embeddings() {
  let state = 1;
  return Float32Array.from({ length: vocabulary * width }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state & 0x10000 ? 1 : -1;
  });
}

function weights(follows) {
  const embedding = embeddings();
  const head = new Float32Array(vocabulary * width);
  for (const [byte, next] of follows) {
    for (let i = 0; i < width; ++i) head[next * width + i] += embedding[byte * width + i];
  }
  const ones = () => new Float32Array(width).fill(1);
  const zeros = (rows, columns) => [[rows, columns], new Float32Array(rows * columns)];
  return {
    'lm_head.weight': [[vocabulary, width], head],
    'model.embed_tokens.weight': [[vocabulary, width], embedding],
    'model.layers.0.input_layernorm.weight': [[width], ones()],
    'model.layers.0.mlp.down_proj.weight': zeros(width, 8),
    'model.layers.0.mlp.gate_proj.weight': zeros(8, width),
    'model.layers.0.mlp.up_proj.weight': zeros(8, width),
    'model.layers.0.post_attention_layernorm.weight': [[width], ones()],
    'model.layers.0.self_attn.k_proj.weight': zeros(width, width),
    'model.layers.0.self_attn.o_proj.weight': zeros(width, width),
    'model.layers.0.self_attn.q_proj.weight': zeros(width, width),
    'model.layers.0.self_attn.v_proj.weight': zeros(width, width),
    'model.norm.weight': [[width], ones()],
  };
}

function safetensors(tensors) {
  const header = {};
  let end = 0;
  for (const [name, [shape, numbers]] of Object.entries(tensors)) {
    header[name] = { dtype: 'F32', shape, data_offsets: [end, (end += numbers.byteLength)] };
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, ...Object.values(tensors).map(([, numbers]) => Buffer.from(numbers.buffer))]);
}

/** The files by name, manifest.json first. `follows`: pairs of a byte and the byte after it; a newline ends a text. */
export function scriptedBundle(follows) {
  const config = {
    ...{ model_type: 'llama', vocab_size: vocabulary, hidden_size: width, intermediate_size: 8, num_hidden_layers: 1 },
    ...{ num_attention_heads: 1, max_position_embeddings: 64, rms_norm_eps: 0.00001, tie_word_embeddings: false },
  };
  const special = '<|endoftext|>';
  const generation = { do_sample: false, max_new_tokens: 8, eos_token_id: [10, specialToken] };
  const parts = {
    weights: ['model.safetensors', safetensors(weights(follows))],
    tokenizer: ['tokenizer.json', Buffer.from(byteTokenizerJson(special))],
    architecture: ['config.json', Buffer.from(JSON.stringify(config))],
    generation: ['generation_config.json', Buffer.from(JSON.stringify(generation))],
    template: ['template.json', Buffer.from(JSON.stringify({ version: 1, begin: special, unit: 'stream' }))],
  };
  const manifest = {
    ...{ format: 'vitrine-bundle', version: 1, name: 'scripted', model_version: '1.0.0' },
    parts: Object.entries(parts).map(([name, [file, bytes]]) => {
      return { name, file, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
    }),
  };
  return new Map([['manifest.json', Buffer.from(JSON.stringify(manifest))], ...Object.values(parts)]);
}
