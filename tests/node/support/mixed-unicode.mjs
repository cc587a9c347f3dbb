// Text of every kind that a tokenizer trips over, from a seed: the same on every machine. It means nothing.

/** Uniform integers below a bound: xorshift32, whose state is never 0. */
function generator(seed) {
  let state = seed | 1;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}

/** Blocks of letters: first and last code point. */
const scripts = {
  latin: [0x61, 0x7a],
  latinCapital: [0x41, 0x5a],
  latinExtended: [0xc0, 0x24f],
  greek: [0x391, 0x3c9],
  cyrillic: [0x410, 0x44f],
  armenian: [0x561, 0x586],
  hebrew: [0x5d0, 0x5ea],
  arabic: [0x620, 0x64a],
  syriac: [0x710, 0x72f],
  devanagari: [0x905, 0x94d],
  bengali: [0x985, 0x9cd],
  tamil: [0xb85, 0xbcd],
  thai: [0xe01, 0xe4e],
  tibetan: [0xf40, 0xf84],
  georgian: [0x10d0, 0x10f0],
  hangulJamo: [0x1100, 0x1175],
  ethiopic: [0x1200, 0x135a],
  cherokee: [0x13a0, 0x13f4],
  khmer: [0x1780, 0x17d3],
  hiragana: [0x3041, 0x3096],
  katakana: [0x30a1, 0x30fa],
  han: [0x4e00, 0x9fff],
  hangul: [0xac00, 0xd7a3],
  fullwidth: [0xff21, 0xff5a],
  gothic: [0x10330, 0x1034a],
  deseret: [0x10400, 0x1044f],
  mathematical: [0x1d400, 0x1d7cb],
  hanExtensionB: [0x20000, 0x2a6df],
};

const joiner = '\u200d';
const emoji = [
  ...['\u{1f602}', '\u{1f44d}\u{1f3fd}', '\u2764\ufe0f', '\u2764', '#\ufe0f\u20e3', '\u{1f600}\u{1f600}\u{1f600}', '\u{1fae8}'],
  ...['\u{1f469}', '\u{1f469}', '\u{1f467}'].map((_, i, family) => family.slice(0, i + 1).join(joiner)),
  ...['\u{1f469}\u{1f3ff}\u200d\u{1f680}', '\u{1f3f3}\ufe0f\u200d\u{1f308}', '\u{1f441}\ufe0f\u200d\u{1f5e8}\ufe0f'],
  // Flags: of Germany, of Japan, half a flag, three halves, of England by tags.
  ...['\u{1f1e9}\u{1f1ea}', '\u{1f1ef}\u{1f1f5}', '\u{1f1e9}', '\u{1f1fa}\u{1f1f8}\u{1f1ec}'],
  '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
];
const contractions = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'S", "'RE", "'x", "''s", "'", " 's", '\u2019s', "'\u017f", "'s't'"];
const spaces = [' ', '  ', '   ', '\t', '\n', '\r\n', '\r', '\n\n', '\u00a0', '\u3000', '\u2003', '\u2028', '\u2029', '\u0085', '\u1680', '\v', '\f'];
const numbers = ['0', '1', '42', '007', '1234567890', '3.14', '1,000', '\u0663\u0664', '\uff11\uff12', '\u00b2\u00b3', '\u2167', '\u00bd', '\u3007', '\u{1d7d8}', '\u{1f10b}'];
const marks = ['\u0301', '\u0308', '\u0327', '\u0323\u0307', '\u05b0', '\u064e', '\u093f', '\u0e31', '\u20d7', '\ufe0f', '\u{1d165}'];
const controls = ['\0', '\x01', '\x07', '\b', '\x1b[0m', '\x7f', '\u0080', '\u009f', '\ufeff', '\u200b', '\u200c', '\u200e', '\u202e', '\u2066', '\u00ad', '\ufffe', '\uffff', '\u{10ffff}', '\ufffd'];
const surrogates = ['\ud83d', '\ude02', '\ude02\ud83d', '\ud83d\ud83d', '\udfff', '\ud800'];
const punctuation = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~\u00a7\u00b1\u20ac\u2014\u201c\u201d\u2026\u2192\u2211\u2588\u3002\uff01';
const markers = ['<|endoftext|>', '<|im_start|>user', '<s> a', '</s>', '<|endoftext', '|>', '<pad>', '[INST]'];
const code = ['git commit -m "fix"', 'for (int i=0; i<n; ++i) {\n\t\tx[i] += 1;\n\t}\n', 'https://example.org/a?b=%20c#d', '    return self._x\n', '/* c */'];

/** About `bytes` bytes of UTF-8. Lone surrogates are in it: they become U+FFFD wherever text becomes bytes. */
export function mixedUnicode(seed, bytes) {
  const below = generator(seed);
  const one = (list) => list[below(list.length)];
  const letters = (name, count) => {
    const [first, last] = scripts[name];
    return Array.from({ length: count }, () => String.fromCodePoint(first + below(last - first + 1))).join('');
  };
  const names = Object.keys(scripts);
  const word = () => letters(one(names), 1 + below(9));
  const latin = () => (below(4) === 0 ? letters('latinCapital', 1) : '') + letters('latin', 1 + below(8));
  const repeated = (list, most) => Array.from({ length: 1 + below(most) }, () => one(list)).join('');
  const anyPoint = () => {
    const point = below(8) === 0 ? below(0x110000) : below(0x3000);
    return point >= 0xd800 && point <= 0xdfff ? '\ufffd' : String.fromCodePoint(point);
  };
  const kinds = [
    () => Array.from({ length: 1 + below(6) }, latin).join(' '),
    () => Array.from({ length: 1 + below(4) }, word).join(one(['', ' ', ' ', '-', '\u30fb'])),
    () => latin() + one(contractions) + one(['', ' ', latin()]),
    () => repeated(emoji, 3),
    () => one(spaces).repeat(1 + below(5)) + repeated(spaces, 3),
    () => repeated(numbers, 3) + one(['', '%', 'px', ' ']),
    () => word() + repeated(marks, 4) + word(),
    () => repeated(controls, 2),
    () => one(surrogates),
    () => Array.from({ length: 1 + below(8) }, () => punctuation[below(punctuation.length)]).join(''),
    () => one(markers),
    () => one(code),
    () => Array.from({ length: 1 + below(6) }, anyPoint).join(''),
    () => word().repeat(1 + below(12)),
  ];
  const parts = [];
  for (let size = 0; size < bytes; ) {
    const part = one(kinds)() + one(['', '', ' ', ' ', '\n']);
    parts.push(part);
    size += Buffer.byteLength(part);
  }
  return parts.join('');
}
