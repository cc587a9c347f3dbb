// Seeds of the target saved_session, for the model that saved_session.cpp names: a vocabulary of 257, one layer, one head
// of two numbers, a context of 24.
import { createHash } from 'node:crypto';

import { floats, safetensors, tensor } from './safetensors.mjs';

const ints = (...numbers) => Buffer.from(new Int32Array(numbers).buffer);
const halves = (...bits) => Buffer.from(new Uint16Array(bits).buffer);
const bytes = (...numbers) => Buffer.from(new Int8Array(numbers).buffer);

const row = {
  prompt_tokens: 2,
  required: [],
  policy: { version: 1, mode: 'sample', temperature: 1, top_k: 0, top_p: 1, min_p: 0, seed: 7, max_new_tokens: 4, stop_tokens: [256], stop: ['\n'] },
  options: { parity: true, stream: 3, heal: false, trace: 5 },
};

/** The tensors of each type of cache: three tokens, of which two positions are cached. */
const tensors = {
  f32: { tokens: ['I32', [3], ints(256, 103, 105)], keys: ['F32', [1, 1, 2, 2], floats(0.5, -1, 2, 1e-40)], values: ['F32', [1, 1, 2, 2], floats(1, 2, 3, -0)] },
  f16: { tokens: ['I32', [3], ints(256, 103, 105)], keys: ['F16', [1, 1, 2, 2], halves(0x3c00, 0xbc00, 1, 0x7bff)], values: ['F16', [1, 1, 2, 2], halves(0, 0x8000, 2, 3)] },
  q8: {
    tokens: ['I32', [3], ints(256, 103, 105)],
    key_scales: ['F32', [1, 1, 2], floats(0.5, 0)],
    value_scales: ['F32', [1, 1, 2], floats(1e-3, 2)],
    keys: ['I8', [1, 1, 2, 2], bytes(127, -127, 0, 0)],
    values: ['I8', [1, 1, 2, 2], bytes(1, 2, 3, -4)],
  },
};

/** A file; `edit` changes { fields, parts } before the hash is taken, `after` the header afterwards. */
function session(edit = () => {}, after = () => {}, dtype = 'f32') {
  const fields = { format: 'vitrine-session', version: '1', weights: 'a'.repeat(64), architecture: 'b'.repeat(64), tokenizer: 'c'.repeat(64), cache_dtype: dtype, row: JSON.stringify(row) };
  const parts = structuredClone(tensors[dtype]);
  edit({ fields, parts });
  const hash = createHash('sha256');
  for (const key of Object.keys(fields).sort()) hash.update(`${key.length}:${key}${Buffer.byteLength(fields[key])}:${fields[key]}`);
  const header = { __metadata__: fields };
  let numbers = Buffer.alloc(0);
  for (const [name, [type, shape, data]] of Object.entries(parts)) {
    hash.update(`${name}${type}[${shape.join(', ')}]${data.length}:`).update(data);
    header[name] = tensor(type, shape, numbers.length, numbers.length + data.length);
    numbers = Buffer.concat([numbers, data]);
  }
  fields.sha256 = hash.digest('hex');
  after(header);
  return safetensors(header, numbers);
}

const field = (name, value) => session(({ fields }) => (fields[name] = value));
const rowText = (value) => field('row', typeof value === 'string' ? value : JSON.stringify(value));
const rowWith = (changes) => rowText({ ...row, ...changes });
const part = (name, value, dtype) => session(({ parts }) => (parts[name] = value), undefined, dtype);
const cells = 1n << 42n;
const whole = session();

export default {
  saved_session: {
    accepted: {
      f32: whole,
      f16: session(undefined, undefined, 'f16'),
      q8: session(undefined, undefined, 'q8'),
      'nothing-cached': session(({ parts }) => {
        parts.keys = ['F32', [1, 1, 0, 2], floats()];
        parts.values = ['F32', [1, 1, 0, 2], floats()];
      }),
      'the-whole-context': session(({ parts }) => {
        parts.tokens = ['I32', [24], ints(...Array(24).keys())];
        parts.keys = ['F32', [1, 1, 24, 2], floats(...Array(48).keys())];
        parts.values = ['F32', [1, 1, 24, 2], floats(...Array(48).keys())];
      }),
      'required-of-every-byte': rowWith({ required: [...Array(256).keys()] }),
      'greedy-without-options': rowWith({ policy: { mode: 'greedy', seed: 0 }, options: {} }),
    },
    bad_session: {
      empty: Buffer.alloc(0),
      'header-over-its-limit': safetensors('{}', '', (2 << 20) + 1),
      'cut-short': whole.subarray(0, whole.length - 1),
      'one-bit-of-a-number': Buffer.concat([whole.subarray(0, whole.length - 1), Buffer.from([whole.at(-1) ^ 1])]),
      'plain-safetensors': safetensors('{}'),
      'other-format': field('format', 'vitrine-checkpoint'),
      'other-weights': field('weights', 'd'.repeat(64)),
      'other-architecture': field('architecture', 'd'.repeat(64)),
      'other-tokenizer': field('tokenizer', 'd'.repeat(64)),
      'other-dtype': field('cache_dtype', 'f8'),
      'unknown-metadata': field('note', 'x'),
      'hash-of-every-kind': session(undefined, (header) => (header.__metadata__.sha256 = 'caf\u00e9\n'.repeat(200))),
      'no-tokens': session(({ parts }) => delete parts.tokens),
      'no-keys': session(({ parts }) => delete parts.keys),
      'tokens-empty': session(({ parts }) => {
        parts.tokens = ['I32', [0], ints()];
        parts.keys = ['F32', [1, 1, 0, 2], floats()];
        parts.values = ['F32', [1, 1, 0, 2], floats()];
      }),
      'tokens-beyond-the-context': part('tokens', ['I32', [25], ints(...Array(25).keys())]),
      'tokens-as-numbers': part('tokens', ['F32', [3], floats(1, 2, 3)]),
      'tokens-in-two-dimensions': part('tokens', ['I32', [1, 3], ints(1, 2, 3)]),
      'positions-beyond-the-tokens': session(({ parts }) => (parts.tokens = ['I32', [1], ints(1)])),
      'positions-of-keys-and-values-differ': part('values', ['F32', [1, 1, 1, 2], floats(1, 2)]),
      'cell-count-of-2-to-42': session(undefined, (header) => (header.keys = { dtype: 'F32', shape: [1, 1, Number(cells), 0], data_offsets: [12, 12] })),
      'cell-count-beyond-the-file': session(undefined, (header) => (header.keys.shape = [1, 1, 1 << 30, 2])),
      'layers-more': session(({ parts }) => {
        parts.keys = ['F32', [2, 1, 1, 2], floats(1, 2, 3, 4)];
        parts.values = ['F32', [2, 1, 1, 2], floats(1, 2, 3, 4)];
      }),
      'keys-without-dimensions': part('keys', ['F32', [], floats(1)]),
      'tensor-more': session(({ parts }) => (parts['caf\u00e9\n'] = ['F32', [1], floats(1)])),
      'scales-in-a-cache-of-f32': session(({ parts }) => (parts.key_scales = ['F32', [1, 1, 2], floats(1, 1)])),
      'scale-negative': part('key_scales', ['F32', [1, 1, 2], floats(-1, 0)], 'q8'),
      'scale-minus-0': part('key_scales', ['F32', [1, 1, 2], floats(-0, 0)], 'q8'),
      'number-minus-128': part('keys', ['I8', [1, 1, 2, 2], bytes(-128, 0, 0, 0)], 'q8'),
      'row-not-json': rowText('{'),
      'row-a-list': rowText('[]'),
      'row-nested-too-deeply': rowText('['.repeat(40) + ']'.repeat(40)),
      'row-with-an-unknown-field': rowWith({ ended: true }),
      'prompt-of-no-token': rowWith({ prompt_tokens: 0 }),
      'prompt-of-more-than-all': rowWith({ prompt_tokens: 4 }),
      'required-256': rowWith({ required: [256] }),
      'required-negative': rowWith({ required: [-1] }),
      'policy-without-a-seed': rowWith({ policy: { mode: 'greedy' } }),
      'policy-unknown-option': rowWith({ policy: { seed: 1, n_discard: -1 } }),
      'policy-a-text': rowWith({ policy: 'greedy' }),
      'options-unknown': rowWith({ options: { step: 3 } }),
      'options-stream-negative': rowWith({ options: { stream: -1 } }),
    },
    unsupported_format: { 'version-2': field('version', '2') },
    invalid_token: { 'token-negative': part('tokens', ['I32', [3], ints(1, -1, 2)]), 'token-beyond-the-vocabulary': part('tokens', ['I32', [3], ints(1, 257, 2)]) },
    not_finite: {
      'key-not-a-number': part('keys', ['F32', [1, 1, 2, 2], floats(1, NaN, 2, 3)]),
      'value-infinite': part('values', ['F32', [1, 1, 2, 2], floats(1, 2, 3, -Infinity)]),
      'half-infinite': part('values', ['F16', [1, 1, 2, 2], halves(0x7c00, 0, 0, 0)], 'f16'),
      'scale-infinite': part('value_scales', ['F32', [1, 1, 2], floats(Infinity, 0)], 'q8'),
    },
  },
};
