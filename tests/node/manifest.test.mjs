// The custom-elements manifest: it is that of the sources as they are, and documents every public element whole.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import { root } from '../../wasm/build.mjs';
import { makeManifest, publicElements } from '../../web/manifest.mjs';

const kept = JSON.parse(await readFile(path.join(root, 'custom-elements.json'), 'utf8'));
const elements = kept.modules.flatMap(({ declarations }) => declarations);

test('custom-elements.json is current: npm run build:package makes it', async () => {
  assert.deepEqual(JSON.parse(JSON.stringify(await makeManifest(root))), kept);
});

test('every public element is in it, with what it is, where its files are, and its parts', async () => {
  const names = await publicElements(root);
  assert.ok(names.length >= 11, names.join());
  assert.deepEqual(elements.map(({ tagName }) => tagName).sort(), [...names].sort());
  for (const { tagName, attributes, cssParts = [] } of elements) {
    assert.ok(attributes.some(({ name }) => name === 'base'), `${tagName}: base`);
    assert.ok(cssParts.some(({ name }) => name === 'title'), `${tagName}: part title`);
  }
});

test('each attribute, part and event of an element says what it means, and base, bundle and hide are its own', () => {
  for (const { tagName, attributes, cssParts, events, superclass } of elements) {
    for (const { name, description } of [...attributes, ...cssParts, ...events]) assert.ok(description, `${tagName}: ${name}`);
    const wanted = tagName === 'vitrine-training' ? ['base', 'hide'] : ['base', 'bundle', 'hide'];
    for (const name of wanted) assert.ok(attributes.some((attribute) => attribute.name === name), `${tagName}: ${name}`);
    assert.ok(!attributes.some(({ inheritedFrom }) => inheritedFrom), `${tagName}: of a class that is in no manifest`);
    assert.equal(superclass.package, 'lit', tagName);
  }
});

test('no private member, no internal state and no event without a name is told as public', () => {
  for (const { tagName, members, attributes, events } of elements) {
    assert.ok(members.every(({ privacy }) => privacy === 'public'), tagName);
    assert.ok(!attributes.some(({ name }) => ['run', 'error', 'row', 'report', 'stage', 'growth'].includes(name)), tagName);
    assert.ok(events.every(({ name }) => /^vitrine-[a-z-]+$/.test(name)), tagName);
  }
});

test('docs/embed.md names every element, event and lab', async () => {
  const text = await readFile(path.join(root, 'docs/embed.md'), 'utf8');
  const labs = await readFile(path.join(root, 'web/src/lessons/index.ts'), 'utf8');
  const names = [...labs.matchAll(/^ {2}'?([a-z-]+)'?: \(\) => import/gm)].map(([, name]) => name);
  assert.equal(names.length, 8);
  for (const { tagName, events } of elements) {
    assert.ok(text.includes(`\`<${tagName}>\``), tagName);
    for (const { name } of events) assert.ok(text.includes(`\`${name}\``), name);
  }
  for (const name of names) assert.ok(text.includes(`| \`${name}\` |`), name);
});
