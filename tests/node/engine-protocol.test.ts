// The protocol between page and worker, on a stand-in session: every request ends in exactly one result or one error.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { EngineError } from '../../web/src/engine/errors';
import type { RunStep } from '../../web/src/engine/protocol';
import type { TrainingProgress } from '../../web/src/engine/training-types';
import { FakeSession } from './support/fake-session';
import { urls, wire, type Wired } from './support/wired-model';

async function loaded(): Promise<Wired> {
  const wired = wire();
  await wired.model.load(urls);
  return wired;
}

/** How many results or errors answered each request. */
function answers({ fromWorker }: Wired): number[] {
  const ids = [...new Set(fromWorker.map(({ id }) => id))];
  return ids.map((id) => fromWorker.filter((message) => message.id === id && message.kind !== 'event').length);
}

const failsWith = (code: string, message: RegExp) => (error: unknown) => {
  assert(error instanceof EngineError);
  assert.equal(error.code, code);
  assert.match(error.message, message);
  return true;
};

test('a generation tells every step and ends in one result', async () => {
  const wired = await loaded();
  const steps: RunStep[] = [];
  const result = await wired.model.generate('git comm', { parity: true, onStep: (step) => steps.push(step) });
  assert.equal(steps.map((step) => step.piece).join(''), result.text);
  assert.equal(steps.length, result.ids.length);
  assert.equal(result.finish_reason, 'stop_token');
  assert.equal(steps[0]?.phase, 'prefill');
  assert.deepEqual(answers(wired), [1, 1]);
});

test('an engine error keeps its code and message, and the next request is served', async () => {
  const wired = await loaded();
  const wrong = wired.model.generate('x', { policy: { temperature: 0 } });
  await assert.rejects(wrong, failsWith('invalid_option', /^temperature: expected a number above 0, found 0$/));
  assert.equal((await wired.model.complete('git comm')).finish_reason, 'stop_token');
  assert.deepEqual(answers(wired), [1, 1, 1]);
});

test('before a bundle is loaded every request is refused', async () => {
  const { model } = wire();
  await assert.rejects(model.complete('x'), failsWith('not_loaded', /expected a loaded bundle/));
  await assert.rejects(model.generate('x'), failsWith('not_loaded', /expected a loaded bundle/));
  await assert.rejects(model.tokenize('x'), failsWith('not_loaded', /expected a loaded bundle/));
  await assert.rejects(model.cache(), failsWith('not_loaded', /expected a loaded bundle/));
});

test('a stopped generation takes no further step and results in the text so far', async () => {
  const wired = await loaded();
  const stopper = new AbortController();
  let steps = 0;
  const result = await wired.model.generate('git comm', {
    signal: stopper.signal,
    onStep: () => {
      steps += 1;
      if (steps === 3) stopper.abort();
    },
  });
  assert.equal(result.finish_reason, 'aborted');
  // The message needs a task to arrive, in which one step may pass.
  assert.ok(result.ids.length <= 5, `${result.ids.length} tokens after a stop at the third`);
  assert.equal(wired.sessions[0]?.rows.size, 0);
  assert.deepEqual(answers(wired), [1, 1]);
});

test('a generation whose signal was aborted before has a result without a token', async () => {
  const { model } = await loaded();
  const result = await model.generate('git comm', { signal: AbortSignal.abort() });
  assert.deepEqual([result.finish_reason, result.ids.length], ['aborted', 0]);
});

test('a completion is answered while a generation runs', async () => {
  const wired = await loaded();
  const order: string[] = [];
  const generation = wired.model.generate('git comm').then(() => order.push('generation'));
  await wired.model.complete('git comm').then(() => order.push('completion'));
  await generation;
  assert.deepEqual(order, ['completion', 'generation']);
});

test('a completion that is aborted before the engine begins never reaches it', async () => {
  const wired = await loaded();
  const session = wired.sessions[0] as FakeSession;
  let calls = 0;
  const complete = session.complete.bind(session);
  session.complete = (text, policyJson) => {
    calls += 1;
    return complete(text, policyJson);
  };
  const stopper = new AbortController();
  const completion = wired.model.complete('git comm', {}, stopper.signal);
  stopper.abort();
  await assert.rejects(completion, failsWith('aborted', /complete/));
  await assert.rejects(wired.model.complete('git comm', {}, AbortSignal.abort()), failsWith('aborted', /complete/));
  assert.equal(calls, 0);
  assert.equal((await wired.model.complete('git comm')).finish_reason, 'stop_token');
  assert.deepEqual(answers(wired), [1, 1, 1, 1]);
});

test('a row that fails in the middle is given back', async () => {
  const wired = await loaded();
  const session = wired.sessions[0] as FakeSession;
  const step = session.step.bind(session);
  let count = 0;
  session.step = (rows) => {
    count += 1;
    if (count === 4) throw Object.assign(new Error('logits: found NaN'), { code: 'not_finite' });
    return step(rows);
  };
  await assert.rejects(wired.model.generate('x'), failsWith('not_finite', /found NaN/));
  assert.equal(session.rows.size, 0);
});

test('after a trap of the module nothing runs on it', async () => {
  const wired = await loaded();
  const session = wired.sessions[0] as FakeSession;
  session.step = () => {
    throw new WebAssembly.RuntimeError('unreachable');
  };
  await assert.rejects(wired.model.generate('x'), failsWith('internal', /unreachable/));
  await assert.rejects(wired.model.cache(), failsWith('not_loaded', /expected a loaded bundle/));
});

test('a worker that dies ends every request, those to come included', async () => {
  const wired = await loaded();
  const running = wired.model.generate('git comm');
  wired.crash('out of luck');
  await assert.rejects(running, failsWith('internal', /worker: out of luck/));
  await assert.rejects(wired.model.complete('x'), failsWith('internal', /worker: out of luck/));
});

test('a destroyed model ends its requests and its worker', async () => {
  const wired = await loaded();
  const running = wired.model.generate('git comm');
  wired.model.destroy();
  await assert.rejects(running, failsWith('aborted', /destroyed/));
  assert.ok(wired.isTerminated());
});

test('options that no message can carry are refused at once', async () => {
  const { model } = await loaded();
  await assert.rejects(model.complete('x', { seed: () => 1 }), failsWith('invalid_option', /can be sent to a worker/));
});

test('rows that the page steps itself are the engine\'s rows, and are gone with the bundle', async () => {
  const wired = await loaded();
  const { row, tokens } = await wired.model.start('git');
  assert.deepEqual(tokens.map(({ piece }) => piece), ['g', 'i', 't']);
  const other = await wired.model.start('npm');
  const steps = await wired.model.step([other.row, row]);
  assert.deepEqual(steps.map((step) => step.row), [other.row, row]);
  assert.deepEqual(steps.map(({ piece }) => piece), ['i', 'i']);
  assert.deepEqual((await wired.model.finish(row)).ids.length, 1);
  await assert.rejects(wired.model.step([row]), failsWith('not_loaded', new RegExp(`found ${row}$`)));
  await wired.model.load(urls);
  // The engine numbers the new model's rows from 1 again: the old numbers must not lead to them.
  for (const prompt of ['git', 'npm']) {
    assert.ok((await wired.model.start(prompt)).row > other.row, 'no number is given twice');
  }
  await assert.rejects(wired.model.step([other.row]), failsWith('not_loaded', /row/));
  assert.deepEqual(answers(wired), Array(10).fill(1));
});

test('a request of no known kind ends in one error', async () => {
  const wired = await loaded();
  for (const kind of ['toString', 'constructor', 'nothing']) {
    const request = (wired.model as unknown as { request: (kind: string, params: object) => Promise<unknown> }).request(kind, {});
    await assert.rejects(request, failsWith('invalid_option', /unknown kind/));
  }
  assert.deepEqual(answers(wired), [1, 1, 1, 1]);
});

test('the module starts without a bundle, once', async () => {
  const wired = wire();
  await wired.model.prepare(urls.moduleUrl);
  await wired.model.prepare(urls.moduleUrl);
  assert.equal(wired.sessions.length, 1);
  assert.deepEqual(await wired.model.faults(), { faults: [], detectors: [] });
});

test('a training tells every step and ends in one result; the rows of the model before are gone', async () => {
  const wired = await loaded();
  const { row } = await wired.model.start('git');
  const seen: TrainingProgress[] = [];
  const result = await wired.model.train({ text: 'ls' }, { onProgress: (progress) => seen.push(progress) });
  assert.deepEqual(seen.map(({ step }) => step), [0, 1, 2, 3, 4]);
  assert.ok(seen.every(({ ms }) => ms >= 0));
  assert.deepEqual(result.files, [{ name: 'manifest.json', bytes: new Uint8Array([1, 2, 3]) }]);
  await assert.rejects(wired.model.step([row]), failsWith('not_loaded', /row/));
  await assert.rejects(wired.model.train({ text: '' }), failsWith('bad_data', /expected some/));
  assert.deepEqual(answers(wired), [1, 1, 1, 1, 1]);
});

test('a training that is stopped keeps what it has, one before its first step is aborted, two at once are refused', async () => {
  const wired = await loaded();
  const stopper = new AbortController();
  const stopped = await wired.model.train({ text: 'ls' }, { signal: stopper.signal, onProgress: () => stopper.abort() });
  assert.ok(stopped.steps >= 1 && stopped.steps < 4);
  await assert.rejects(wired.model.train({ text: 'ls' }, { signal: AbortSignal.abort() }), failsWith('aborted', /one step/));
  const running = wired.model.train({ text: 'ls' });
  await assert.rejects(wired.model.train({ text: 'ls' }), failsWith('invalid_option', /one training at a time/));
  assert.equal((await running).steps, 4);
  const replaced = wired.model.train({ text: 'ls' });
  const generation = wired.model.generate('git comm');
  const outcomes = await Promise.allSettled([replaced, generation, wired.model.load(urls)]);
  assert.equal(outcomes[2].status, 'fulfilled');
  assert.equal((await wired.model.train({ text: 'ls' })).steps, 4);
});

test('a new bundle replaces the old one and ends what runs on it', async () => {
  const wired = await loaded();
  const running = wired.model.generate('git comm');
  const loading = wired.model.load(urls);
  const outcome = await running.then(
    (result) => result.finish_reason,
    (error: EngineError) => error.code,
  );
  await loading;
  assert.ok(outcome === 'stop_token' || outcome === 'aborted', String(outcome));
  assert.equal(wired.sessions[0]?.deleted, true);
  assert.equal((await wired.model.complete('git comm')).finish_reason, 'stop_token');
});
