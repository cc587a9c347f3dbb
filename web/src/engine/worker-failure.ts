// Why the worker did not begin: looks at its script and at what that imports anew, and tells what was found. Only called
// when it failed; a browser's own event says nothing of a file that is cut, or that never came.

import { EngineError, toEngineError } from './errors';
import { downloadFile } from './loader';

/** For a file that is looked at once more, when it has stalled once already. */
const shortPatience = 5000;

/** What a script imports from its own folder, as the build writes it. */
const importsOf = (script: string): string[] =>
  Array.from(script.matchAll(/(?:from|import)\s*"(\.\/[^"]+)"/g), ([, file]) => file ?? '');

/** One error with the file's name: of the first that cannot be had, or not_loaded where all came and nothing began. */
export async function workerFailure(
  workerUrl: string,
  found: string,
  fetchFile: typeof fetch,
  idleMilliseconds = shortPatience,
): Promise<EngineError> {
  const { signal } = new AbortController();
  const looked: string[] = [];
  const addresses = new Set([workerUrl]);
  try {
    for (const href of addresses) {
      const name = new URL(href).pathname.split('/').at(-1);
      const options = { base: workerUrl, fetch: fetchFile, signal, idleMilliseconds };
      const bytes = await downloadFile(`engine: ${name} (${href})`, href, options, () => {});
      looked.push(`${name} of ${bytes.length} bytes`);
      for (const file of importsOf(new TextDecoder().decode(bytes))) addresses.add(new URL(file, href).href);
    }
  } catch (error) {
    return toEngineError(error);
  }
  return new EngineError('not_loaded', `engine: ${workerUrl}: expected a worker to begin, found ${looked.join(', ')}, and: ${found}`);
}
