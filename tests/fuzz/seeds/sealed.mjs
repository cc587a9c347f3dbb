// Seeds of the targets checkpoint and ngram_file: sealed files, which are safetensors files with a hash of their content.
import { createHash } from 'node:crypto';

import { floats, safetensors, tensor } from './safetensors.mjs';

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');

/** A sealed file of float32 tensors { name: [shape, numbers] }; `change` edits the header before it is written. */
function sealed(format, tensors, state, change = () => {}) {
  const header = { __metadata__: { format, version: '1', state, sha256: '' } };
  const content = [`${Buffer.byteLength(state)}:${state}`];
  let numbers = Buffer.alloc(0);
  for (const name of Object.keys(tensors).sort()) {
    const [shape, values] = tensors[name];
    const data = floats(...values);
    header[name] = tensor('F32', shape, numbers.length, numbers.length + data.length);
    numbers = Buffer.concat([numbers, data]);
    content.push(`${Buffer.byteLength(name)}:${name}[${shape.join(', ')}]`, data);
  }
  header.__metadata__.sha256 = sha256(...content);
  change(header);
  return safetensors(header, numbers);
}

const checkpoint = (tensors, state, change) => sealed('vitrine-checkpoint', tensors, state, change);
const small = { 'weights/w': [[2], [1, -2]], 'adamw.m/w': [[2], [0, 0.5]], 'adamw.v/w': [[2], [1e-8, 1e-40]] };
const metadata = (edit) => checkpoint(small, '{"step":3}', (header) => edit(header.__metadata__));
const whole = checkpoint(small, '{"step":3}');

const counts = { order: 3, vocab_size: 5, discount: 0, tokenizer_sha256: 'a'.repeat(64) };
/** A baseline of these documents, with some of its state or its tensors changed. */
function baseline(documents, state = {}, tensors = {}) {
  const lists = { tokens: documents.flat(), lengths: documents.map((document) => document.length), ...tensors };
  const entries = Object.entries(lists).filter(([, list]) => list !== null);
  return sealed('vitrine-baseline', Object.fromEntries(entries.map(([name, list]) => [name, Array.isArray(list[0]) ? list : [[list.length], list]])), JSON.stringify({ ...counts, ...state }));
}
const text = [[0, 1, 2, 1, 2, 0], [0, 3, 0], [0, 1, 2, 4, 0]];
const stateText = (state) => sealed('vitrine-baseline', { tokens: [[2], [0, 1]], lengths: [[1], [2]] }, state);

export default {
  checkpoint: {
    accepted: {
      'no-tensor': checkpoint({}, '{}'),
      small: whole,
      'state-of-every-kind': checkpoint({}, '{"a":[1,-1,1.5,1e300,true,null,"caf\u00e9",{}],"b":18446744073709551615,"c":-9223372036854775808}'),
      'not-numbers': checkpoint({ n: [[3], [NaN, Infinity, -0]] }, '[]'),
    },
    bad_checkpoint: {
      empty: Buffer.alloc(0),
      'cut-short': whole.subarray(0, whole.length - 1),
      'one-bit-of-a-number': Buffer.concat([whole.subarray(0, whole.length - 1), Buffer.from([whole.at(-1) ^ 1])]),
      'plain-safetensors': safetensors('{}'),
      'other-format': metadata((fields) => (fields.format = 'vitrine-bundle')),
      'no-state': metadata((fields) => delete fields.state),
      'no-hash': metadata((fields) => delete fields.sha256),
      'hash-of-every-kind': metadata((fields) => (fields.sha256 = 'caf\u00e9\n'.repeat(200))),
      'state-changed': metadata((fields) => (fields.state = '{"step":4}')),
      'unknown-metadata': metadata((fields) => (fields.note = 'not covered by the hash')),
      'state-not-json': checkpoint({}, '{"step":'),
      'state-nested-too-deeply': checkpoint({}, '['.repeat(40) + ']'.repeat(40)),
      'state-with-a-duplicate-key': checkpoint({}, '{"a":1,"a":2}'),
      'tensor-in-half-precision': checkpoint({}, '{}', (header) => (header['h\u00e9\n'] = tensor('F16', [0], 0, 0))),
      'shape-changed': checkpoint(small, '{"step":3}', (header) => (header['weights/w'].shape = [1, 2])),
    },
    unsupported_format: {
      'version-2': metadata((fields) => (fields.version = '2')),
      'tensor-of-integers': checkpoint({}, '{}', (header) => (header.n = tensor('I64', [0], 0, 0))),
    },
  },
  ngram_file: {
    accepted: {
      small: baseline(text),
      'no-document': baseline([]),
      'one-empty-document': baseline([[]]),
      'order-1': baseline(text, { order: 1 }),
      'order-32': baseline(text, { order: 32, discount: 1 }),
      'largest-vocabulary': baseline([[16777215, 0]], { vocab_size: 16777216 }),
      'one-token-again-and-again': baseline([Array(40).fill(1)]),
    },
    bad_data: {
      empty: Buffer.alloc(0),
      'a-checkpoint': whole,
      'token-beyond-the-vocabulary': baseline([[0, 5]]),
      'token-negative': baseline([[0, -1]]),
      'token-a-fraction': baseline([[0, 0.5]]),
      'token-not-a-number': baseline([[0, NaN]]),
      'token-infinite': baseline([[0, Infinity]]),
      'length-negative': baseline([], {}, { tokens: [0, 1], lengths: [3, -1] }),
      'length-a-fraction': baseline([], {}, { tokens: [0], lengths: [0.5, 0.5] }),
      'length-not-a-number': baseline([], {}, { tokens: [0], lengths: [NaN] }),
      'lengths-too-long': baseline([], {}, { tokens: [0], lengths: [16777216, 16777216] }),
      'lengths-too-short': baseline([], {}, { tokens: [0, 1], lengths: [1] }),
      'lengths-absent': baseline(text, {}, { lengths: null }),
      'tokens-absent': baseline([], {}, { tokens: null }),
      'tokens-in-two-dimensions': baseline([], {}, { tokens: [[1, 2], [0, 1]], lengths: [2] }),
      'tensor-more': baseline(text, {}, { counts: [1] }),
      'order-0': baseline(text, { order: 0 }),
      'order-33': baseline(text, { order: 33 }),
      'vocabulary-0': baseline([], { vocab_size: 0 }),
      'vocabulary-2-to-24-plus-1': baseline([], { vocab_size: 16777217 }),
      'discount-negative': baseline(text, { discount: -0.1 }),
      'discount-above-1': baseline(text, { discount: 1.5 }),
      'tokenizer-no-hash': baseline(text, { tokenizer_sha256: 'caf\u00e9' }),
      'state-a-list': stateText('[]'),
      'state-with-an-unknown-field': baseline(text, { smoothing: 'none' }),
      'state-not-json': stateText('{'),
    },
    unsupported_format: { 'version-2': sealed('vitrine-baseline', {}, '{}', (header) => (header.__metadata__.version = '2')) },
  },
};
