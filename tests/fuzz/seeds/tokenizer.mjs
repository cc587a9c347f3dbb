// Seeds of the target tokenizer_json, and the byte-level vocabulary that bundles use too.

/** GPT-2's visible spelling of each byte. */
const spelling = (() => {
  const visible = (byte) => (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad);
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(visible(byte) ? byte : next++));
})();

/** A whole tokenizer.json; `more` edits the value before it is written. */
export function tokenizer({ merges = [], specials = [], inVocab = true } = {}, more = () => {}) {
  const tokens = [...spelling, ...merges.map((pair) => pair.replace(' ', ''))];
  const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]));
  const added = specials.map((content, i) => ({ id: tokens.length + i, content, special: true, lstrip: false, rstrip: false, single_word: false, normalized: false }));
  if (inVocab) for (const { id, content } of added) vocab[content] = id;
  const value = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added,
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    model: { type: 'BPE', dropout: null, unk_token: null, fuse_unk: false, byte_fallback: false, vocab, merges },
  };
  more(value);
  return JSON.stringify(value);
}

const merges = ['\u0120 c', '\u0120c o', 'm m', 'i t', 'g i', 'gi t'];
const end = '<|endoftext|>';
const edited = (edit) => tokenizer({ merges: ['a b'], specials: [end] }, edit);
/** With a vocabulary of a few tokens: for what is refused before the bytes are looked for. */
const tiny = (edit) =>
  tokenizer({}, (value) => {
    value.model.vocab = { a: 0, b: 1, ab: 2 };
    edit(value);
  });
const model = (edit) => tiny((value) => edit(value.model));
const added = (...tokens) => tiny((value) => (value.added_tokens = tokens));
const gpt2 = `'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+`;
const split = (Regex) => ({
  type: 'Sequence',
  pretokenizers: [
    { type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false },
    { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
  ],
});
const text = (json) => Buffer.from(json);

export default {
  tokenizer_json: {
    accepted: {
      bytes: tokenizer(),
      'merges-and-an-end': tokenizer({ merges, specials: [end] }),
      'merges-as-pairs': tokenizer({ merges: ['a b'] }, (value) => (value.model.merges = [['a', 'b']])),
      'special-not-in-vocab': tokenizer({ specials: [end], inVocab: false }),
      'specials-of-every-kind': tokenizer({ specials: ['<|a b|>', '<|a b|><|c|>', ' ', '\r\n', '\ufeff', 'a\u0000b', '\u{1f469}\u200d\u{1f467}', '__proto__'], inVocab: false }),
      'one-piece': edited((value) => (value.pre_tokenizer.use_regex = false)),
      'gpt2-pattern-as-a-split': edited((value) => (value.pre_tokenizer = split(gpt2))),
      'byte-level-post-processor': edited((value) => (value.post_processor = { type: 'ByteLevel', trim_offsets: false })),
      'unknown-token-named': edited((value) => Object.assign(value.model, { unk_token: 'a', fuse_unk: true })),
      'least-fields': tokenizer({}, (value) => {
        for (const key of ['version', 'truncation', 'padding', 'added_tokens', 'normalizer', 'post_processor']) delete value[key];
        value.decoder = { type: 'ByteLevel' };
        value.model = { vocab: value.model.vocab, merges: [] };
      }),
    },
    bad_tokenizer: {
      'id-negative': model((m) => (m.vocab.a = -1)),
      'id-a-fraction': model((m) => (m.vocab.a = 0.5)),
      'id-a-text': model((m) => (m.vocab.a = '0')),
      'id-2-to-24': model((m) => (m.vocab.a = 1 << 24)),
      'id-beyond-32-bits': model((m) => (m.vocab.a = 2 ** 32)),
      'ids-with-a-gap': model((m) => (m.vocab.ab = 3)),
      'id-twice': model((m) => (m.vocab.ab = 1)),
      'bytes-left-out': model(() => {}),
      'vocab-empty': model((m) => (m.vocab = {})),
      'vocab-a-list': model((m) => (m.vocab = [['a', 0]])),
      'token-not-byte-level': model((m) => (m.vocab = { 'a b': 0 })),
      'token-without-bytes': model((m) => (m.vocab = { '': 0 })),
      'merge-of-an-unknown-token': model((m) => (m.merges = ['a c'])),
      'merge-of-prototype': model((m) => (m.merges = ['__proto__ a'])),
      'merge-of-three': model((m) => (m.merges = ['a b c'])),
      'merge-of-one': model((m) => (m.merges = ['a'])),
      'merge-a-number': model((m) => (m.merges = [1])),
      'merge-pair-of-numbers': model((m) => (m.merges = [[0, 1]])),
      'merge-into-no-token': edited((value) => value.model.merges.push('b a')),
      'merge-twice': edited((value) => value.model.merges.push('a b')),
      'merge-of-a-special-token': edited((value) => value.model.merges.push(`a ${end}`)),
      'special-with-two-ids': edited((value) => (value.model.vocab[end] = 0)),
      'special-twice': edited((value) => value.added_tokens.push({ ...value.added_tokens[0], id: 0 })),
      'special-without-content': tokenizer({ specials: [''], inVocab: false }),
      'special-takes-the-id-of-a-byte': edited((value) => {
        value.added_tokens[0].id = 65;
        delete value.model.vocab[end];
      }),
      'special-id-beyond-the-vocabulary': added({ id: 16777215, content: end, special: true }),
      'special-spelled-like-a-byte': edited((value) => (value.added_tokens[0] = { id: 65, content: 'A', special: true })),
    },
    unsupported_format: {
      'a-list': '[]',
      normalizer: tiny((value) => (value.normalizer = { type: 'NFC' })),
      truncation: tiny((value) => (value.truncation = { max_length: 512 })),
      padding: tiny((value) => (value.padding = { strategy: 'BatchLongest' })),
      'no-pre-tokenizer': tiny((value) => (value.pre_tokenizer = null)),
      'prefix-space': tiny((value) => (value.pre_tokenizer.add_prefix_space = true)),
      'pattern-that-never-ends': tiny((value) => (value.pre_tokenizer = split('(a+)+$'))),
      'pattern-almost-gpt2': tiny((value) => (value.pre_tokenizer = split(`${gpt2} `))),
      'split-removed': tiny((value) => {
        value.pre_tokenizer = split(gpt2);
        value.pre_tokenizer.pretokenizers[0].behavior = 'Removed';
      }),
      'split-then-another-split': tiny((value) => {
        value.pre_tokenizer = split(gpt2);
        value.pre_tokenizer.pretokenizers[1].use_regex = true;
      }),
      'sequence-of-nothing': tiny((value) => (value.pre_tokenizer = { type: 'Sequence', pretokenizers: [] })),
      'decoder-of-words': tiny((value) => (value.decoder = { type: 'WordPiece' })),
      'post-processor-template': tiny((value) => (value.post_processor = { type: 'TemplateProcessing', single: [] })),
      dropout: model((m) => (m.dropout = 0.1)),
      prefix: model((m) => (m.continuing_subword_prefix = '##')),
      suffix: model((m) => (m.end_of_word_suffix = '</w>')),
      'byte-fallback': model((m) => (m.byte_fallback = true)),
      'ignore-merges': model((m) => (m.ignore_merges = true)),
      'word-piece': model((m) => (m.type = 'WordPiece')),
      'added-not-special': added({ id: 3, content: 'there my' }),
      'added-strips-left': added({ id: 3, content: end, special: true, lstrip: true }),
      'added-strips-right': added({ id: 3, content: end, special: true, rstrip: true }),
      'added-single-word': added({ id: 3, content: end, special: true, single_word: true }),
      'added-id-negative': added({ id: -1, content: end, special: true }),
      'added-id-2-to-31': added({ id: 2 ** 31, content: end, special: true }),
      'added-id-2-to-24': added({ id: 1 << 24, content: end, special: true }),
      'added-null': added(null),
      'added-a-number': tiny((value) => (value.added_tokens = 1)),
      'merges-absent': model((m) => delete m.merges),
      'vocab-absent': model((m) => delete m.vocab),
      'model-absent': tiny((value) => delete value.model),
      'unknown-field': tiny((value) => (value.pattern = '.*')),
      'unknown-field-of-every-kind': tiny((value) => (value['caf\u00e9\n'.repeat(100)] = 1)),
      'prototype-as-a-field': text(tokenizer().replace('{', '{"__proto__":{},')),
    },
    bad_json: {
      empty: '',
      'cut-short': tokenizer().slice(0, 1000),
      'duplicate-token': model((m) => (m.merges = [])).replace('"b":1', '"a":1'),
      'token-that-never-ends': '{"model":{"vocab":{"a',
      'not-utf8': text('{"model":{"vocab":{"\xff":0}}}').map((byte, i, all) => (byte === 0xc3 || all[i - 1] === 0xc3 ? 0xff : byte)),
      'nested-a-hundred-levels': '{"a":'.repeat(100),
      nul: '{}\0',
      'lone-surrogate': '{"\\udc00":0}',
    },
  },
};
