// Seeds of the targets that read one JSON object: policy, generation_config, config_json, template_json; and of json.

const json = JSON.stringify;
/** { name: value } as { name: text }; a string is taken as it is, so that wrong JSON can stand here too. */
const texts = (values) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value : json(value)]));
const numbers = (count) => Array.from({ length: count }, (_, i) => i);

const badJson = texts({
  empty: '',
  'cut-short': '{"a":',
  'byte-order-mark': '\ufeff{}',
  'duplicate-key': '{"seed":1,"seed":2}',
  'duplicate-key-spelled-otherwise': '{"seed":1,"\\u0073eed":2}',
  'not-a-number': '{"temperature":NaN}',
  infinity: '{"temperature":Infinity}',
  'number-beyond-double': '{"temperature":1e999}',
  'two-values': '{}{}',
  nul: '{}\0',
  'lone-surrogate': '{"stop":["\\ud83d"]}',
  'nested-a-hundred-levels': '['.repeat(100) + ']'.repeat(100),
});

const option = (name, value) => `{"${name}":${value}}`;
const policyRefused = {
  'a-list': '[]',
  'a-number': '1',
  'unknown-option': option('n_discard', -1),
  'unknown-option-of-every-kind': { ['caf\u00e9\n'.repeat(100)]: 1 },
  prototype: '{"__proto__":{"seed":1}}',
  'version-2': option('version', 2),
  'temperature-0': option('temperature', 0),
  'temperature-minus-0': option('temperature', '-0.0'),
  'temperature-1e-45': option('temperature', '1e-45'),
  'temperature-too-high': option('temperature', '1000.0000001'),
  'temperature-a-text': option('temperature', '"0"'),
  'temperature-null': option('temperature', null),
  'top-k-above-the-vocabulary': option('top_k', 1001),
  'top-k-negative': option('top_k', -1),
  'top-k-a-fraction': option('top_k', '1.0'),
  'top-k-2-to-63': option('top_k', '9223372036854775808'),
  'top-p-0': option('top_p', 0),
  'top-p-minus-0': option('top_p', '-0.0'),
  'top-p-above-1': option('top_p', '1.0000001'),
  'min-p-negative': option('min_p', '-1e-300'),
  'seed-2-to-53': option('seed', '9007199254740992'),
  'seed-negative': option('seed', -1),
  'seed-beyond-64-bits': option('seed', '18446744073709551616'),
  'max-new-tokens-0': option('max_new_tokens', 0),
  'max-new-tokens-2-to-31': option('max_new_tokens', '2147483648'),
  'max-new-tokens-too-many': option('max_new_tokens', '1000001'),
  'stop-a-text': option('stop', '"\\n"'),
  'stop-empty': option('stop', '[""]'),
  'stop-twice': option('stop', '["a","a"]'),
  'stop-17': { stop: numbers(17).map(String) },
  'stop-of-257-bytes': { stop: ['x'.repeat(257)] },
  'stop-token-negative': option('stop_tokens', '[-1]'),
  'stop-token-beyond-the-vocabulary': option('stop_tokens', '[1000]'),
  'stop-token-2-to-32': option('stop_tokens', '[4294967296]'),
  'stop-token-twice': option('stop_tokens', '[3,3]'),
  'stop-tokens-65': { stop_tokens: numbers(65) },
  'mode-unknown': option('mode', '"beam"'),
  'mode-a-number': option('mode', 0),
  'greedy-with-temperature': '{"mode":"greedy","temperature":1}',
  'greedy-with-top-k': '{"mode":"greedy","top_k":0}',
};

const llama = { model_type: 'llama', vocab_size: 300, hidden_size: 8, intermediate_size: 16, num_hidden_layers: 2, num_attention_heads: 2, max_position_embeddings: 64, rms_norm_eps: 1e-5 };
const config = (changes) => ({ ...llama, ...changes });
const without = (field) => Object.fromEntries(Object.entries(llama).filter(([name]) => name !== field));
/** A number that JavaScript would round stands as text. */
const configText = (field, number) => json(config({ [field]: 0 })).replace(`"${field}":0`, `"${field}":${number}`);

const configRefused = {
  'a-list': '[]',
  ...Object.fromEntries(Object.keys(llama).filter((field) => field !== 'model_type').map((field) => [`without-${field.replaceAll('_', '-')}`, without(field)])),
  'size-0': config({ hidden_size: 0 }),
  'size-negative': config({ intermediate_size: -1 }),
  'size-a-fraction': configText('hidden_size', '8.0'),
  'size-2-to-42-plus-1': configText('hidden_size', '4398046511105'),
  'size-2-to-64': configText('vocab_size', '18446744073709551616'),
  'layers-2-to-31': config({ num_hidden_layers: 2147483648 }),
  'heads-do-not-divide': config({ num_attention_heads: 3 }),
  'heads-0': config({ num_attention_heads: 0 }),
  'key-value-heads-do-not-divide': config({ num_attention_heads: 4, num_key_value_heads: 3 }),
  'key-value-heads-more': config({ num_key_value_heads: 4 }),
  'head-dim-odd': config({ head_dim: 3 }),
  'heads-times-head-dim-wraps-in-32-bits': config({ num_attention_heads: 65536, hidden_size: 65536, head_dim: 65536 }),
  'epsilon-0': config({ rms_norm_eps: 0 }),
  'epsilon-below-float32': config({ rms_norm_eps: 1e-60 }),
  'epsilon-beyond-float32': config({ rms_norm_eps: 1e300 }),
  'epsilon-negative': config({ rms_norm_eps: -1 }),
  'theta-0': config({ rope_theta: 0 }),
  'theta-negative': config({ rope_theta: -10000 }),
  'theta-a-text': config({ rope_theta: '10000' }),
  'end-token-beyond-the-vocabulary': config({ eos_token_id: 300 }),
  'end-tokens-a-list': config({ eos_token_id: [1, 2] }),
  'token-negative': config({ bos_token_id: -1 }),
  'pairing-unknown': config({ vitrine_rope_pairing: 'thirds' }),
  'unknown-field': config({ quantization_config: {} }),
  'unknown-field-of-every-kind': config({ ['caf\u00e9\n'.repeat(100)]: 1 }),
  prototype: json(llama).replace('{', '{"__proto__":{},'),
};

export default {
  policy: {
    accepted: texts({
      empty: '{}',
      greedy: { mode: 'greedy', seed: 1, max_new_tokens: 1, stop_tokens: [0, 999], stop: ['\n'] },
      every: { version: 1, mode: 'sample', temperature: 0.7, top_k: 40, top_p: 0.9, min_p: 0.05, seed: 9007199254740991, max_new_tokens: 1000000, stop_tokens: numbers(64), stop: numbers(16).map(String) },
      least: '{"temperature":0.001,"top_k":0,"top_p":5e-324,"min_p":-0.0,"seed":0}',
      most: '{"temperature":1000,"top_k":1000,"top_p":1,"min_p":1}',
      'spaces-and-escapes': ' {\t"stop" :\n["caf\\u00e9\\u0000", "\ud83d\ude02"] }\r\n',
    }),
    invalid_option: texts(policyRefused),
    bad_json: badJson,
  },
  generation_config: {
    accepted: texts({
      empty: '{}',
      sample: { do_sample: true, temperature: 0.7, top_k: 40, top_p: 0.9, eos_token_id: [0, 2], max_new_tokens: 100, pad_token_id: 0, bos_token_id: 1, transformers_version: '4.0' },
      'greedy-with-nulls': { do_sample: false, temperature: null, top_k: null, top_p: null, eos_token_id: 0 },
      'null-is-absence': { do_sample: null, eos_token_id: null, max_new_tokens: null },
    }),
    invalid_option: texts({
      'a-list': '[]',
      'greedy-with-temperature': { temperature: 0.7 },
      'unknown-setting': { repetition_penalty: 1.1 },
      'end-token-beyond-the-vocabulary': { eos_token_id: 1000 },
      'end-tokens-65': { eos_token_id: numbers(65) },
      'end-token-twice': { eos_token_id: [1, 1] },
      'end-token-a-text': { eos_token_id: '1' },
      'do-sample-a-number': { do_sample: 1 },
      'temperature-0': { do_sample: true, temperature: 0 },
      'max-new-tokens-negative': { max_new_tokens: -1 },
    }),
    bad_json: badJson,
  },
  config_json: {
    accepted: texts({
      small: llama,
      'null-is-absence': config({ rope_scaling: null, num_key_value_heads: null, head_dim: null, rope_theta: null, eos_token_id: null }),
      grouped: config({ num_attention_heads: 6, num_key_value_heads: 2, head_dim: 6, hidden_size: 22, tie_word_embeddings: true, bos_token_id: 0, eos_token_id: 299, rope_theta: 500000, vitrine_rope_pairing: 'adjacent' }),
      ignored: config({ architectures: ['LlamaForCausalLM'], torch_dtype: 'float32', use_cache: true, hidden_act: 'silu', attention_bias: false, mlp_bias: false }),
      'theta-of-any-size': config({ rope_theta: 1e300 }),
    }),
    bad_config: texts(configRefused),
    unsupported_format: texts({
      gpt2: config({ model_type: 'gpt2' }),
      gelu: config({ hidden_act: 'gelu' }),
      'attention-bias': config({ attention_bias: true }),
      'mlp-bias': config({ mlp_bias: true }),
      'rope-scaling': config({ rope_scaling: { rope_type: 'llama3', factor: 8 } }),
    }),
    // Each size is allowed, but not every machine can address their product.
    accepted_or_out_of_memory: texts({
      'every-size-at-its-limit': config({ vocab_size: 1 << 20, hidden_size: 1 << 20, intermediate_size: 1 << 20, num_hidden_layers: 1024, num_attention_heads: 1 << 10, max_position_embeddings: 1 << 20 }),
      'cache-of-2-to-53-bytes': config({ num_attention_heads: 1 << 10, num_key_value_heads: 1 << 10, head_dim: 1 << 10, num_hidden_layers: 1024, max_position_embeddings: 1 << 20 }),
    }),
    bad_json: badJson,
  },
  template_json: {
    accepted: texts({
      line: { version: 1, begin: '<|endoftext|>', unit: 'line' },
      'stream-without-begin': { version: 1, unit: 'stream' },
      'begin-of-every-kind': { version: 1, begin: 'caf\u00e9\u0000\n', unit: 'line' },
    }),
    bad_manifest: texts({
      'a-list': '[]',
      'no-unit': { version: 1 },
      'unit-unknown': { version: 1, unit: 'page' },
      'begin-a-number': { version: 1, begin: 1, unit: 'line' },
      'begin-null': { version: 1, begin: null, unit: 'line' },
      'no-version': { unit: 'line' },
      'version-0': { version: 0, unit: 'line' },
      'unknown-field': { version: 1, unit: 'line', end: '' },
    }),
    unsupported_format: texts({ 'version-2': { version: 2, unit: 'line' } }),
    bad_json: badJson,
  },
  json: {
    accepted: texts({
      null: 'null',
      numbers: '[0,-0,-0.0,1,-1,1.5,1e2,1E-400,5e-324,1.7976931348623157e308,9223372036854775808,18446744073709551615,18446744073709551616,-9223372036854775808,-9223372036854775809]',
      strings: '["","\\"\\\\\\/\\b\\f\\n\\r\\t","\\u0000\\u001f\u007f\u0080\\ud83d\\ude02","caf\u00e9"]',
      nested: '['.repeat(16) + ']'.repeat(16),
      objects: '{"":{},"a":{"":[]},"__proto__":1,"constructor":2}',
      spaces: ' \t\r\n[ 1 , 2 ] ',
    }),
    bad_json: {
      ...badJson,
      ...texts({
        'nested-17': '['.repeat(17) + ']'.repeat(17),
        'values-501': json(numbers(500)),
        'bytes-4097': `"${'x'.repeat(4095)}"`,
        'leading-zero': '01',
        'plus-sign': '+1',
        'bare-point': '1.',
        hexadecimal: '0x1',
        'single-quotes': "'a'",
        'control-character': '"\n"',
        comment: '/**/1',
        'two-commas': '[1,,2]',
        'half-an-escape': '"\\u12"',
        'low-surrogate-first': '"\\udc00\\ud800"',
      }),
    },
  },
};
