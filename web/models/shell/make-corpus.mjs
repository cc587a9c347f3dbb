// Makes the corpus of the shell bundle: one command line with its description a line, from the npm package
// @withfig/autocomplete. It does not train anything, touch the network or decide how the text becomes tokens.
//
//   node web/models/shell/make-corpus.mjs --out FOLDER [--package FOLDER_OF_THE_PACKAGE]
//
// The same package gives the same bytes on every machine: no clock, no random numbers, no locale. README.md beside
// this file says what is kept, what is dropped and how far held-out lines resemble training lines.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const PACKAGE = '@withfig/autocomplete';
const MAX_LINES_PER_TOOL = 300;
const MAX_LINE_BYTES = 200;
const MAX_DESCRIPTION = 160;
const MAX_ARGUMENT_NAME = 24;
const HELD_OUT_PERCENT = 5;
const MAX_DEPTH = 8;

const list = (value) => (value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]);
const sha256 = (text) => createHash('sha256').update(text).digest('hex');
/** A fixed number in [0, 2^48) for a purpose and a line; different purposes are independent of each other. */
const hash48 = (purpose, line) => parseInt(sha256(`${purpose}\0${line}`).slice(0, 12), 16);

/** Plain ASCII spelling of typographic characters; null when something else than ASCII remains. */
function toAscii(text) {
  const plain = text
    .replace(/[\u2018\u2019\u201b]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/\u2026/g, '...')
    .replace(/\u2192/g, '->')
    .replace(/\s+/g, ' ')
    .trim();
  return /^[\x20-\x7e]*$/.test(plain) ? plain : null;
}

/** The whole sentences at the start of a description that fit; null when not even the first one does. */
function describe(text) {
  if (typeof text !== 'string') return null;
  const firstParagraph = text.trim().split(/\n\s*\n/)[0];
  const plain = toAscii(firstParagraph);
  if (plain === null) return null;
  let kept = '';
  for (const sentence of plain.split(/(?<=[.!?]) (?=[A-Z(`"'])/)) {
    const longer = kept === '' ? sentence : `${kept} ${sentence}`;
    if (longer.length > MAX_DESCRIPTION) break;
    kept = longer;
  }
  kept = kept.replace(/[.\s]+$/, '');
  return kept === '' ? null : kept;
}

/** `<file>` or, when it may be left out, `[file]`. */
function argumentText(argument) {
  const slug = String(argument.name ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9_.]+/g, '-')
    .replace(/^-+/, '')
    .replace(/-+$/, '')
    .slice(0, MAX_ARGUMENT_NAME)
    .replace(/-+$/, '');
  const name = slug === '' ? 'arg' : slug;
  return argument.isOptional ? `[${name}]` : `<${name}>`;
}

const withArguments = (head, args) => [head, ...list(args).map(argumentText)].join(' ');

/** Collects the lines of one tool by walking its specification. */
class ToolWalk {
  lines = [];

  constructor(loadSpec) {
    this.loadSpec = loadSpec;
  }

  add(text, description) {
    const command = toAscii(String(text));
    const comment = describe(description);
    if (command === null || comment === null) return;
    this.lines.push(`${command}  # ${comment}`);
  }

  /** Arguments that the specification offers by name, such as the value `json` of `--output`. */
  addSuggestions(head, args) {
    const first = list(args)[0];
    for (const suggestion of list(first?.suggestions)) {
      if (typeof suggestion !== 'object') continue;
      for (const name of list(suggestion.name)) this.add(`${head}${name}`, suggestion.description);
    }
  }

  addOption(command, option) {
    const args = list(option.args);
    const joined = (option.requiresSeparator || option.requiresEquals) && args.length > 0;
    const separator = typeof option.requiresSeparator === 'string' ? option.requiresSeparator : '=';
    for (const name of list(option.name)) {
      const head = `${command} ${name}`;
      const rest = args.map(argumentText).join(' ');
      this.add(joined ? `${head}${separator}${rest}` : withArguments(head, args), option.description);
      this.addSuggestions(joined ? `${head}${separator}` : `${head} `, args);
    }
  }

  async addCommand(parent, spec, depth) {
    if (spec === undefined || spec === null || typeof spec !== 'object' || depth > MAX_DEPTH) return;
    const name = list(spec.name)[0];
    if (typeof name !== 'string') return;
    const head = parent === '' ? name : `${parent} ${name}`;
    const loaded = typeof spec.loadSpec === 'string' ? await this.loadSpec(spec.loadSpec) : spec.loadSpec;
    const isLoaded = loaded !== null && typeof loaded === 'object';
    const body = isLoaded ? { ...loaded, description: spec.description ?? loaded.description } : spec;
    this.add(withArguments(head, body.args), body.description);
    this.addSuggestions(`${head} `, body.args);
    for (const option of list(body.options)) this.addOption(head, option);
    for (const child of list(body.subcommands)) await this.addCommand(head, child, depth + 1);
  }
}

/** Reads specifications out of the package's build folder. A specification that does not load is reported as null. */
class Package {
  constructor(folder) {
    this.folder = folder;
    this.build = path.join(folder, 'build');
    this.version = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')).version;
    this.index = JSON.parse(readFileSync(path.join(this.build, 'index.json'), 'utf8'));
  }

  /** The names of the tools; names with a slash inside are parts that another specification loads. */
  tools() {
    const isTool = (name) => !name.includes('/') || /^@[^/]+\/[^/]+$/.test(name);
    return this.index.completions.filter(isTool);
  }

  /** `heroku` has a folder of versions: the fullest one speaks for it, since some list only what changed. */
  file(name) {
    if (!this.index.diffVersionedCompletions.includes(name)) return `${name}.js`;
    const versions = readdirSync(path.join(this.build, name)).filter((entry) => /^\d+(\.\d+)*\.js$/.test(entry));
    const size = (entry) => statSync(path.join(this.build, name, entry)).size;
    versions.sort((a, b) => size(b) - size(a) || (a < b ? -1 : 1));
    return `${name}/${versions[0]}`;
  }

  async load(name) {
    const file = path.join(this.build, this.file(name));
    try {
      return (await import(pathToFileURL(file).href)).default ?? null;
    } catch {
      return null;
    }
  }
}

/** The lines in the order of their hashes for a purpose. */
function orderedByHash(purpose, lines) {
  const keyed = lines.map((line) => ({ line, key: hash48(purpose, line) }));
  keyed.sort((a, b) => a.key - b.key || (a.line < b.line ? -1 : 1));
  return keyed.map(({ line }) => line);
}

/** At most MAX_LINES_PER_TOOL lines: those with the smallest hashes, so that no part of a tool is preferred. */
function chooseLines(lines) {
  if (lines.length <= MAX_LINES_PER_TOOL) return lines;
  return orderedByHash('choose', lines).slice(0, MAX_LINES_PER_TOOL);
}

/** The order of the files, so that a line's neighbours say nothing about it. */
const shuffled = (lines) => orderedByHash('order', lines);

const isHeldOut = (line) => hash48('split', line) % 100 < HELD_OUT_PERCENT;
const commentOf = (line) => line.slice(line.indexOf('  # ') + 4);

/** The lines of every tool that fit, by the tool's name: several specifications may speak of one tool. */
async function collectByTool(source, counts) {
  const seen = new Set();
  const byTool = new Map();
  for (const name of source.tools()) {
    const spec = await source.load(name);
    if (spec === null || typeof spec !== 'object') {
      counts.tools_unreadable.push(name);
      continue;
    }
    const walk = new ToolWalk((inner) => source.load(inner));
    await walk.addCommand('', spec, 0);
    counts.found += walk.lines.length;
    for (const line of walk.lines) {
      if (line.length > MAX_LINE_BYTES) {
        counts.dropped_long += 1;
      } else if (seen.has(line)) {
        counts.duplicates += 1;
      } else {
        seen.add(line);
        const tool = line.slice(0, line.indexOf(' '));
        if (!byTool.has(tool)) byTool.set(tool, []);
        byTool.get(tool).push(line);
      }
    }
  }
  return byTool;
}

async function collect(source) {
  const counts = { tools: 0, tools_unreadable: [], found: 0, dropped_long: 0, duplicates: 0, over_the_cap: 0 };
  const byTool = await collectByTool(source, counts);
  counts.tools = byTool.size;
  const kept = [];
  for (const lines of byTool.values()) {
    const chosen = chooseLines(lines);
    counts.over_the_cap += lines.length - chosen.length;
    kept.push(...chosen);
  }
  return { lines: shuffled(kept), counts };
}

function writePart(folder, name, lines) {
  const text = lines.map((line) => `${line}\n`).join('');
  writeFileSync(path.join(folder, name), text);
  return { file: name, lines: lines.length, bytes: Buffer.byteLength(text), sha256: sha256(text) };
}

async function main() {
  const { values } = parseArgs({ options: { out: { type: 'string' }, package: { type: 'string' } } });
  if (values.out === undefined) throw new Error('make-corpus: expected --out FOLDER');
  const entry = () => createRequire(import.meta.url).resolve(PACKAGE);
  const source = new Package(values.package ?? path.dirname(path.dirname(entry())));
  const { lines, counts } = await collect(source);
  if (lines.length < 10_000) throw new Error(`make-corpus: expected at least 10000 lines, found ${lines.length}`);

  const training = lines.filter((line) => !isHeldOut(line));
  const heldOut = lines.filter(isHeldOut);
  const known = new Set(training.map(commentOf));
  const novel = heldOut.filter((line) => !known.has(commentOf(line)));

  mkdirSync(values.out, { recursive: true });
  const summary = {
    source: { package: PACKAGE, version: source.version, license: 'MIT', license_text: 'LICENSE-corpus.txt' },
    rules: {
      max_lines_per_tool: MAX_LINES_PER_TOOL,
      max_line_bytes: MAX_LINE_BYTES,
      held_out_percent: HELD_OUT_PERCENT,
    },
    counts: { ...counts, kept: lines.length, held_out_description_seen_in_training: heldOut.length - novel.length },
    parts: [
      writePart(values.out, 'train.txt', training),
      writePart(values.out, 'held-out.txt', heldOut),
      writePart(values.out, 'held-out-novel.txt', novel),
    ],
  };
  writeFileSync(path.join(values.out, 'corpus.json'), `${JSON.stringify(summary, null, 2)}\n`);
  for (const part of summary.parts) console.log(`${part.file}: ${part.lines} lines, ${part.bytes} bytes`);
}

// Some specifications leave timers behind when they are imported: the process ends when the files are written.
main().then(
  () => process.exit(0),
  (error) => {
    console.error(error.message);
    process.exit(1);
  },
);
