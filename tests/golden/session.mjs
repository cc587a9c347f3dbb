// The texts of the set `shell` as the shipped module tells them, hashed like bundle.cpp does. For Node and for browsers.

const stepFields = ['token', 'text', 'finish_reason', 'probability', 'coin', 'distribution'];
const resultFields = ['text', 'ids', 'finish_reason', 'prompt_tokens'];

/** Every number of a value as a double, little end first; every text with its end; null as the byte 1. */
function absorb(value, pieces) {
  if (typeof value === 'number') {
    const bytes = new DataView(new ArrayBuffer(8));
    bytes.setFloat64(0, value, true);
    pieces.push(new Uint8Array(bytes.buffer));
  } else if (typeof value === 'string') {
    pieces.push(new TextEncoder().encode(`${value}\0`));
  } else if (value === null) {
    pieces.push(Uint8Array.of(1));
  } else {
    for (const member of Object.values(value)) absorb(member, pieces);
  }
}

async function sha256(pieces) {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function absorbFields(json, fields, pieces) {
  for (const field of fields) if (field in json) absorb(json[field], pieces);
}

async function textHash(session, { prompt, policy, options = {} }) {
  const pieces = [];
  const { row } = JSON.parse(session.start(prompt, JSON.stringify(policy), JSON.stringify(options)));
  let step;
  do {
    step = JSON.parse(session.step([row]))[0];
    // Steps that are within a prompt are left out, as in bundle.cpp.
    if (step.token !== null) absorbFields(step, stepFields, pieces);
  } while (step.finish_reason === null);
  absorbFields(JSON.parse(session.finish(row)), resultFields, pieces);
  return sha256(pieces);
}

/** `create` is the factory of vitrine-module.mjs, `cases` the content of cases.json, `bundle` a Map of files. */
export async function sessionHashes(create, cases, bundle) {
  const { Session } = await create();
  const session = new Session();
  session.addFile('manifest.json', bundle.get('manifest.json'));
  for (const [name, bytes] of bundle) if (name !== 'manifest.json') session.addFile(name, bytes);
  const { parts } = JSON.parse(session.load());
  const hashes = { weights: parts.find(({ name }) => name === 'weights').sha256 };
  for (const one of cases) hashes[`text: ${one.name}`] = await textHash(session, one);
  session.delete();
  return hashes;
}
