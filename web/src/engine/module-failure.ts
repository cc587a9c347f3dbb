// Why the wasm module did not start: looks at its two files anew and tells what was expected and found of them. Only
// called when it failed; a browser's own message says little of a file that was cut short.

/** What the build made (web/build.mjs). */
export interface BuiltFile {
  bytes: number;
  sha256: string;
}

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** "vitrine-module.wasm (URL): expected 590613 bytes, found 1000", or null where the file is as it was built. */
async function differenceOf(url: URL, built: BuiltFile, fetchFile: typeof fetch): Promise<string | null> {
  const name = `${url.pathname.split('/').at(-1)} (${url.href})`;
  let response: Response;
  try {
    response = await fetchFile(url);
  } catch (error) {
    return `${name}: expected to download it, found: ${String(error)}`;
  }
  if (!response.ok) return `${name}: expected status 200, found ${response.status}`;
  const bytes = await response.arrayBuffer();
  if (bytes.byteLength !== built.bytes) return `${name}: expected ${built.bytes} bytes, found ${bytes.byteLength}`;
  // A page without a secure origin cannot compute a hash.
  const { subtle } = globalThis.crypto ?? {};
  if (!subtle) return null;
  const sha256 = hex(await subtle.digest('SHA-256', bytes));
  return sha256 === built.sha256 ? null : `${name}: expected SHA-256 ${built.sha256}, found ${sha256}`;
}

/** One sentence for an error: what is wrong with the files, or what the browser said if they are whole. */
export async function moduleFailure(
  moduleUrl: string,
  thrown: unknown,
  built: Readonly<Record<string, BuiltFile>>,
  fetchFile: typeof fetch,
): Promise<string> {
  for (const [file, expected] of Object.entries(built)) {
    const difference = await differenceOf(new URL(file, moduleUrl), expected, fetchFile).catch(String);
    if (difference) return `engine: ${difference}`;
  }
  return `engine: expected WebAssembly with SIMD to start, found: ${String(thrown)}`;
}
