// The recorded hashes, and a run's hashes held against them. It runs nothing.
import { readFileSync } from 'node:fs';

/** Each set has its file; `shell` is what the shell bundle's model says, and changes whenever that is trained anew. */
export const sets = ['kernels', 'models', 'training', 'texts', 'shell'];

export const fileOf = (set) => new URL(`${set}.json`, import.meta.url);

/** { set: { name: hash } } of all sets, or of those named. */
export function readRecorded(names = sets) {
  return Object.fromEntries(names.map((set) => [set, JSON.parse(readFileSync(fileOf(set), 'utf8'))]));
}

/**
 * Holds what a run printed against what is recorded: { equal, differences }, one line for each entry that is another, is
 * absent, or is not recorded. A value that is no hash tells the ways to one result that disagree.
 */
export function compare(found, recorded) {
  let equal = 0;
  const differences = [];
  for (const [set, entries] of Object.entries(recorded)) {
    const names = new Set([...Object.keys(entries), ...Object.keys(found[set] ?? {})]);
    if (names.size === 0) differences.push(`${set}: expected entries, found none`);
    for (const name of names) {
      const [wanted, value] = [entries[name], found[set]?.[name]];
      if (typeof wanted === 'string' && value === wanted) equal += 1;
      else differences.push(`${set}: ${name}: expected ${wanted ?? 'no such entry'}, found ${JSON.stringify(value) ?? 'nothing'}`);
    }
  }
  return { equal, differences };
}
