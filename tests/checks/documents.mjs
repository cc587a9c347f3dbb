// Documents that tell the truth: links lead somewhere, the tree in the README is the tree, the three lists of error
// codes are one, and so are those of faults and detectors. Whether the words are right is for people to judge.
import { posix } from 'node:path';

import { files } from './tree.mjs';

/** The anchors of a document's headings, as GitHub makes them. */
export function anchors(text) {
  const seen = new Map();
  const result = new Set([...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map((found) => found[1]));
  for (const [, heading] of text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '').toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N} _-]/gu, '').replace(/ /g, '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    result.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return result;
}

function judgeLink(tree, path, link) {
  if (/^[a-z]+:/.test(link)) return null;
  const [target, anchor] = link.split('#');
  const file = target === '' ? path : posix.normalize(posix.join(posix.dirname(path), decodeURI(target))).replace(/\/$/, '');
  if (file.startsWith('../')) return `${path}: link ${link} leaves the repository`;
  const folder = [...tree.keys()].some((other) => other.startsWith(`${file}/`));
  if (!tree.has(file) && !folder && file !== '.') return `${path}: link ${link} leads nowhere`;
  if (anchor === undefined) return null;
  const text = tree.get(file) ?? '';
  const line = /^L(\d+)(?:-L(\d+))?$/.exec(anchor);
  if (line) {
    const last = Number(line[2] ?? line[1]);
    return last < text.split('\n').length ? null : `${path}: link ${link}: ${file} has no line ${last}`;
  }
  return anchors(text).has(anchor) ? null : `${path}: link ${link}: ${file} has no heading '${anchor}'`;
}

/** Links and images of Markdown files that lead to no file, no heading or no line. */
export function checkLinks(tree) {
  const problems = [];
  for (const [path, text] of files(tree, /\.md$/)) {
    const prose = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');
    const inline = [...prose.matchAll(/\]\(\s*<?([^)>\s]+)>?(?:\s+"[^"]*")?\s*\)/g)];
    const reference = [...prose.matchAll(/^\[[^\]]+\]:\s*<?([^>\s]+)>?/gm)];
    for (const [, link] of [...inline, ...reference]) {
      const problem = judgeLink(tree, path, link);
      if (problem) problems.push(problem);
    }
  }
  return problems;
}

/** The folders that a README's tree names: indented lines `name/   what it is` in a fenced block. */
export function treeFolders(readme) {
  const folders = [];
  for (const [block] of readme.matchAll(/^```[^\n]*\n[\s\S]*?^```/gm)) {
    const parents = [];
    for (const line of block.split('\n')) {
      const found = /^([ |`+-]*)([\w.@-]+(?:\/[\w.@-]+)*\/)(?:\s|$)/.exec(line);
      if (!found) continue;
      const indent = found[1].length;
      while (parents.length > 0 && parents.at(-1).indent >= indent) parents.pop();
      const path = `${parents.at(-1)?.path ?? ''}${found[2]}`;
      parents.push({ indent, path });
      folders.push(path.replace(/\/$/, ''));
    }
  }
  return folders;
}

/** Folders in the README's tree that are not there, and folders there that the tree leaves out. */
export function checkReadmeTree(tree) {
  if (!tree.has('README.md')) return ['README.md: expected a README'];
  const named = new Set(treeFolders(tree.get('README.md')));
  const there = new Set();
  for (const path of tree.keys()) {
    const parts = path.split('/').slice(0, -1);
    for (let depth = 1; depth <= parts.length; depth += 1) there.add(parts.slice(0, depth).join('/'));
  }
  const problems = [];
  for (const folder of named) {
    if (!there.has(folder)) problems.push(`README.md: the tree names ${folder}/, which is not there`);
  }
  for (const folder of there) {
    const due = /^[^./][^/]*$|^src\/[^/]+$/.test(folder);
    if (due && !named.has(folder)) problems.push(`README.md: the tree leaves out ${folder}/`);
  }
  return problems;
}

/** The error codes and meanings of the three lists, which must be one. */
export function checkErrorLists(tree) {
  const read = (path, pattern) => {
    const entries = [...(tree.get(path) ?? '').matchAll(pattern)];
    return new Map(entries.map((entry) => [entry[1], entry.slice(2).find((text) => text !== undefined)]));
  };
  const header = tree.get('src/base/error.hpp') ?? '';
  const names = (/enum class ErrorCode \{([^}]*)\}/.exec(header)?.[1] ?? '').split(',').map((name) => name.trim()).filter(Boolean);
  const lists = {
    'src/base/error.hpp': read('src/base/error.hpp', /ErrorCode::\w+,\s*"(\w+)",\s*"([^"]+)"/g),
    'docs/errors.md': read('docs/errors.md', /^\| `(\w+)` \| (.+?) \|$/gm),
    'web/src/engine/errors.ts': read('web/src/engine/errors.ts', /^ {2}(\w+):\s*(?:'([^']+)'|"([^"]+)"),$/gm),
  };
  const problems = names.length === 0 ? ['src/base/error.hpp: expected enum class ErrorCode'] : [];
  for (const [path, list] of Object.entries(lists)) {
    if ([...list.keys()].join() !== names.join()) {
      problems.push(`${path}: expected the codes ${names.join(', ')}; found ${[...list.keys()].join(', ')}`);
    }
    for (const [name, meaning] of list) {
      const first = lists['src/base/error.hpp'].get(name);
      if (first !== undefined && meaning !== first) problems.push(`${path}: ${name}: expected '${first}', found '${meaning}'`);
    }
  }
  return problems;
}

/** Versions of the product that differ: CMake's, which the command line prints, npm's, and that of the lock file. */
export function checkVersion(tree) {
  const found = {
    'CMakeLists.txt': /project\(vitrine VERSION (\S+)/.exec(tree.get('CMakeLists.txt') ?? '')?.[1],
    'package.json': JSON.parse(tree.get('package.json') ?? '{}').version,
    'package-lock.json': JSON.parse(tree.get('package-lock.json') ?? '{}').version,
  };
  const expected = found['package.json'] ?? 'a version';
  return Object.entries(found)
    .filter(([, version]) => version === undefined || version !== expected)
    .map(([path, version]) => `${path}: expected version ${expected} as in package.json, found ${version ?? 'none'}`);
}

/** Faults and detectors as the code lists them and as docs/exactness.md does: name, sentence, owner. */
export function checkMutations(tree) {
  const document = tree.get('docs/exactness.md') ?? '';
  const section = (heading) => document.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const column = (heading) => [...section(heading).matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  const entries = (path, type) => [
    ...(tree.get(path) ?? '').matchAll(new RegExp(`${type}\\{(?:Fault::\\w+,\\s*)?"(\\w+)",\\s*"([^"]+)",\\s*"([^"]+)"`, 'g')),
  ];
  const lists = [
    { heading: 'The mutations', found: entries('src/model/fault.hpp', 'FaultEntry') },
    { heading: 'The detectors', found: entries('src/session/detectors.cpp', 'DetectorEntry') },
  ];
  const problems = [];
  for (const { heading, found } of lists) {
    const names = found.map(([, name]) => name);
    if (names.length === 0) problems.push(`docs/exactness.md: ${heading}: expected entries in the code, found none`);
    if (column(heading).join() !== names.join()) {
      problems.push(`docs/exactness.md: ${heading}: expected ${names.join(', ')}; found ${column(heading).join(', ')}`);
    }
    for (const [, name, owner, meaning] of found) {
      const row = section(heading).split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? '';
      if (!row.includes(`| ${meaning} |`)) problems.push(`docs/exactness.md: ${name}: expected '${meaning}'`);
      if (!row.includes(`[${owner}](../${owner})`)) problems.push(`docs/exactness.md: ${name}: expected its owner ${owner}`);
      if (!tree.has(owner)) problems.push(`${name}: its owner ${owner} is not there`);
    }
  }
  const done = 'What is done about each';
  if (column(done).join() !== column('The mutations').join()) {
    problems.push(`docs/exactness.md: ${done}: expected ${column('The mutations').join(', ')}; found ${column(done).join(', ')}`);
  }
  return problems;
}

/** The machines that docs/machines.md tells of, and those that tests/machines.mjs knows: `known`, their names in order. */
export function checkMachines(tree, known) {
  const table = (tree.get('docs/machines.md') ?? '').split(/^## /m).find((text) => text.startsWith('What was seen\n')) ?? '';
  const named = [...table.matchAll(/^\| ((?:native|AArch64|wasm)\b.*?) \|/gm)].map(([, name]) => name);
  const problems = known.filter((name) => !named.includes(name)).map((name) => `docs/machines.md: expected a row of '${name}'`);
  for (const name of named) {
    if (!known.includes(name)) problems.push(`docs/machines.md: '${name}' is no machine of tests/machines.mjs`);
  }
  return problems;
}

/** A lock file with addresses, a dependency without a hash, or a version that is not exact. */
export function checkPackages(tree) {
  const problems = [];
  for (const [path, text] of files(tree, /(^|\/)package-lock\.json$/)) {
    for (const [name, entry] of Object.entries(JSON.parse(text).packages)) {
      if (entry.resolved !== undefined) problems.push(`${path}: ${name}: names an address`);
      if (name !== '' && entry.integrity === undefined && !entry.link) problems.push(`${path}: ${name}: has no hash`);
    }
  }
  for (const [path, text] of files(tree, /(^|\/)package\.json$/)) {
    const { dependencies, devDependencies } = JSON.parse(text);
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      if (!/^\d+\.\d+\.\d+$/.test(version)) problems.push(`${path}: ${name}: expected an exact version, found ${version}`);
    }
    if (!tree.has(path.replace('package.json', 'package-lock.json'))) problems.push(`${path}: expected a lock file beside it`);
  }
  return problems;
}
