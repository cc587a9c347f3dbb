// Why the wasm module did not start: looks at its two files anew and tells what was expected and found of them. Only
// called when it failed; a browser's own message says little of a file that was cut short.

import { EngineError, toEngineError } from './errors';
import { downloadFile } from './loader';

/** What the build made (web/build.mjs). */
export interface BuiltFile {
  bytes: number;
  sha256: string;
}

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** For a file that is looked at once more, when it has stalled once already. */
const shortPatience = 5000;

/** "expected 590613 bytes, found 1000", or null where the file is as it was built. */
async function differenceOf(bytes: Uint8Array<ArrayBuffer>, built: BuiltFile): Promise<string | null> {
  if (bytes.length !== built.bytes) return `expected ${built.bytes} bytes, found ${bytes.length}`;
  // A page without a secure origin cannot compute a hash.
  const { subtle } = globalThis.crypto ?? {};
  if (!subtle) return null;
  const sha256 = hex(await subtle.digest('SHA-256', bytes));
  return sha256 === built.sha256 ? null : `expected SHA-256 ${built.sha256}, found ${sha256}`;
}

/**
 * One error for what is wrong: file_not_found or file_unreadable for a file of the module that is not as it was built,
 * not_loaded with what the browser said if they are whole.
 */
export async function moduleFailure(
  moduleUrl: string,
  thrown: unknown,
  built: Readonly<Record<string, BuiltFile>>,
  fetchFile: typeof fetch,
  idleMilliseconds = shortPatience,
): Promise<EngineError> {
  const { signal } = new AbortController();
  try {
    for (const [file, expected] of Object.entries(built)) {
      const where = `engine: ${file} (${new URL(file, moduleUrl).href})`;
      const options = { base: moduleUrl, fetch: fetchFile, signal, idleMilliseconds };
      const difference = await differenceOf(await downloadFile(where, file, options, () => {}), expected);
      if (difference) return new EngineError('file_unreadable', `${where}: ${difference}`);
    }
  } catch (error) {
    return toEngineError(error);
  }
  return new EngineError('not_loaded', `engine: expected WebAssembly with SIMD to start, found: ${String(thrown)}`);
}
