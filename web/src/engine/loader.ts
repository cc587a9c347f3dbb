// Downloads a bundle part by part into a session, counting bytes. It verifies nothing: the engine checks the manifest,
// then every part against it, and refuses by name.

import { EngineError } from './errors';
import type { BundlePart, LoadProgress } from './protocol';
import type { EngineSession } from './session';

const manifestFile = 'manifest.json';

export interface LoadOptions {
  bundleUrl: string;
  fetch: typeof fetch;
  signal: AbortSignal;
  onProgress: (progress: LoadProgress) => void;
  /** A download that brings nothing for so long has stalled. */
  idleMilliseconds?: number;
}

const patience = 20_000;

const whereOf = (part: string, file: string): string => `part "${part}" (${file})`;

/**
 * Downloads while the session is still starting, and gives it the manifest before any part. Throws file_not_found,
 * file_unreadable (the connection failed or stalled), aborted, and what starting and addFile throw.
 */
export async function downloadBundle(starting: Promise<EngineSession>, options: LoadOptions): Promise<EngineSession> {
  // The first that fails decides; the others must not go on downloading for nothing.
  const failure = new AbortController();
  const signal = AbortSignal.any([options.signal, failure.signal]);
  const download = { ...options, base: options.bundleUrl, signal };
  const manifest = downloadFile(whereOf('manifest', manifestFile), manifestFile, download, () => {});
  const accepted = Promise.all([starting, manifest]).then(([session, bytes]) => {
    if (signal.aborted) throw new EngineError('aborted', 'engine: stopped while it started');
    session.addFile(manifestFile, bytes);
    return session;
  });
  const addParts = async (): Promise<void> => {
    const parts = listedParts(await manifest);
    const total = parts.reduce((sum, part) => sum + part.bytes, 0);
    let received = 0;
    const count = (bytes: number): void => {
      received += bytes;
      options.onProgress({ stage: 'download', received: Math.min(received, total), total });
    };
    count(0);
    const addPart = async ({ name, file }: BundlePart): Promise<void> => {
      const [session, bytes] = await Promise.all([accepted, downloadFile(whereOf(name, file), file, download, count)]);
      session.addFile(file, bytes);
    };
    await Promise.all(parts.map(addPart));
  };
  try {
    const [session] = await Promise.all([accepted, addParts()]);
    return session;
  } catch (error) {
    failure.abort();
    throw error;
  }
}

/** The engine has not judged this manifest yet. What it will refuse (src/io/manifest.cpp) is not asked for. */
function listedParts(manifest: Uint8Array): BundlePart[] {
  try {
    const { parts } = JSON.parse(new TextDecoder().decode(manifest)) as { parts: BundlePart[] };
    return parts.length <= 64 && parts.every(({ file }) => /^[\w-][\w.-]*$/.test(file)) ? parts : [];
  } catch {
    return [];
  }
}

/** A file in a folder, or of an address of its own. */
export interface Download {
  base: string;
  fetch: typeof fetch;
  signal: AbortSignal;
  idleMilliseconds?: number;
}

/** `where` begins the message of what it throws: file_not_found, file_unreadable or aborted. */
export async function downloadFile(
  where: string,
  file: string,
  { base, fetch, signal: stopped, idleMilliseconds = patience }: Download,
  onBytes: (count: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const idle = new IdleTimer(idleMilliseconds);
  let received = 0;
  try {
    const response = await fetch(new URL(file, base), { signal: AbortSignal.any([stopped, idle.signal]) });
    if (!response.ok) {
      const code = response.status === 404 || response.status === 410 ? 'file_not_found' : 'file_unreadable';
      throw new EngineError(code, `${where}: expected status 200, found ${response.status}`);
    }
    return await readBody(response, (count) => {
      idle.restart();
      received += count;
      onBytes(count);
    });
  } catch (error) {
    if (error instanceof EngineError) throw error;
    if (stopped.aborted) throw new EngineError('aborted', `${where}: stopped before it was downloaded`);
    const found = idle.signal.aborted
      ? `found none for ${idleMilliseconds / 1000} s, after ${received} bytes`
      : `found: ${String(error)}`;
    throw new EngineError('file_unreadable', `${where}: expected its bytes, ${found}`);
  } finally {
    idle.stop();
  }
}

/** Aborts its signal when it has not been restarted for a while. */
class IdleTimer {
  private readonly controller = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly milliseconds: number) {
    this.restart();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  restart(): void {
    this.stop();
    this.timer = setTimeout(() => this.controller.abort(), this.milliseconds);
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}

async function readBody(response: Response, onBytes: (count: number) => void): Promise<Uint8Array<ArrayBuffer>> {
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
