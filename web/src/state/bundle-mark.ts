// The mark of the bundle in an address, which tells whether another one is loaded: an address gives its tokens again with
// the bundle that it was made with.

import type { LoadState } from '../engine/load-state';
import type { BundlePart } from '../engine/protocol';
import { fill, messages } from '../messages';

const texts = messages('page', {
  other_bundle: 'This address was made with another model, so its tokens may be others here. {parts}.',
  other_part: '{part}: expected {expected}, found {found}',
  absent: 'none',
});

/** So much of each part's hash tells bundles apart; anybody who would deceive can do so in the same address. */
const markDigits = 8;

/** A bundle by its parts: `weights.f2ac5e3b*tokenizer.51604ad5`. */
export const bundleMark = (parts: readonly BundlePart[]): string =>
  parts.map(({ name, sha256 }) => `${name}.${sha256.slice(0, markDigits)}`).join('*');

/** Where the bundle of a mark differs from the one that is loaded: a part's name, with what was expected and found. */
export function bundleDifferences(mark: string, parts: readonly BundlePart[]): Array<[string, string, string]> {
  const read = (text: string): Map<string, string> =>
    new Map(text.split('*').map((part) => [part.split('.')[0] ?? '', part.split('.')[1] ?? '']));
  if (mark === '') return [];
  const expected = read(mark);
  const found = read(bundleMark(parts));
  return [...new Set([...expected.keys(), ...found.keys()])]
    .map((name): [string, string, string] => [name, expected.get(name) ?? '', found.get(name) ?? ''])
    .filter(([, one, other]) => one !== other);
}

/** Part by part, what differs from the mark of an address; empty when nothing does, or nothing is loaded yet. */
export function otherBundleText(mark: string, load: LoadState): string {
  const differences = load.kind === 'ready' ? bundleDifferences(mark, load.description.parts) : [];
  const parts = differences.map(([part, expected, found]) =>
    fill(texts.other_part, { part, expected: expected || texts.absent, found: found || texts.absent }),
  );
  return parts.length === 0 ? '' : fill(texts.other_bundle, { parts: parts.join('; ') });
}
