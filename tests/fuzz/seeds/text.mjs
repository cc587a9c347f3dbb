// Seeds of the target text: texts that broke tokenizers, streams and stop rules, each with stop strings before it.

function input(text, ...stops) {
  const bytes = (part) => (Buffer.isBuffer(part) ? part : Buffer.from(part));
  return Buffer.concat([
    Buffer.from([stops.length]),
    ...stops.flatMap((stop) => [Buffer.from([bytes(stop).length]), bytes(stop)]),
    bytes(text),
  ]);
}
const hex = (digits) => Buffer.from(digits, 'hex');

export default {
  text: {
    accepted: {
      empty: Buffer.alloc(0),
      'no-text': input('', 'a'),
      'git-commit': input('git commit -m "it\'s done"\n', '\n'),
      'every-byte': input(Buffer.from(Array.from({ length: 256 }, (_, i) => i))),
      nul: input('ab\0cd', '\0c'),
      'byte-order-mark': input('\ufeffgit', '\ufeff'),
      'half-a-character': input(hex('e6ad')),
      'two-thirds-of-a-euro-at-the-end': input(hex('61e282'), hex('e282ac')),
      'surrogate-in-utf8': input(hex('eda0bd20edb882')),
      'overlong-and-beyond': input(hex('c080f4908080f880808080ff')),
      emoji: input('\u{1f602}\u{1f469}\u200d\u{1f469}\u200d\u{1f467}\u{1f1e9}\u{1f1ea}', '\u{1f467}'),
      cjk: input('\u8d4b\u4e88\u65e5\u672c\u8a9e\ud55c\uad6d\uc5b4', '\u65e5'),
      thai: input('\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35\u0e04\u0e23\u0e31\u0e1a'),
      vaersaa: input('V\u00e6rs\u00e5'),
      'stop-over-several-tokens': input('alpha beta gamma delta', 'beta gamma'),
      'stop-that-never-comes': input('alpha beta gamm', 'beta gamma'),
      'stop-after-a-false-start': input('aaab', 'aab'),
      'stop-within-a-token': input('aaaaaaaa', 'aaa'),
      'stops-that-overlap': input('xabcdx', 'abc', 'bcd', 'bc'),
      'stops-that-end-together': input('xxabc', 'c', 'bc', 'abc'),
      'stop-of-half-a-character': input('a\u20acb', hex('82ac')),
      'stop-twice-newline': input('a\n\nb', '\n\n'),
      'special-tokens-spelled-out': input('<|a|><|b|> <|a|> <|a|', '<|b|>'),
      'runs-of-one-letter': input('a'.repeat(67)),
      'runs-of-space': input(`a${' '.repeat(33)}a  b `),
      'white-space-of-every-kind': input('a \t\r\n\u00a0\u2003\u3000\u0085b'),
      contractions: input("it's don't we'll 's ''s'"),
      'numbers-of-every-kind': input('12\u0664\u00b2\u216412'),
    },
  },
};
