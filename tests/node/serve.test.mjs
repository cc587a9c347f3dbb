// The server of `npm start`: its headers, its types, and what it refuses. It serves a small folder, not the page.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { serve } from '../../web/serve.mjs';

const folder = mkdtempSync(join(tmpdir(), 'vitrine-serve-'));
let server;

before(async () => {
  mkdirSync(join(folder, 'page'));
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  for (const name of ['index.html', 'main.js', 'module.mjs', 'module.wasm', 'model.safetensors', 'data.json', 'page.css']) {
    writeFileSync(join(folder, 'page', name), 'text');
  }
  server = await serve({ folder: join(folder, 'page'), base: '/sub/' });
});

after(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** A request whose path is sent as it stands; fetch would tidy it up first. */
function get(path, method = 'GET') {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, method }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
    })
      .on('error', reject)
      .end();
  });
}

test('every answer isolates the page and allows nothing but its own files', async () => {
  for (const path of ['/sub/', '/sub/main.js', '/sub/absent', '/other']) {
    const { headers } = await get(path);
    assert.equal(headers['content-security-policy'], "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'");
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
    assert.equal(headers['cross-origin-embedder-policy'], 'require-corp');
    assert.equal(headers['x-content-type-options'], 'nosniff');
  }
});

test('files have the types that modules, WebAssembly and models need', async () => {
  const types = {
    '': /^text\/html/,
    'main.js': /^text\/javascript/,
    'module.mjs': /^text\/javascript/,
    'module.wasm': /^application\/wasm/,
    'model.safetensors': /^application\/octet-stream/,
    'data.json': /^application\/json/,
    'page.css': /^text\/css/,
  };
  for (const [name, type] of Object.entries(types)) {
    const { status, headers } = await get(`/sub/${name}`);
    assert.equal(status, 200, name);
    assert.match(headers['content-type'], type, name);
  }
});

test('what is absent, outside the folder or not asked for by GET is refused', async () => {
  assert.equal((await get('/sub/absent')).status, 404);
  assert.equal((await get('/index.html')).status, 404);
  for (const path of ['/sub/../secret.txt', '/sub/%2e%2e/secret.txt', '/sub/..%2fsecret.txt', '/sub//../secret.txt']) {
    const { status, body } = await get(path);
    assert.equal(status, 404, path);
    assert.doesNotMatch(body, /secret$/);
  }
  assert.equal((await get('/sub/', 'POST')).status, 405);
});

test('a port in use is an error that names it and proposes another', async () => {
  const port = Number(new URL(server.url).port);
  const refusal = new RegExp(`port ${port}: expected a free port, found it in use`);
  await assert.rejects(serve({ folder, port }), refusal);
});

test('a port in use ends npm start before anything is built', () => {
  const port = new URL(server.url).port;
  // Without programs on the path nothing can be set up or built.
  const { status, stderr } = spawnSync(process.execPath, ['web/serve.mjs', '--port', port], { encoding: 'utf8', env: {} });
  assert.equal(status, 1);
  assert.match(stderr, new RegExp(`port ${port}: expected a free port, found it in use`));
});

test('a port that is none ends npm start at once, before anything is built', () => {
  for (const port of ['x', '-1', '65536', '8080.5', '']) {
    const { status, stderr } = spawnSync(process.execPath, ['web/serve.mjs', `--port=${port}`], { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, /--port: expected a number from 0 \(any free port\) to 65535, found/);
  }
  const { status, stderr } = spawnSync(process.execPath, ['web/serve.mjs', '--prot=1'], { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stderr, /--prot/);
});
