// The repository's text files as a Map from path to text, which every check takes. It judges nothing.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

const textTypes = new Set(
  '.hpp .cpp .h .ts .mjs .cjs .js .json .md .css .html .svg .txt .sh .cmake .webmanifest'.split(' '),
);
const textNames = /(^|\/)(\.[a-z-]+|LICENSE|run)$/;

/** All files that git knows or would add, so that a new file is checked before it is committed. */
export function readTree(root) {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 };
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], options);
  const tree = new Map();
  for (const path of list.split('\0').filter(Boolean).sort()) {
    if (!existsSync(join(root, path))) continue;
    const text = textTypes.has(extname(path)) || textNames.test(path);
    tree.set(path, text ? readFileSync(join(root, path), 'utf8') : '');
  }
  return tree;
}

/** The paths of a tree that match, with their texts. */
export function files(tree, pattern) {
  return [...tree].filter(([path]) => pattern.test(path));
}

/** C++ or TypeScript with comments and the insides of strings blanked, line breaks kept. */
export function codeOnly(text) {
  const token = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;
  return text.replace(token, (found) => {
    if (found.startsWith('/')) return found.replace(/[^\n]/g, ' ');
    return found[0] + ' '.repeat(found.length - 2) + found[0];
  });
}

/** The 1-based line of an offset. */
export function lineAt(text, offset) {
  return text.slice(0, offset).split('\n').length;
}
