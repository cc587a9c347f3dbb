// What the sections about policy, inside, faults and training decide without a document: their conclusions, the options
// that they send, and the order in which they ask the engine.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { zipOfBundle } from '../../web/src/browser/bundle-download';
import type {
  Distribution,
  EffectivePolicy,
  Inside,
  PolicyOptions,
  RowOptions,
  RunResult,
  RunStep,
} from '../../web/src/engine/protocol';
import type { TrainingProgress } from '../../web/src/engine/training-types';
import { bitsDiffer, runTrial, textChanged } from '../../web/src/runs/fault-trial';
import { SideBySide, type Tracks } from '../../web/src/runs/side-by-side';
import { initialSampling, nextSeed, stagePolicy } from '../../web/src/state/sampling-fields';
import { attentionConclusion, gazes, positionsHolding } from '../../web/src/views/attention-map';
import { drawConclusion, segmentsOf } from '../../web/src/views/draw-line';
import { lensConclusion, settledFrom } from '../../web/src/views/logit-lens';
import { lossChart, lossConclusion, lossTable } from '../../web/src/views/loss-curve';
import { residualConclusion } from '../../web/src/views/residual-norms';
import { ropeConclusion } from '../../web/src/views/rope-pairs';
import { sightingsConclusion } from '../../web/src/views/sightings';
import { stagesConclusion } from '../../web/src/views/stages';
import { trialConclusion } from '../../web/src/views/trial-lanes';

const token = (rank: number, text: string, ...probabilities: number[]) => ({
  token: 100 + rank,
  text,
  rank,
  logit: -rank,
  probabilities,
});

const sampled: Distribution = {
  stages: [
    { name: 'model', kept: 4096 },
    { name: 'temperature', kept: 4096 },
    { name: 'top_k', kept: 3 },
  ],
  tokens: [token(0, ' a', 0.4, 0.5, 0.625), token(1, ' b', 0.2, 0.2, 0.25), token(2, ' c', 0.1, 0.1, 0.125), token(9, ' z', 0.3, 0, 0)],
  chosen_rank: 1,
  model_probability: 0.2,
};

test('the stages are worded by what each put out, and greedy by what it took', () => {
  assert.equal(
    stagesConclusion(sampled),
    'Of 4,096 tokens, Top-k leaves 3. The draw took "\u2423b": 20.0\u00a0% by the model, 25.0\u00a0% after the last stage.',
  );
  const untouched = { ...sampled, stages: [{ name: 'model' as const, kept: 4096 }] };
  assert.match(stagesConclusion(untouched), /^No stage put a token out: all 4,096 stay\./);
  const greedy: Distribution = {
    stages: [
      { name: 'model', kept: 4096 },
      { name: 'greedy', kept: 1 },
    ],
    tokens: [token(0, ' a', 0.4, 1)],
    chosen_rank: 0,
    model_probability: 0.4,
  };
  assert.equal(
    stagesConclusion(greedy),
    'Greedy leaves one token of 4,096, the most probable: "\u2423a", 40.0\u00a0% by the model. Nothing is drawn.',
  );
});

test('the cumulative line goes from 0 to 1 in the order of the draw, and names where the coin fell', () => {
  assert.deepEqual(
    segmentsOf(sampled).map(({ rank, from, to }) => [rank, from, to]),
    [
      [0, 0, 0.625],
      [1, 0.625, 0.875],
      [2, 0.875, 1],
    ],
  );
  assert.equal(drawConclusion(sampled, 0.7), 'The coin fell on 0.7000: it lies on "\u2423b", which holds the line from 0.6250 to 0.8750.');
  // Only the first two tokens of three were told: what is left of the line has no name.
  const cut = { ...sampled, tokens: sampled.tokens.slice(0, 2) };
  assert.deepEqual(segmentsOf(cut).at(-1), { text: 'all others', rank: null, from: 0.875, to: 1 });
  const beyond = { ...sampled, tokens: [...sampled.tokens.slice(0, 2), token(2, ' c', 0.1, 0.1, 0.125)].filter(({ rank }) => rank !== 1), chosen_rank: 2 };
  assert.match(drawConclusion(beyond, 0.9), /^The coin fell on 0\.9000: it lies on "\u2423c", among the tokens of rank 3/);
});

test('greedy is given penalties alone, and an empty field is not given', () => {
  const fields = { ...initialSampling, numbers: { ...initialSampling.numbers, presence_penalty: '0.5', min_p: '', top_k: 'all' } };
  assert.deepEqual(stagePolicy(fields, 'greedy', 24), { mode: 'greedy', max_new_tokens: 24, presence_penalty: 0.5 });
  assert.deepEqual(stagePolicy({ ...fields, penaltyPrompt: true }, 'sample', 24), {
    mode: 'sample',
    max_new_tokens: 24,
    presence_penalty: 0.5,
    penalty_prompt: true,
    temperature: 0.8,
    top_k: 'all',
    top_p: 0.95,
    seed: 7,
  });
  assert.deepEqual(['7', '', 'x', '9007199254740991'].map(nextSeed), ['8', '0', '0', '0']);
});

const cost = { positions: 1, multiply_adds: 1, bytes_read: 1, ms: 1 };

function stepOf(row: number, id: number, bits = 0, finish: RunStep['finish_reason'] = null): RunStep {
  return {
    row,
    phase: 'decode',
    past: 1,
    token: id,
    piece: `t${id}`,
    text: `t${id}`,
    probability: 1,
    coin: 0.5,
    finish_reason: finish,
    cached: cost,
    full: cost,
    parity: { tokens: 1, identical_tokens: bits ? 0 : 1, logits_compared: 8, differing_bits: bits },
    positions: 2,
    cache: { formula: 1, used: 1, allocated: 1 },
  };
}

/** An engine of rows that count: token n of row r is 10 r + n; a fault adds 5 to every token and 3 bits to each step. */
class CountingModel {
  readonly calls: string[] = [];
  private next = 1;
  private readonly rows = new Map<number, { drawn: number; most: number; broken: boolean }>();

  async tokenize(text: string) {
    return [...text].map((piece, id) => ({ id, piece }));
  }

  async start(prompt: string, policy: PolicyOptions = {}, options: RowOptions = {}) {
    const row = this.next++;
    this.calls.push(`start ${row} ${prompt.length} ${options.fault ?? 'healthy'} ${options.stream ?? 0}`);
    this.rows.set(row, { drawn: 0, most: Number(policy.max_new_tokens), broken: options.fault !== undefined });
    return { row, tokens: [...prompt].map((piece, id) => ({ id, piece })), policy: policy as EffectivePolicy };
  }

  async step(rows: readonly number[]) {
    return rows.flatMap((row) => {
      const state = this.rows.get(row);
      if (!state || state.drawn >= state.most) return [];
      state.drawn += 1;
      return [stepOf(row, state.drawn + (state.broken ? 5 : 0), state.broken ? 3 : 0, state.drawn === state.most ? 'length' : null)];
    });
  }

  async finish(row: number) {
    this.calls.push(`finish ${row}`);
    assert.ok(this.rows.delete(row), `row ${row} is finished once`);
    return {} as RunResult;
  }

  get open(): number {
    return this.rows.size;
  }
}

test('of the wishes that come while one is done only the newest is done, and no row is left', async () => {
  const model = new CountingModel();
  const shown: Tracks[] = [];
  const pair = new SideBySide(model, (tracks) => shown.push(tracks));
  const wish = (tokens: number) => ({ prompt: 'x'.repeat(tokens), policies: { greedy: { max_new_tokens: 9 }, sample: { max_new_tokens: 2 } }, tokens, trace: 4 });
  pair.want(wish(1));
  pair.want(wish(2));
  pair.want(wish(3));
  while (shown.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(shown.map(({ greedy, sample }) => [greedy.steps.length, sample.steps.length]), [[3, 2]]);
  assert.equal(shown[0]?.sample.finish, 'length');
  assert.equal(model.calls.some((call) => call.includes(' 2 healthy')), false, 'the wish between was never begun');
  assert.equal(model.open, 0);
});

test('a refused policy is told as the error of its mode alone', async () => {
  const model = new CountingModel();
  const start = model.start.bind(model);
  model.start = async (prompt, policy, options) => {
    if (policy?.mode === 'sample') throw Object.assign(new Error('policy.top_p: expected'), { code: 'invalid_option' });
    return start(prompt, policy, options);
  };
  const tracks = await new Promise<Tracks>((resolve) => {
    new SideBySide(model, resolve).want({ prompt: 'x', policies: { greedy: { max_new_tokens: 1 }, sample: { mode: 'sample' } }, tokens: 1, trace: 1 });
  });
  assert.match(tracks.sample.error?.message ?? '', /top_p/);
  assert.equal(tracks.greedy.error, null);
  assert.equal(tracks.greedy.steps.length, 1);
});

test('a fault is run beside the healthy model, in the rows that show it', async () => {
  const model = new CountingModel();
  const trial = await runTrial(model, 'one_draw_for_all_rows');
  assert.equal(trial.rows.length, 3);
  assert.ok(textChanged(trial) && bitsDiffer(trial));
  assert.deepEqual(
    model.calls.filter((call) => call.startsWith('start')).map((call) => call.split(' ').slice(3).join(' ')),
    [0, 1, 2].map((stream) => `healthy ${stream}`).concat([0, 1, 2].map((stream) => `one_draw_for_all_rows ${stream}`)),
  );
  const healthy = await runTrial(model, 'none');
  assert.ok(!textChanged(healthy) && !bitsDiffer(healthy));
  model.calls.length = 0;
  const rewound = await runTrial(model, 'stale_row_after_rewind');
  const order = model.calls.map((call) => call.replace(/ \d+/, '').split(' ').slice(0, 3).join(' '));
  const half = (fault: string) => [`start 16 ${fault}`, 'finish', `start 19 ${fault}`, 'finish'];
  assert.deepEqual(order, [...half('healthy'), ...half('stale_row_after_rewind')], 'a row ends before the one that is shown');
  assert.equal(rewound.rows.length, 1);
  assert.equal(rewound.rows[0]?.broken.length, 12);
  await runTrial(model, 'row_zeroed_at_some_lengths');
  assert.match(model.calls.findLast((call) => call.startsWith('start')) ?? '', / 17 row_zeroed/, 'the prompt is cut to 17 tokens');
  assert.equal(model.open, 0);
});

test('a trial is worded by its text and its bits', () => {
  const healthy = [stepOf(1, 1), stepOf(1, 2)];
  assert.equal(trialConclusion(healthy, healthy), 'The text is the same; no bit of any logit differs.');
  assert.equal(
    trialConclusion(healthy, [stepOf(1, 1), stepOf(1, 9, 1200)]),
    'The text changes at token 2; 1,200 bits of the logits differ, in 1 of 2 tokens, from token 2 on.',
  );
  assert.match(trialConclusion(healthy, [...healthy, stepOf(1, 3)]), /^The text is 1 token longer than it may be/);
});

test('detectors are counted and named', () => {
  assert.equal(sightingsConclusion({ fault: 'none', seen: [] }, 9), 'All 9 detectors are quiet.');
  const seen = ['parity', 'self_test'].map((detector) => ({ detector, where: '', expected: '', found: '' }));
  assert.equal(sightingsConclusion({ fault: 'x', seen }, 9), '2 of 9 detectors saw it: parity, self_test.');
});

const piece = (id: number) => ({ id, piece: ` t${id}` });
const layer = (attention: number[][], best: number): Inside['layers'][number] => ({
  attention,
  residual_rms: { before: 1, after_attention: 1.5, after_mlp: 3 },
  lens: [{ ...piece(best), probability: 0.5 }],
});
const inside: Inside = {
  position: 2,
  tokens: [piece(0), piece(1), piece(2)],
  layers: [layer([[0.9, 0.05, 0.05], [0.1, 0.7, 0.2]], 8), layer([[0.5, 0.3, 0.2], [0.8, 0.1, 0.1]], 7), layer([[0.6, 0.2, 0.2], [0.3, 0.3, 0.4]], 7)],
  rope: {
    pairing: 'half',
    theta: 10000,
    pairs: [
      { frequency: 1, angle: 2, before: [1, 0], after: [0, 1] },
      { frequency: 0.01, angle: 0.02, before: [1, 0], after: [1, 0] },
    ],
  },
};

test('what is inside is worded from what was recorded', () => {
  assert.deepEqual(gazes(inside.layers).map(({ position }) => position), [0, 1, 0, 0, 0, 2]);
  assert.equal(
    attentionConclusion(inside),
    '4 of 6 heads look most at position 0, where a text begins. Of the others the sharpest gaze is that of layer 0, head 1: 70.0\u00a0% of it rests on "\u2423t1".',
  );
  const only = (...heads: number[]): Inside => ({
    ...inside,
    layers: [layer(heads.flatMap((head) => inside.layers[0]?.attention.slice(head, head + 1) ?? []), 7)],
  });
  assert.match(attentionConclusion(only(0, 0)), /^All 2 heads look most at position 0, .*: the sharpest is layer 0, head 0, with 90\.0\u00a0% on/);
  assert.match(attentionConclusion(only(1)), /^The sharpest gaze is that of layer 0, head 0: 70\.0\u00a0% .* No head looks most at position 0/);
  assert.deepEqual([positionsHolding([0.5, 0.4, 0.1], 0.9), positionsHolding([0.2, 0.2, 0.2], 0.9)], [2, 3]);
  assert.equal(settledFrom(inside.layers), 1);
  assert.match(lensConclusion(inside.layers), /^The last layer says "\u2423t7" with 50\.0\u00a0%; .* from layer 1 on; the last layer is 2\.$/);
  assert.match(lensConclusion(inside.layers.slice(0, 2)), /only there does it come first/);
  assert.match(ropeConclusion(inside), /^At position 2 the first pair has turned by 2\.000\u00a0rad \(0\.3 turns\), the last by 0\.020\u00a0rad/);
  assert.match(ropeConclusion({ ...inside, position: 0 }), /^At position 0 nothing turns/);
  assert.match(residualConclusion(inside.layers), /^The stream grows from 1\.00 to 3\.00 over 3 layers, 3\.0 times; .* the MLP in layer 0\.$/);
});

const progress = (step: number, loss: number, held: number | null, baseline: number | null): TrainingProgress => ({
  stage: 'training',
  step,
  steps: 100,
  loss,
  held_out_loss: held,
  baseline_loss: baseline,
  gradient_norm: 1,
  learning_rate: 0.001,
  parameters: 1000,
  tokens_seen: 1,
  ms: 1,
});

test('a loss curve is held against the baseline, by the held-out loss where there is one', () => {
  const points = [progress(1, 6, null, 2), progress(50, 3, 2.5, 2), progress(100, 1, 1.5, 2)];
  assert.equal(
    lossConclusion(points),
    'After 100 of 100 steps the training loss went from 6.000 to 1.000 nats a token. The held-out loss, 1.500, is 0.500 below the n-gram baseline (2.000).',
  );
  assert.match(lossConclusion(points.slice(0, 2)), /is still 0\.500 above the n-gram baseline/);
  assert.match(lossConclusion([progress(1, 6, null, null), progress(9, 0.01, null, null)]), /from 6\.000 to 0\.0100 nats a token\.$/);
  assert.equal(lossConclusion([]), 'The first step is yet to come.');
  assert.deepEqual(lossChart(points).lines.map(({ label }) => label), ['training loss', 'held-out loss', 'n-gram baseline']);
  assert.deepEqual(lossChart([progress(1, 6, null, null)]).lines.length, 1);
  const many = Array.from({ length: 1000 }, (_, index) => progress(index + 1, 1, null, null));
  const { rows } = lossTable(many);
  assert.ok(rows.length <= 26 && rows[0]?.[0] === '1' && rows.at(-1)?.[0] === '1,000');
});

test('a bundle is a zip file of a folder with its files as they are', async () => {
  const bytes = Uint8Array.from({ length: 300 }, (_, index) => index % 251);
  const zip = Buffer.from(await zipOfBundle('own', [{ name: 'config.json', bytes }]));
  // The local header of the format: signature, method 0 (stored), then name and bytes.
  assert.equal(zip.readUInt32LE(0), 0x04034b50);
  assert.equal(zip.readUInt16LE(8), 0);
  const name = zip.readUInt16LE(26);
  assert.equal(zip.subarray(30, 30 + name).toString(), 'own/config.json');
  const begin = 30 + name + zip.readUInt16LE(28);
  assert.deepEqual(new Uint8Array(zip.subarray(begin, begin + 300)), bytes);
});
