// Whether an address was made with another bundle than the one that is loaded, in words. An address reproduces its tokens
// with the bundle that it was made with.

import { notStarted, type LoadState } from '../engine/load-state';
import { fill, messages } from '../messages';
import { bundleDifferences } from './page-state';

const texts = messages('page', {
  other_bundle: 'This address was made with another model, so its tokens may be others here. {parts}.',
  other_part: '{part}: expected {expected}, found {found}',
  absent: 'none',
});

/** Part by part, what differs from the mark in an address; empty when nothing does, or nothing is loaded yet. */
export function otherBundleText(mark: string, load: LoadState = notStarted): string {
  const differences = load.kind === 'ready' ? bundleDifferences(mark, load.description.parts) : [];
  const parts = differences.map(([part, expected, found]) =>
    fill(texts.other_part, { part, expected: expected || texts.absent, found: found || texts.absent }),
  );
  return parts.length === 0 ? '' : fill(texts.other_bundle, { parts: parts.join('; ') });
}
