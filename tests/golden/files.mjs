// Bundles as files by name, for what runs them from memory.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The manifest and every part that it lists: a Map from file name to bytes. */
export function readBundle(folder) {
  const manifest = readFileSync(join(folder, 'manifest.json'));
  const parts = JSON.parse(manifest).parts.map(({ file }) => [file, readFileSync(join(folder, file))]);
  return new Map([['manifest.json', manifest], ...parts]);
}
