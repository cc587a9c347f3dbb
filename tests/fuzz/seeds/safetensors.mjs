// Seeds of the target safetensors: small files that are right, and one for each way to be wrong. What other formats make
// of such files is in sealed.mjs and session.mjs.

/** A file: the header's length (or another one), the header, the numbers. */
export function safetensors(header, numbers = Buffer.alloc(0), length) {
  const text = Buffer.isBuffer(header) ? header : Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(length ?? text.length));
  return Buffer.concat([size, text, Buffer.from(numbers)]);
}

export const tensor = (dtype, shape, begin, end) => ({ dtype, shape, data_offsets: [begin, end] });
export const floats = (...numbers) => Buffer.from(new Float32Array(numbers).buffer);
const bytes = (count) => Buffer.alloc(count, 0x3c);

/** A header with one entry as text, so that numbers beyond JavaScript's can stand in it. */
const one = (entry, numbers) => safetensors(`{"t":${entry}}`, numbers);
const shaped = (dtype, shape, end, count = 0) => one(`{"dtype":"${dtype}","shape":[${shape}],"data_offsets":[0,${end}]}`, bytes(count));

const two64 = 1n << 64n;

const accepted = {
  'no-tensor': safetensors('{}'),
  'one-f32': safetensors({ t: tensor('F32', [2], 0, 8) }, floats(1, -2.5)),
  'three-dtypes': safetensors(
    { h: tensor('F16', [1], 8, 10), b: tensor('BF16', [1, 1], 10, 12), f: tensor('F32', [2], 0, 8) },
    Buffer.concat([floats(0.5, 3e38), bytes(4)]),
  ),
  'unaligned-f32-after-f16': safetensors({ h: tensor('F16', [1], 0, 2), f: tensor('F32', [1], 2, 6) }, bytes(6)),
  scalar: safetensors({ t: tensor('F32', [], 0, 4) }, floats(7)),
  'no-numbers': safetensors({ t: tensor('F32', [0, 3], 0, 0) }),
  'zero-beside-huge-dimensions': shaped('F32', '0,9223372036854775807,9223372036854775807', 0),
  'eight-dimensions': safetensors({ t: tensor('BF16', [1, 1, 1, 1, 1, 1, 1, 2], 0, 4) }, bytes(4)),
  metadata: safetensors({ __metadata__: { format: 'pt', note: 'caf\u00e9 "quoted"' }, t: tensor('F16', [2], 0, 4) }, bytes(4)),
  'padded-header': safetensors(`{"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}          `, floats(1)),
  'prototype-as-a-name': safetensors('{"__proto__":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}', floats(1)),
  'names-of-every-kind': safetensors({ '': tensor('F16', [1], 0, 2), 'a\u0000b': tensor('F16', [1], 2, 4), '\u{1f602}': tensor('F16', [1], 4, 6) }, bytes(6)),
  'not-numbers': safetensors(
    { f: tensor('F32', [2], 0, 8), h: tensor('F16', [2], 8, 12), b: tensor('BF16', [2], 12, 16) },
    Buffer.from('0100807f010080ff017c01fe817f81ff', 'hex'),
  ),
};

const wrongLayout = {
  'offsets-overlap': safetensors({ a: tensor('F32', [2], 0, 8), b: tensor('F32', [2], 4, 12) }, bytes(12)),
  'offsets-with-a-hole': safetensors({ a: tensor('F32', [1], 0, 4), b: tensor('F32', [1], 8, 12) }, bytes(12)),
  'offsets-begin-with-a-hole': safetensors({ a: tensor('F32', [1], 4, 8) }, bytes(8)),
  'offsets-do-not-cover-the-end': safetensors({ a: tensor('F32', [1], 0, 4) }, bytes(5)),
  'offsets-beyond-the-file': safetensors({ a: tensor('F32', [2], 0, 8) }, bytes(7)),
  'offsets-begin-after-end': safetensors({ a: tensor('F32', [1], 4, 0) }, bytes(4)),
  'offsets-begin-after-end-by-the-size': one('{"dtype":"F32","shape":[1],"data_offsets":[9223372036854775807,3]}', bytes(4)),
  'offsets-negative': safetensors({ a: tensor('F32', [1], -4, 0) }, bytes(4)),
  'offsets-beyond-64-bits': one('{"dtype":"F32","shape":[1],"data_offsets":[18446744073709551612,18446744073709551616]}'),
  'offsets-three': safetensors({ a: { dtype: 'F32', shape: [1], data_offsets: [0, 4, 4] } }, bytes(4)),
  'offsets-one': safetensors({ a: { dtype: 'F32', shape: [1], data_offsets: [4] } }, bytes(4)),
  'offsets-absent': safetensors({ a: { dtype: 'F32', shape: [1] } }, bytes(4)),
  'offsets-as-a-fraction': one('{"dtype":"F32","shape":[1],"data_offsets":[0,4.0]}', bytes(4)),
  'two-tensors-share-bytes': safetensors({ a: tensor('F32', [1], 0, 4), b: tensor('F32', [1], 0, 4) }, bytes(4)),
  'numbers-without-a-tensor': safetensors('{}', bytes(4)),
};

const wrongShape = {
  'dimension-2-to-42-plus-1': shaped('F32', `${(1n << 42n) + 1n},${1n << 22n}`, 4, 4),
  'dimensions-max-times-2': shaped('F32', '9223372036854775807,2', 8, 8),
  'dimension-beyond-63-bits': shaped('F32', '9223372036854775808', 0),
  'dimension-beyond-64-bits': shaped('F32', `${two64}`, 0),
  'size-wraps-to-0': shaped('F32', `${1n << 62n}`, 0),
  'size-wraps-to-4': shaped('F32', `${(1n << 62n) + 1n}`, 4, 4),
  'product-wraps-to-4': shaped('F32', `${1n << 32n},${1n << 32n}`, 4, 4),
  'size-wraps-in-32-bits': shaped('F32', `${(1n << 30n) + 1n}`, 4, 4),
  'product-wraps-in-32-bits': shaped('F16', '65536,32768', 0),
  'announces-1-gib': shaped('F32', `${1n << 28n}`, 1n << 30n, 4),
  'dimension-negative': shaped('F32', '-1', 4, 4),
  'dimension-as-a-fraction': shaped('F32', '1.0', 4, 4),
  'dimension-as-text': shaped('F32', '"1"', 4, 4),
  'nine-dimensions': shaped('F32', '1,1,1,1,1,1,1,1,1', 4, 4),
  'shape-not-a-list': one('{"dtype":"F32","shape":1,"data_offsets":[0,4]}', bytes(4)),
  'shape-times-dtype-is-less-than-the-offsets': shaped('F16', '1', 4, 4),
  'dtype-unknown': shaped('F31', '1', 4, 4),
  'dtype-in-lower-case': shaped('f32', '1', 4, 4),
  'dtype-a-number': one('{"dtype":4,"shape":[1],"data_offsets":[0,4]}', bytes(4)),
};

const wrongHeader = {
  empty: Buffer.alloc(0),
  'seven-bytes': Buffer.alloc(7),
  'length-0': safetensors(''),
  'header-longer-than-the-file': safetensors('{}', '', 3),
  'header-of-1-gib-announced': safetensors('{}', '', 1 << 30),
  'header-length-over-the-limit': safetensors('{}', '', 100_000_001),
  'header-length-2-to-63': safetensors('{}', '', 1n << 63n),
  'header-length-all-ones': safetensors('{}', '', two64 - 1n),
  'header-length-wraps-with-its-own-8-bytes': safetensors('{}', '', two64 - 8n),
  'header-length-2-to-32-plus-2': safetensors('{}', '', (1n << 32n) + 2n),
  'begins-with-a-space': safetensors(' {}'),
  'begins-with-a-byte-order-mark': safetensors(Buffer.from('efbbbf7b7d', 'hex')),
  'header-a-list': safetensors('[]'),
  'entry-a-number': safetensors('{"t":4}'),
  'entry-null': safetensors('{"t":null}'),
  'entry-with-an-unknown-field': safetensors({ t: { ...tensor('F32', [1], 0, 4), strides: [1] } }, floats(1)),
  'entry-with-prototype': one('{"dtype":"F32","shape":[1],"data_offsets":[0,4],"__proto__":{}}', floats(1)),
  'metadata-a-number': safetensors('{"__metadata__":{"epoch":3}}'),
  'metadata-key-of-every-kind': safetensors('{"__metadata__":{"caf\u00e9\\u0000\\n":3}}'),
  'metadata-nested': safetensors('{"__metadata__":{"a":{"b":"c"}}}'),
  'metadata-null': safetensors('{"__metadata__":null}'),
  'metadata-a-text': safetensors('{"__metadata__":"pt"}'),
};

const badJson = {
  'length-cuts-the-header': safetensors('{"t":{}}', '', 7),
  'duplicate-name': safetensors('{"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}', floats(1)),
  'duplicate-metadata': safetensors('{"__metadata__":{"a":"1","a":"2"}}'),
  'duplicate-field': one('{"dtype":"F32","dtype":"F16","shape":[1],"data_offsets":[0,4]}', floats(1)),
  'not-utf8': safetensors(Buffer.concat([Buffer.from('{"'), Buffer.from([0xff, 0xfe]), Buffer.from('":{}}')])),
  'overlong-utf8': safetensors(Buffer.concat([Buffer.from('{"'), Buffer.from([0xc0, 0x80]), Buffer.from('":{}}')])),
  'half-a-surrogate-pair': safetensors('{"\\ud800":{}}'),
  'nul-after-the-header': safetensors('{}\0\0'),
  'text-after-the-header': safetensors('{}{}'),
  'nested-too-deeply': safetensors('{"t":{"shape":[[[1]]]}}'),
  'nested-a-hundred-levels': safetensors(`{"t":${'['.repeat(100)}${']'.repeat(100)}}`),
  'number-beyond-double': one('{"dtype":"F32","shape":[1e999],"data_offsets":[0,4]}'),
  'not-a-number': one('{"dtype":"F32","shape":[NaN],"data_offsets":[0,4]}'),
  'comma-at-the-end': safetensors('{"t":{},}'),
};

const unsupported = Object.fromEntries(
  Object.entries({ F64: 8, I64: 8, I32: 4, I16: 2, I8: 1, U8: 1, BOOL: 1, F8_E4M3: 1, F8_E5M2: 1 }).map(([dtype, size]) => [
    `dtype-${dtype.toLowerCase()}`,
    shaped(dtype, '1', size, size),
  ]),
);

export default {
  safetensors: {
    accepted,
    bad_safetensors: { ...wrongHeader, ...wrongLayout, ...wrongShape },
    bad_json: badJson,
    unsupported_format: unsupported,
  },
};
