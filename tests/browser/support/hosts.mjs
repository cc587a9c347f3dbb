// Servers for tests of embedding: a folder that another origin may use, and a host page of that other origin with headers of
// its own. It knows nothing of the elements.
import { createServer } from 'node:http';
import { once } from 'node:events';

import sirv from 'sirv';

async function listen(handler) {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * A folder as a static host serves it: no isolation, and, unless it is told not to, readable from any origin. The file
 * that `stalls` begins to come and goes no further.
 */
export function serveFiles(folder, { cors = true, stalls = null } = {}) {
  const answer = sirv(folder, { dev: true, etag: true });
  return listen((request, response) => {
    if (cors) response.setHeader('Access-Control-Allow-Origin', '*');
    if (request.url === `/${stalls}`) response.writeHead(200, { 'Content-Type': 'text/javascript' }).write(' ');
    else answer(request, response, () => response.writeHead(404).end());
  });
}

/** Pages by path, as text; `headers` are sent with each. */
export function servePages(pages, headers = {}) {
  return listen((request, response) => {
    const text = pages[new URL(request.url, 'http://host').pathname];
    if (text === undefined) return response.writeHead(404).end();
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', ...headers }).end(text);
  });
}

/** A page of a course, which knows nothing of Vitrine's styles. */
export const hostPage = (body, { lang = 'en', dir = 'ltr' } = {}) =>
  `<!doctype html><html lang="${lang}" dir="${dir}"><head><meta charset="utf-8"><title>A course</title></head><body><main><h1>A course</h1>${body}</main></body></html>`;
