// `npm start`: sets up, builds the wasm module and the page, and serves them on this machine. The tests import serve().
// It is for development and local use; any static host that sends the same headers serves the page as well.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { buildParts, main, root, setUp, StepFailed } from '../wasm/build.mjs';

/** Sent with every answer. */
export const headers = {
  // Nothing but the page's own files; 'wasm-unsafe-eval' allows compiling WebAssembly, and no more.
  'Content-Security-Policy': "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'",
  // These two make the page cross-origin isolated, which threads need.
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
};

/** Resolves when the server listens on 127.0.0.1; a port that cannot be had is a StepFailed that names it. */
async function listen(server, port) {
  await new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  }).catch((error) => {
    const reasons = {
      EADDRINUSE: `port ${port}: expected a free port, found it in use; try npm start -- --port ${port + 1}`,
      EACCES: `port ${port}: expected a port that you may open, found it forbidden; try npm start -- --port 8080`,
    };
    throw new StepFailed(reasons[error.code] ?? `port ${port}: ${error.message}`);
  });
}

/**
 * Serves a folder on 127.0.0.1; port 0 takes a free one. `base` is the path under which the folder appears, for trying a
 * page on a sub-path. Resolves to { url, close }.
 */
export async function serve({ folder = join(root, 'build/page'), port = 0, base = '/' } = {}) {
  const { default: sirv } = await import('sirv');
  const answer = sirv(folder, {
    dev: true, // files are read anew for each request: a build shows at once
    etag: true,
    setHeaders(response, path) {
      if (/\.(safetensors|bin)$/.test(path)) response.setHeader('Content-Type', 'application/octet-stream');
    },
  });
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const refuse = (status, text) => response.writeHead(status, { 'Content-Type': 'text/plain' }).end(`${text}\n`);
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, 'only GET and HEAD');
    if (!request.url.startsWith(base)) return refuse(404, `nothing here: the page is under ${base}`);
    request.url = `/${request.url.slice(base.length)}`;
    answer(request, response, () => refuse(404, 'not found'));
  });
  await listen(server, port);
  return {
    url: `http://127.0.0.1:${server.address().port}${base}`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

function readOptions() {
  let values;
  try {
    ({ values } = parseArgs({ options: { port: { type: 'string', default: '8080' }, help: { type: 'boolean', short: 'h' } } }));
  } catch (error) {
    throw new StepFailed(error.message);
  }
  if (values.help) return { help: true };
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65535) {
    throw new StepFailed(`--port: expected a number from 0 (any free port) to 65535, found '${values.port}'`);
  }
  return { port: Number(values.port) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    const { help, port } = readOptions();
    if (help) return console.log('npm start -- [--port N]    build the page and serve it on this machine (port 8080)');
    const probe = createServer();
    await listen(probe, port); // building takes minutes: a port in use is better known before
    await new Promise((resolve) => probe.close(resolve));
    await buildParts(['wasm', 'page'], await setUp());
    const { url } = await serve({ port });
    console.log(`Vitrine is at ${url}  (Ctrl+C ends it)`);
  });
}
