// A trained model's bundle as one .zip file for the visitor's disk. The files are the engine's; fflate packs them, and is
// loaded when the first bundle is asked for.

import type { TrainingResult } from '../engine/training-types';

/** The files in a folder of the bundle's name, stored as they are: weights are noise to a packer. */
export async function zipOfBundle(name: string, files: TrainingResult['files']): Promise<Uint8Array<ArrayBuffer>> {
  const { zipSync } = await import('./zip');
  const entries = Object.fromEntries(files.map((file) => [`${name}/${file.name}`, file.bytes]));
  return new Uint8Array(zipSync(entries, { level: 0 }));
}

/** Hands bytes to the visitor as a file. */
export function download(name: string, bytes: Uint8Array<ArrayBuffer>): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/zip' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken hold of the bytes by the time another task runs.
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
