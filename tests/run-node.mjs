// Runs the files of node --test of one folder of tests/, TypeScript included, and counts their tests.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { root, run, StepFailed } from '../wasm/build.mjs';

/** The files tests/FOLDER/**\/*.test.{mjs,ts}, from the root, sorted. */
function testFiles(folder) {
  return readdirSync(join(root, 'tests', folder), { recursive: true })
    .filter((name) => /\.test\.(mjs|ts)$/.test(name))
    .map((name) => `tests/${folder}/${name}`)
    .sort();
}

/** Node 20 reads no TypeScript: such files are bundled into build/tests first. What they import from packages stays. */
async function compile(files) {
  const sources = files.filter((file) => file.endsWith('.ts'));
  rmSync(join(root, 'build/tests'), { recursive: true, force: true });
  if (sources.length > 0) {
    const { build } = await import('esbuild');
    await build({
      absWorkingDir: root,
      entryPoints: sources,
      outdir: 'build',
      outbase: '.',
      outExtension: { '.js': '.mjs' },
      bundle: true,
      packages: 'external',
      external: ['*/vitrine-module.mjs'],
      platform: 'node',
      format: 'esm',
      target: 'node20',
      sourcemap: 'inline',
      logLevel: 'warning',
    }).catch((error) => {
      throw new StepFailed(error.message);
    });
  }
  return files.map((file) => (file.endsWith('.ts') ? `build/${file.replace(/\.ts$/, '.mjs')}` : file));
}

/** What the reporter wrote as a leg's result; nothing written means that node --test did not end as it should. */
export function readReport(text) {
  if (!text.trim()) return { passed: 0, failed: 0, skipped: 0, problems: ['node --test reported nothing'] };
  const { passed, failed, skipped, files, empty } = JSON.parse(text);
  const problems = empty.map((file) => `${file}: holds no test`);
  if (files === 0) problems.push('no test file ran');
  return { passed, failed, skipped, problems };
}

/** Runs tests/FOLDER in the root, `concurrency` files at a time. */
export async function runNode(folder, env, { concurrency = 2 } = {}) {
  const files = testFiles(folder);
  if (files.length === 0) return { passed: 0, failed: 0, skipped: 0, problems: [`tests/${folder}: no test file`] };
  const programs = await compile(files);
  const scratch = mkdtempSync(join(tmpdir(), 'vitrine-tests-'));
  const report = join(scratch, 'report.json');
  try {
    const args = ['--test', `--test-concurrency=${concurrency}`, '--enable-source-maps'];
    args.push('--test-reporter=spec', '--test-reporter-destination=stdout');
    args.push('--test-reporter=./tests/run-reporter.mjs', `--test-reporter-destination=${report}`);
    let ended = null;
    await run(process.execPath, [...args, ...programs], { env }).catch((error) => (ended = error));
    let text = '';
    try {
      text = readFileSync(report, 'utf8');
    } catch {
      // Left empty: readReport says what that means.
    }
    const result = readReport(text);
    if (ended && result.failed === 0 && result.problems.length === 0) result.problems.push('node --test failed');
    return result;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
