// Downloads a bundle part by part into a session, counting bytes. It verifies nothing: the engine checks every part
// against the manifest as it arrives, and refuses by name.

import { EngineError } from './errors';
import type { BundlePart, LoadProgress } from './protocol';
import type { EngineSession } from './session';

const manifestFile = 'manifest.json';

export interface LoadOptions {
  bundleUrl: string;
  fetch: typeof fetch;
  signal: AbortSignal;
  onProgress: (progress: LoadProgress) => void;
}

/** Throws file_not_found, file_unreadable (the connection failed), aborted, and what addFile throws. */
export async function downloadBundle(session: EngineSession, options: LoadOptions): Promise<void> {
  const manifest = await download('manifest', manifestFile, options, () => {});
  session.addFile(manifestFile, manifest);
  // The engine has accepted the manifest, so its form is known.
  const { parts } = JSON.parse(new TextDecoder().decode(manifest)) as { parts: BundlePart[] };

  const total = parts.reduce((sum, part) => sum + part.bytes, 0);
  let received = 0;
  const count = (bytes: number): void => {
    received += bytes;
    options.onProgress({ stage: 'download', received: Math.min(received, total), total });
  };
  count(0);
  // The first part that fails decides; the others must not go on downloading for nothing.
  const failure = new AbortController();
  const signal = AbortSignal.any([options.signal, failure.signal]);
  const addPart = async (part: BundlePart): Promise<void> => {
    session.addFile(part.file, await download(part.name, part.file, { ...options, signal }, count));
  };
  try {
    await Promise.all(parts.map(addPart));
  } catch (error) {
    failure.abort();
    throw error;
  }
}

async function download(
  part: string,
  file: string,
  { bundleUrl, fetch, signal }: LoadOptions,
  onBytes: (count: number) => void,
): Promise<Uint8Array> {
  const where = `part "${part}" (${file})`;
  const unreadable = (error: unknown): EngineError =>
    signal.aborted
      ? new EngineError('aborted', `${where}: stopped before it was downloaded`)
      : new EngineError('file_unreadable', `${where}: expected to download it, found: ${String(error)}`);

  let response: Response;
  try {
    response = await fetch(new URL(file, bundleUrl), { signal });
  } catch (error) {
    throw unreadable(error);
  }
  if (!response.ok) {
    const code = response.status === 404 || response.status === 410 ? 'file_not_found' : 'file_unreadable';
    throw new EngineError(code, `${where}: expected status 200, found ${response.status}`);
  }
  try {
    return await readBody(response, onBytes);
  } catch (error) {
    throw unreadable(error);
  }
}

async function readBody(response: Response, onBytes: (count: number) => void): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) break;
    chunks.push(value);
    length += value.length;
    onBytes(value.length);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
