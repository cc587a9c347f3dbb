// What the page decides without a document: formats, views' numbers and sentences, runs, the completer and the prover.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { directionOf } from '../../web/src/direction';
import type { LanguageModel } from '../../web/src/engine/client';
import type { CacheMap, Description, GrowthPoint, LaneCost, RunResult, RunStep } from '../../web/src/engine/protocol';
import { additionOf, Completer, nextWord, type Suggestion } from '../../web/src/runs/completer';
import { growthOverContext, growthPoints } from '../../web/src/runs/growth';
import { Prover } from '../../web/src/runs/prover';
import { beginRun, isRunning, tokenCosts, tokenSteps, totals, withoutLastTokens, withStep, type Run } from '../../web/src/runs/run';
import { cacheGridConclusion, cacheGridTable, shownPositions } from '../../web/src/views/cache-grid';
import { bytes, count, magnitude, milliseconds, percent, plural, ratio, visible } from '../../web/src/views/format';
import { growthChart, growthConclusion, growthMeasures, growthTable } from '../../web/src/views/growth';
import { wholeSentences } from '../../web/src/views/spoken';
import { timelineConclusion } from '../../web/src/views/timeline';
import { barsOf, conclusion } from '../../web/src/views/token-chart';
import { verdictOf, verdictText } from '../../web/src/views/verdict';

test('numbers are written short, grouped and with their unit', () => {
  assert.deepEqual([0, 999, 1000, 5_780_800, 999_960].map(bytes), ['0\u00a0B', '999\u00a0B', '1.00\u00a0kB', '5.78\u00a0MB', '1.00\u00a0MB']);
  assert.deepEqual([12, 54_300_000, 1.47e9].map(magnitude), ['12', '54.3\u00a0M', '1.47\u00a0G']);
  assert.deepEqual([0, 0.01234, 5.939, 161.4, 1500].map(milliseconds), [
    '0\u00a0ms',
    '0.012\u00a0ms',
    '5.94\u00a0ms',
    '161\u00a0ms',
    '1.50\u00a0s',
  ]);
  assert.deepEqual([1.04, 54.2].map(ratio), ['1.0x', '54x']);
  assert.equal(count(12288), '12,288');
  assert.equal(percent(0.7512), '75.1\u00a0%');
  assert.deepEqual(
    [0, 1, 2].map((value) => plural(value, 'token')),
    ['0 tokens', '1 token', '2 tokens'],
  );
});

test('white space and empty tokens can be seen', () => {
  assert.deepEqual([' a', '\n', ''].map(visible), ['\u2423a', '\u21b5', '\u2205']);
});

test('the verdict counts, and nothing compared is no verdict', () => {
  const tally = { tokens: 57, identical_tokens: 57, logits_compared: 57 * 256, differing_bits: 0 };
  assert.equal(verdictText(tally), '57 of 57 tokens identical, 0 bits differ');
  assert.equal(verdictOf(tally), 'identical');
  assert.equal(verdictOf({ ...tally, identical_tokens: 56, differing_bits: 1 }), 'different');
  assert.equal(
    verdictText({ ...tally, identical_tokens: 56, differing_bits: 1 }),
    '56 of 57 tokens identical, 1 bit differs',
  );
  assert.equal(verdictOf({ tokens: 0, identical_tokens: 0, logits_compared: 0, differing_bits: 0 }), 'waiting');
});

test('the chart counts the passes of a long prompt to its first token, and words what the numbers say', () => {
  const step = (cached: number, full: number | null): RunStep => {
    const cost = (multiplyAdds: number) => ({ positions: 1, multiply_adds: multiplyAdds, ms: 1 });
    return { token: full === null ? null : 1, cached: cost(cached), full: full === null ? null : cost(full) } as RunStep;
  };
  const costs = barsOf([step(64, null), step(36, 100), step(2, 102)]);
  assert.deepEqual(costs, [
    { cached: 100, full: 100 },
    { cached: 2, full: 102 },
  ]);
  assert.match(conclusion(costs.slice(0, 1)), /^The first token computes the whole prompt in both lanes/);
  assert.equal(conclusion(costs), 'Token 2 cost 2 multiply-adds with the cache and 51x as many without.');
  assert.equal(
    conclusion(barsOf([step(25, 100)])),
    'Token 1 cost 25 multiply-adds with the cache and 4.0x as many without.',
  );
});

test('a completion is one line, and one that was cut short ends in a whole word', () => {
  const addition = (text: string, finish_reason: RunResult['finish_reason']): string => additionOf({ text, finish_reason });
  assert.equal(addition('mit\nnext', 'length'), 'mit');
  assert.equal(addition('mit -m <mess', 'stop_token'), 'mit -m <mess');
  assert.equal(addition('mit -m <mess', 'length'), 'mit -m');
  assert.equal(addition('mit -m <mess', 'context_full'), 'mit -m');
  assert.equal(addition('unfin', 'length'), '');
});

const step = (change: Partial<RunStep>): RunStep => ({
  row: 0,
  coin: 0,
  phase: 'decode',
  past: 0,
  token: 1,
  piece: 'a',
  text: 'a',
  probability: 1,
  finish_reason: null,
  cached: { positions: 1, multiply_adds: 10, bytes_read: 100, ms: 1 },
  full: { positions: 5, multiply_adds: 50, bytes_read: 130, ms: 4 },
  parity: { tokens: 1, identical_tokens: 1, logits_compared: 256, differing_bits: 0 },
  positions: 5,
  cache: { formula: 1, used: 2, allocated: 3 },
  ...change,
});

test('a run sums its steps, prefill and decode apart', () => {
  const chunk = step({ phase: 'prefill', token: null, full: null, cached: { positions: 4, multiply_adds: 40, bytes_read: 120, ms: 2 } });
  let run = beginRun('generation', 'x');
  assert.ok(isRunning(run));
  for (const next of [chunk, step({ phase: 'prefill' }), step({}), step({})]) run = withStep(run, next);
  const sums = totals(run);
  assert.deepEqual(sums.prefill, { positions: 5, multiply_adds: 50, bytes_read: 220, ms: 3 });
  assert.deepEqual(sums.decode, { positions: 2, multiply_adds: 20, bytes_read: 200, ms: 2 });
  assert.deepEqual(sums.full, { positions: 15, multiply_adds: 150, bytes_read: 390, ms: 12 });
  assert.equal(sums.parity.tokens, 4);
  assert.equal(tokenSteps(run).length, 3);
  assert.equal(isRunning({ ...run, result: {} as RunResult }), false);
});

test('a rewind takes back tokens with the passes that chose them, and leaves those of the prompt', () => {
  const chunk = step({ phase: 'prefill', token: null, full: null });
  const steps = [chunk, step({ phase: 'prefill', piece: 'a' }), step({ piece: 'b' }), step({ piece: 'c' })];
  const left = (tokens: number): string => withoutLastTokens(steps, tokens).map(({ piece, token }) => (token === null ? '-' : piece)).join('');
  assert.deepEqual([0, 1, 2, 3, 4].map(left), ['-abc', '-ab', '-a', '-', '-']);
});

test('the costs of tokens count the passes over a long prompt to the first one', () => {
  const chunk = step({ phase: 'prefill', token: null, full: null, cached: { positions: 4, multiply_adds: 40, bytes_read: 120, ms: 2 } });
  const costs = tokenCosts([chunk, step({ phase: 'prefill' }), step({ full: null })]);
  assert.deepEqual(
    costs.map(({ cached, full }) => [cached.positions, cached.ms, full?.positions ?? null]),
    [
      [5, 3, 5],
      [1, 1, null],
    ],
  );
});

test('the conclusions of growth are worded from its points', () => {
  const cost = (scale: number): Omit<LaneCost, 'ms'> => ({ positions: 1, multiply_adds: scale, bytes_read: 10 * scale });
  const point = (positions: number): GrowthPoint => ({
    positions,
    cache_bytes: 3840 * positions,
    cached: cost(100),
    full: cost(100 * positions),
  });
  const points = [point(1), point(64), point(256)];
  assert.match(growthConclusion(points, 'multiply_adds'), /^At 256 positions .* 100 with the cache and 25.6\u00a0K without: 256x/);
  assert.match(growthConclusion(points, 'bytes_read'), /reads 1.00\u00a0kB with the cache and 256\u00a0kB without/);
  assert.equal(
    growthConclusion(points, 'cache_bytes'),
    'The cache grows by 3.84\u00a0kB with every position, always the same: at 256 it holds 983\u00a0kB.',
  );
  // The lanes lie apart by two orders of magnitude: on a linear scale one would lie on the axis.
  assert.deepEqual(growthMeasures.map((measure) => growthChart(points, measure).logarithmic), [true, false, false]);
  assert.match(growthChart(points, 'multiply_adds').yLabel, /\(log\)$/);
  assert.deepEqual(growthTable(points, 'multiply_adds').rows[1], ['64', '100', '6,400']);
});

test('the timeline says when the first token came and what each one after it took', () => {
  const decode = { positions: 1, multiply_adds: 10, bytes_read: 100, ms: 1 };
  const prefill = { ...decode, positions: 4, ms: 6 };
  const costs = tokenCosts([
    step({ phase: 'prefill', cached: prefill, full: prefill }),
    step({ cached: decode, full: { ...decode, ms: 7 } }),
    step({ cached: decode, full: { ...decode, ms: 11 } }),
  ]);
  assert.equal(timelineConclusion(costs.slice(0, 1)), 'The first token came after 6.00\u00a0ms.');
  assert.equal(
    timelineConclusion(costs),
    'The first token came after 6.00\u00a0ms, each further one after 1.00\u00a0ms. Without the cache, the last one took 11.0\u00a0ms, and the run 3.0x as long.',
  );
});

test('the grid of a cache shows free places too, never more than fit, and says what it holds', () => {
  assert.deepEqual(
    [0, 40, 48, 250, 256].map((positions) => shownPositions({ positions, capacity: 256 })),
    [48, 48, 64, 256, 256],
  );
  assert.equal(shownPositions({ positions: 3, capacity: 20 }), 20);
  const bytes = { formula: 1, used: 2, allocated: 3 };
  const map: CacheMap = { positions: 2, capacity: 256, bytes, key_norms: [[[1, 2]], [[3, 7.25]]] };
  assert.equal(
    cacheGridConclusion(map),
    '2 of 256 positions are filled: 4 keys and as many values. The longest key, of 7.25, is in layer 1, counted from 0.',
  );
  assert.deepEqual(cacheGridTable(map).head.slice(1), ['L0 H0', 'L1 H0']);
  assert.deepEqual(cacheGridTable(map).rows, [
    ['0', '1.00', '3.00'],
    ['1', '2.00', '7.25'],
  ]);
  assert.equal(cacheGridConclusion({ ...map, positions: 0, key_norms: [[[]], [[]]] }), 'No position is filled yet: 256 are free.');
});

test('one step to the right accepts a word', () => {
  assert.deepEqual(['it -m <x>', ' -m <x>', '', 'last'].map(nextWord), ['it', ' -m', '', 'last']);
});

/** A model whose completions the test answers by hand. */
function slowModel() {
  const asked: Array<{ text: string; answer: (text: string) => void; fail: (error: Error) => void }> = [];
  const model = {
    complete: (text: string) =>
      new Promise<RunResult>((resolve, reject) => {
        asked.push({ text, answer: (addition) => resolve({ text: addition } as RunResult), fail: reject });
      }),
  };
  return { model, asked };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('of the texts typed while a completion runs, only the newest is asked for', async () => {
  const { model, asked } = slowModel();
  const shown: Suggestion[] = [];
  const completer = new Completer(model, {
    onSuggestion: (suggestion) => shown.push(suggestion),
    onError: assert.fail,
  });
  for (const text of ['g', 'gi', 'git']) completer.want(text);
  asked[0]?.answer('x');
  await settle();
  assert.deepEqual(
    asked.map(({ text }) => text),
    ['g', 'git'],
  );
  assert.deepEqual(shown, [], 'an answer for another text is dropped');
  asked[1]?.answer(' commit\nsecond line');
  await settle();
  assert.deepEqual(
    shown.map(({ text, addition }) => [text, addition]),
    [['git', ' commit']],
  );
  completer.want('git ');
  await settle();
  assert.equal(asked.length, 3, 'it goes on after being idle');
});

test('an error is told only for the text that is still wanted', async () => {
  const { model, asked } = slowModel();
  const errors: string[] = [];
  const completer = new Completer(model, {
    onSuggestion: () => assert.fail('no suggestion was due'),
    onError: ({ message }) => errors.push(message),
  });
  completer.want('a');
  completer.forget();
  asked[0]?.fail(new Error('too late'));
  await settle();
  completer.want('b');
  asked[1]?.fail(new Error('in time'));
  await settle();
  assert.deepEqual(errors, ['in time']);
});

/** A model that proves when the test says so. */
function provingModel() {
  const asked: Array<{ text: string; signal: AbortSignal | undefined; step: () => void; end: (result: RunResult) => void }> = [];
  const generate: LanguageModel['generate'] = (text, { signal, onStep } = {}) =>
    new Promise((end) => asked.push({ text, signal, step: () => onStep?.(step({ token: 1 })), end }));
  return { model: { generate }, asked };
}

test('a suggestion is proved when the typing rests, and tells nothing more once it is forgotten', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { model, asked } = provingModel();
  const told: Run[] = [];
  const prover = new Prover(model, (run) => told.push(run));
  const suggestion = (text: string): Suggestion => ({ text, addition: 'x', result: { policy: {} } as RunResult });
  for (const text of ['g', 'gi', 'git']) {
    t.mock.timers.tick(300);
    prover.want(suggestion(text));
  }
  assert.equal(asked.length, 0, 'the typing does not rest yet');
  t.mock.timers.tick(400);
  assert.deepEqual(asked.map(({ text }) => text), ['git'], 'what was typed on is not proved');
  asked[0]?.step();
  asked[0]?.end({ text: 'x' } as RunResult);
  await settle();
  assert.deepEqual(told.map(({ steps, result }) => [steps.length, result !== null]), [[0, false], [1, false], [1, true]]);
  prover.want(suggestion('git '));
  t.mock.timers.tick(400);
  prover.forget();
  assert.equal(asked[1]?.signal?.aborted, true);
  asked[1]?.step();
  asked[1]?.end({ text: 'late' } as RunResult);
  await settle();
  assert.equal(told.length, 4, 'the beginning of the second proof is the last that was told');
});

test('growth is asked for from one position to the whole context', async () => {
  const asked: number[][] = [];
  const growth = async (lengths: readonly number[]): Promise<[]> => (asked.push([...lengths]), []);
  await growthOverContext({ growth }, { architecture: { max_seq_len: 256 } } as unknown as Description);
  const [lengths = []] = asked;
  assert.deepEqual([lengths.length, lengths[0], lengths[1], lengths.at(-1)], [growthPoints, 1, 16, 256]);
});

test("a text's direction is that of its first letter, looked for near its beginning alone", () => {
  assert.deepEqual(['', '12 git', '\u05e9\u05dc\u05d5\u05dd git', '- \u0645\u0631\u062d\u0628\u0627', `${'1'.repeat(2000)}\u05e9`].map(directionOf), ['ltr', 'ltr', 'rtl', 'rtl', 'ltr']);
});

test('a text that is written is announced by sentence or line, and its rest when it has ended', () => {
  const text = 'Lists 1.5 files. Or all!\n# Version';
  assert.deepEqual(wholeSentences('Lists 1.5 fil', false), []);
  assert.deepEqual(wholeSentences(text, false), ['Lists 1.5 files. ', 'Or all!\n']);
  assert.deepEqual(wholeSentences(text, true), ['Lists 1.5 files. ', 'Or all!\n', '# Version']);
  assert.deepEqual(wholeSentences('', true), []);
});
