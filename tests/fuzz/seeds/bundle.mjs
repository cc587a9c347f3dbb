// Seeds of the targets manifest and bundle: a whole bundle with a model of a few numbers, and every way to break it.
import { createHash } from 'node:crypto';

import { safetensors } from './safetensors.mjs';
import { tokenizer } from './tokenizer.mjs';

const json = JSON.stringify;
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** A folder as one input: each file after a line with its name. */
function folder(files) {
  const parts = Object.entries(files).flatMap(([name, bytes], i) => [Buffer.from(`${i > 0 ? '\n' : ''}=== ${name}\n`), Buffer.from(bytes)]);
  return Buffer.concat(parts);
}

const end = '<|endoftext|>';
const config = { model_type: 'llama', vocab_size: 257, hidden_size: 2, intermediate_size: 3, num_hidden_layers: 1, num_attention_heads: 1, head_dim: 2, max_position_embeddings: 24, rms_norm_eps: 1e-5, tie_word_embeddings: true };

/** Weights in bfloat16, numbers by a plain rule, all of them small. */
function weights(changes = {}) {
  const { vocab_size: V, hidden_size: C, intermediate_size: F } = config;
  const layer = (name) => `model.layers.0.${name}.weight`;
  const shapes = {
    'model.embed_tokens.weight': [V, C],
    [layer('input_layernorm')]: [C],
    [layer('self_attn.q_proj')]: [2, C],
    [layer('self_attn.k_proj')]: [2, C],
    [layer('self_attn.v_proj')]: [2, C],
    [layer('self_attn.o_proj')]: [C, 2],
    [layer('post_attention_layernorm')]: [C],
    [layer('mlp.gate_proj')]: [F, C],
    [layer('mlp.up_proj')]: [F, C],
    [layer('mlp.down_proj')]: [C, F],
    'model.norm.weight': [C],
    ...changes,
  };
  const header = {};
  const numbers = [];
  for (const [name, shape] of Object.entries(shapes)) {
    if (shape === null) continue;
    const begin = 2 * numbers.length;
    const count = shape.reduce((product, dimension) => product * dimension, 1);
    for (let i = 0; i < count; i += 1) numbers.push((i % 2 ? 0xbe00 : 0x3e00) + ((i * 37 + begin) % 256));
    header[name] = { dtype: 'BF16', shape, data_offsets: [begin, begin + 2 * count] };
  }
  return safetensors(header, Buffer.from(new Uint16Array(numbers).buffer));
}

const files = {
  'model.safetensors': weights(),
  'tokenizer.json': tokenizer({ specials: [end] }),
  'config.json': json(config),
  'generation_config.json': json({ do_sample: false, eos_token_id: 256, max_new_tokens: 4 }),
  'template.json': json({ version: 1, begin: end, unit: 'line' }),
};
const parts = { 'model.safetensors': 'weights', 'tokenizer.json': 'tokenizer', 'config.json': 'architecture', 'generation_config.json': 'generation', 'template.json': 'template' };

function manifest(contents, more = {}) {
  const entries = Object.entries(contents).map(([file, bytes]) => ({ name: parts[file] ?? 'licence', file, bytes: Buffer.byteLength(bytes), sha256: sha256(bytes) }));
  return { format: 'vitrine-bundle', version: 1, name: 'toy', model_version: '0.0.1', parts: entries, ...more };
}

/** A bundle whose hashes are right, with some files changed; `more` goes into the manifest. */
function bundle(changes = {}, more = {}) {
  const contents = { ...files, ...changes };
  return folder({ 'manifest.json': json(manifest(contents, more)), ...contents });
}
const architecture = (changes) => ({ 'config.json': json({ ...config, ...changes }) });
/** A bundle whose files are changed after the hashes were taken. */
const broken = (changes) => folder({ 'manifest.json': json(manifest(files)), ...files, ...changes });
const without = (name) => folder(Object.fromEntries(Object.entries({ 'manifest.json': json(manifest(files)), ...files }).filter(([file]) => file !== name)));

// The hash of the logits of these weights after these tokens, computed once by the model; every machine gives it.
const selfTest = { tokens: [256, 103, 105, 116], logits_sha256: '36a9cb428d417ac9d8b695df37c41c715dad4613e01ea9f62c1dcfd2a73497de' };
const otherHash = sha256('another model');

const whole = manifest(files);
const edited = (edit) => {
  const value = structuredClone(whole);
  edit(value);
  return json(value);
};
const part = (changes) => edited((value) => Object.assign(value.parts[0], changes));
const file = (name) => part({ file: name });
const member = (text) => json(whole).replace('{', `{${text},`);

export default {
  manifest: {
    accepted: {
      least: json(whole),
      every: json({ ...whole, self_test: selfTest, corpus: { a: [1, 2.5, null] }, training: { __comment: 'caf\u00e9' }, held_out: { loss: 1e-5 } }),
      'part-of-2-to-53-minus-1-bytes': part({ bytes: 9007199254740991 }),
      'longest-names': part({ name: 'weights', file: 'x'.repeat(100) }),
      'nested-as-deep-as-allowed': json({ ...whole, corpus: { a: JSON.parse('['.repeat(30) + ']'.repeat(30)) } }),
    },
    bad_manifest: {
      'a-list': '[]',
      'other-format': edited((value) => (value.format = 'gguf')),
      'no-version': edited((value) => delete value.version),
      'version-negative': edited((value) => (value.version = -1)),
      'version-a-fraction': json(whole).replace('"version":1', '"version":1.0'),
      'name-a-number': edited((value) => (value.name = 1)),
      'name-null': edited((value) => (value.name = null)),
      'part-left-out': edited((value) => value.parts.pop()),
      'parts-an-object': edited((value) => (value.parts = {})),
      'part-null': edited((value) => (value.parts[0] = null)),
      'part-twice': edited((value) => value.parts.push({ ...value.parts[0], file: 'other' })),
      'file-twice': edited((value) => value.parts.push({ ...value.parts[0], name: 'other' })),
      'parts-65': edited((value) => {
        for (let i = 0; value.parts.length < 65; i += 1) value.parts.push({ ...value.parts[0], name: `p${i}`, file: `f${i}` });
      }),
      'part-name-in-capitals': part({ name: 'Weights' }),
      'part-name-too-long': part({ name: 'x'.repeat(41) }),
      'part-name-prototype': edited((value) => value.parts.push({ ...value.parts[0], name: '__proto__', file: '../__proto__' })),
      'file-in-the-folder-above': file('../model.safetensors'),
      'file-absolute': file('/etc/passwd'),
      'file-with-a-backslash': file('..\\model.safetensors'),
      'file-in-a-folder': file('a/b'),
      'file-hidden': file('.htaccess'),
      'file-of-dots': file('..'),
      'file-with-nul': file('model\0.safetensors'),
      'file-without-name': file(''),
      'file-name-too-long': file('x'.repeat(101)),
      'file-the-manifest': file('manifest.json'),
      'bytes-negative': part({ bytes: -1 }),
      'bytes-2-to-53': json(whole).replace(/"bytes":\d+/, '"bytes":9007199254740992'),
      'bytes-2-to-64': json(whole).replace(/"bytes":\d+/, '"bytes":18446744073709551616'),
      'bytes-a-fraction': json(whole).replace(/"bytes":(\d+)/, '"bytes":$1.0'),
      'bytes-a-text': part({ bytes: '12' }),
      'hash-too-short': part({ sha256: 'a'.repeat(63) }),
      'hash-in-capitals': part({ sha256: 'A'.repeat(64) }),
      'hash-of-other-letters': part({ sha256: 'g'.repeat(64) }),
      'unknown-field': member('"url":"other"'),
      'unknown-field-of-a-part': part({ url: 'other' }),
      prototype: member('"__proto__":{"version":1}'),
      'self-test-without-tokens': edited((value) => (value.self_test = { tokens: [], logits_sha256: otherHash })),
      'self-test-token-negative': edited((value) => (value.self_test = { tokens: [-1], logits_sha256: otherHash })),
      'self-test-token-2-to-31': edited((value) => (value.self_test = { tokens: [2147483648], logits_sha256: otherHash })),
      'self-test-of-1025-tokens': edited((value) => (value.self_test = { tokens: Array(1025).fill(1), logits_sha256: otherHash })),
      'self-test-null': edited((value) => (value.self_test = null)),
      'corpus-a-list': edited((value) => (value.corpus = [])),
    },
    unsupported_format: { 'version-2': edited((value) => (value.version = 2)), 'version-0': edited((value) => (value.version = 0)) },
    bad_json: {
      empty: '',
      'cut-short': json(whole).slice(0, -1),
      'duplicate-key': member('"version":1'),
      'duplicate-key-in-corpus': json({ ...whole, corpus: {} }).replace('"corpus":{}', '"corpus":{"a":1,"a":1}'),
      'nested-33-levels': json(whole).replace('{', `{"corpus":{"a":${'['.repeat(31)}${']'.repeat(31)}},`),
      'not-utf8': Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff]), Buffer.from('"}')]),
      nul: `${json(whole)}\0`,
    },
  },
  bundle: {
    accepted: {
      whole: bundle(),
      'self-test': bundle({}, { self_test: selfTest }),
      'other-files': bundle({ 'LICENSE.txt': 'free' }),
      'file-that-is-not-listed': folder({ 'manifest.json': json(manifest(files)), ...files, 'notes.txt': '' }),
      'context-of-1': bundle(architecture({ max_position_embeddings: 1 })),
      'sampling-without-begin': bundle({ 'generation_config.json': json({ do_sample: true, top_p: 0.5 }), 'template.json': json({ version: 1, unit: 'stream' }) }),
      'theta-that-leaves-no-finite-angle': bundle(architecture({ rope_theta: 1e-300 })),
      'theta-huge': bundle(architecture({ rope_theta: 1e300 })),
      'epsilon-huge': bundle(architecture({ rms_norm_eps: 3e38 })),
      'adjacent-pairs': bundle(architecture({ vitrine_rope_pairing: 'adjacent' })),
    },
    part_mismatch: {
      'weights-cut-short': broken({ 'model.safetensors': files['model.safetensors'].subarray(0, 900) }),
      'weights-empty': broken({ 'model.safetensors': '' }),
      'one-bit-of-the-weights': broken({ 'model.safetensors': Buffer.from(files['model.safetensors'].map((byte, i, all) => (i === all.length - 1 ? byte ^ 1 : byte))) }),
      'one-letter-of-the-tokenizer': broken({ 'tokenizer.json': files['tokenizer.json'].replace('"A":65', '"A":66') }),
      'part-absent': without('template.json'),
      'weights-absent': without('model.safetensors'),
      'announces-8-pib': folder({ 'manifest.json': json(manifest(files)).replace(/"bytes":\d+/, '"bytes":9007199254740991'), ...files }),
    },
    bad_manifest: {
      empty: '',
      'no-manifest': without('manifest.json'),
      'template-of-another-kind': bundle({ 'template.json': '{"version":1,"unit":"page"}' }),
      'self-test-of-an-unknown-token': bundle({}, { self_test: { tokens: [257], logits_sha256: otherHash } }),
      'self-test-longer-than-the-context': bundle({}, { self_test: { tokens: Array(25).fill(1), logits_sha256: otherHash } }),
    },
    bad_json: { 'manifest-not-json': folder({ 'manifest.json': '{' }), 'tokenizer-not-json': bundle({ 'tokenizer.json': '{' }) },
    bad_safetensors: { 'weights-of-zeros': bundle({ 'model.safetensors': Buffer.alloc(64) }) },
    bad_config: { 'architecture-without-layers': bundle(architecture({ num_hidden_layers: 0 })) },
    bad_tokenizer: {
      'vocabulary-of-another-model': bundle(architecture({ vocab_size: 258 })),
      'begin-token-that-is-not-special': bundle({ 'template.json': '{"version":1,"begin":"a","unit":"line"}' }),
      'begin-token-unknown': bundle({ 'template.json': '{"version":1,"begin":"<|im_start|>","unit":"line"}' }),
    },
    invalid_option: { 'end-token-beyond-the-vocabulary': bundle({ 'generation_config.json': '{"eos_token_id":257}' }) },
    missing_tensor: {
      'no-tensor': bundle({ 'model.safetensors': safetensors('{}') }),
      'one-weight-left-out': bundle({ 'model.safetensors': weights({ 'model.norm.weight': null }) }),
      'more-layers-than-weights': bundle(architecture({ num_hidden_layers: 1024 })),
      'untied-without-a-head': bundle(architecture({ tie_word_embeddings: false })),
    },
    unexpected_tensor: {
      'one-weight-more': bundle({ 'model.safetensors': weights({ 'lm_head.weight': [1] }) }),
      'weight-named-in-every-kind': bundle({ 'model.safetensors': weights({ ['caf\u00e9\n\0'.repeat(100)]: [1] }) }),
    },
    shape_mismatch: {
      transposed: bundle({ 'model.safetensors': weights({ 'model.layers.0.mlp.down_proj.weight': [3, 2] }) }),
      'widths-of-a-thousand': bundle(architecture({ hidden_size: 1 << 10, intermediate_size: 1 << 10 })),
    },
    // Sizes far beyond the file, and beyond what some machines address: refused before memory for them is asked for.
    shape_mismatch_or_out_of_memory: { 'widths-of-a-million': bundle(architecture({ hidden_size: 1 << 20, intermediate_size: 1 << 20 })) },
    out_of_memory: { 'context-of-a-million': bundle(architecture({ max_position_embeddings: 1 << 20 })) },
    self_test_failed: { 'another-model': bundle({}, { self_test: { ...selfTest, logits_sha256: otherHash } }) },
  },
};
