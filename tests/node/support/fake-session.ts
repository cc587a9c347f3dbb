// A stand-in for the wasm module's session: it spells a fixed continuation letter by letter. It computes no model, so
// what is tested with it is the protocol around a model, never a model.

import type { EffectivePolicy, EngineStep, RunResult } from '../../../web/src/engine/protocol';
import type { EngineSession } from '../../../web/src/engine/session';

const continuation = 'it -m <message>  # Use the given message as the commit message\n';
const layers = 4;

export class FakeError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

interface Row {
  prompt: string;
  policy: Record<string, unknown>;
  parity: boolean;
  steps: EngineStep[];
  aborted: boolean;
}

export class FakeSession implements EngineSession {
  readonly files = new Map<string, Uint8Array>();
  readonly rows = new Map<number, Row>();
  deleted = false;
  isLoaded = false;
  nextRow = 1;

  addFile(name: string, bytes: Uint8Array): void {
    if (name !== 'manifest.json') {
      const part = this.manifest().parts.find(({ file }) => file === name);
      if (part === undefined) throw new FakeError('bad_manifest', `"${name}": expected a listed file`);
      if (part.bytes !== bytes.length) {
        throw new FakeError(
          'part_mismatch',
          `part "${part.name}" (${name}): expected ${part.bytes} bytes, found ${bytes.length}`,
        );
      }
    }
    this.files.set(name, bytes);
  }

  private manifest(): { parts: Array<{ name: string; file: string; bytes: number; sha256: string }> } {
    return JSON.parse(new TextDecoder().decode(this.files.get('manifest.json')));
  }

  private startRow(prompt: string, policyJson: string, optionsJson: string): number {
    return (JSON.parse(this.start(prompt, policyJson, optionsJson)) as { row: number }).row;
  }

  load(): string {
    this.isLoaded = true;
    const parts = this.manifest().parts;
    return JSON.stringify({
      name: 'fake',
      model_version: '0.0.0',
      bytes: parts.reduce((sum, part) => sum + part.bytes, 0),
      parts,
      architecture: {
        vocab_size: 256,
        d_model: 64,
        n_layers: layers,
        n_heads: 4,
        n_kv_heads: 2,
        head_dim: 16,
        max_seq_len: 256,
      },
      parameters: 1_234_567,
      policy: { mode: 'greedy' },
      self_test: { tokens: 5, logits_sha256: '00', passed: true },
      memory: { weights: 5_000_000, workspace: 1_000_000 },
      corpus: { license: 'none' },
      training: {},
      held_out: {},
    });
  }

  encode(text: string): Int32Array {
    return Int32Array.from(new TextEncoder().encode(text));
  }

  decode(ids: Int32Array): string {
    return new TextDecoder().decode(Uint8Array.from(ids));
  }

  complete(text: string, policyJson: string): string {
    const row = this.startRow(text, policyJson, '{}');
    for (let finished = false; !finished;) {
      const [step] = JSON.parse(this.step([row])) as [EngineStep];
      finished = step.finish_reason !== null;
    }
    return this.finish(row);
  }

  start(prompt: string, policyJson: string, optionsJson: string): string {
    const policy = JSON.parse(policyJson) as Record<string, unknown>;
    const temperature = policy['temperature'];
    if (temperature !== undefined && !(typeof temperature === 'number' && temperature > 0)) {
      throw new FakeError(
        'invalid_option',
        `temperature: expected a number above 0, found ${JSON.stringify(temperature)}`,
      );
    }
    const { parity = false } = JSON.parse(optionsJson) as { parity?: boolean };
    const row = this.nextRow++;
    this.rows.set(row, {
      prompt,
      policy: { max_new_tokens: 200, seed: 7, ...policy },
      parity,
      steps: [],
      aborted: false,
    });
    const tokens = Array.from(this.encode(prompt), (id) => ({ id, piece: String.fromCharCode(id) }));
    return JSON.stringify({ row, tokens, policy });
  }

  private row(id: number): Row {
    const row = this.rows.get(id);
    if (this.deleted || row === undefined) throw new FakeError('not_loaded', `row ${id}: expected a row, found none`);
    return row;
  }

  step(ids: number[]): string {
    return JSON.stringify(ids.map((id) => this.stepRow(id)));
  }

  private stepRow(id: number): EngineStep {
    const row = this.row(id);
    const index = row.steps.length;
    const past = index === 0 ? 0 : row.prompt.length + index - 1;
    const positions = row.prompt.length + index;
    const letter = continuation[index % continuation.length] as string;
    const lane = (count: number) => ({
      positions: count,
      multiply_adds: count * 1e6 + count * count * 100,
      bytes_read: 5_000_000 + count * 1024,
      ms: count * 0.11,
    });
    const last = index + 1 >= (row.policy['max_new_tokens'] as number);
    const step: EngineStep = {
      row: id,
      phase: index === 0 ? 'prefill' : 'decode',
      past,
      token: letter.charCodeAt(0),
      text: letter,
      probability: 0.75,
      coin: 0.5,
      finish_reason: letter === '\n' ? 'stop_token' : last ? 'length' : null,
      cached: lane(positions - past),
      full: row.parity ? lane(positions) : null,
      parity: row.parity
        ? { tokens: 1, identical_tokens: 1, logits_compared: 256, differing_bits: 0 }
        : { tokens: 0, identical_tokens: 0, logits_compared: 0, differing_bits: 0 },
      positions,
      cache: { formula: positions * 1024, used: positions * 1024 + 256, allocated: 262_144 },
    };
    row.steps.push(step);
    return step;
  }

  cancel(id: number): void {
    const row = this.row(id);
    row.aborted = row.steps.at(-1)?.finish_reason == null;
  }

  rewind(id: number, tokens: number): void {
    const { steps } = this.row(id);
    if (tokens > steps.length) throw new FakeError('invalid_option', `rewind: expected at most ${steps.length} tokens`);
    steps.length -= tokens;
  }

  save(id: number): Uint8Array {
    const { prompt, policy, parity } = this.row(id);
    return new TextEncoder().encode(JSON.stringify({ prompt, policy, parity }));
  }

  restore(file: Uint8Array): number {
    const { prompt, policy, parity } = JSON.parse(new TextDecoder().decode(file)) as Row;
    return this.startRow(prompt, JSON.stringify(policy), JSON.stringify({ parity }));
  }

  inspect(id: number, position: number): string {
    this.row(id);
    return JSON.stringify({ position, tokens: [], layers: [], rope: { pairing: 'halves', theta: 1, pairs: [] } });
  }

  mapCache(id: number): string {
    this.row(id);
    return JSON.stringify({ positions: 0, capacity: 0, bytes: { formula: 0, used: 0, allocated: 0 }, key_norms: [] });
  }

  private trainingStep = 0;

  beginTraining(requestJson: string): string {
    const { text } = JSON.parse(requestJson) as { text: string };
    if (text === '') throw new FakeError('bad_data', 'train: text: expected some, found none');
    this.trainingStep = 0;
    return JSON.stringify({ stage: 'training', step: 0, steps: 4, loss: null });
  }

  trainStep(): string {
    this.trainingStep += 1;
    const stage = this.trainingStep === 4 ? 'bundle' : 'training';
    return JSON.stringify({ stage, step: this.trainingStep, steps: 4, loss: 1 / this.trainingStep });
  }

  endTraining(): string {
    if (this.trainingStep === 0) throw new FakeError('aborted', 'train: expected at least one step');
    this.rows.clear();
    return JSON.stringify({ steps: this.trainingStep, loss: 0.25, files: ['manifest.json'] });
  }

  trainedFile(): Uint8Array {
    return new Uint8Array([1, 2, 3]);
  }

  dropTraining(): void {
    this.trainingStep = 0;
  }

  lesson(name: string): string {
    return JSON.stringify({ name });
  }

  finish(id: number): string {
    const result = this.result(id);
    this.rows.delete(id);
    return result;
  }

  result(id: number): string {
    const { steps, aborted, prompt, policy } = this.row(id);
    const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);
    const cost = (of: EngineStep[]) => ({
      positions: sum(of.map((step) => step.cached.positions)),
      multiply_adds: sum(of.map((step) => step.cached.multiply_adds)),
      bytes_read: sum(of.map((step) => step.cached.bytes_read)),
      ms: sum(of.map((step) => step.cached.ms)),
    });
    const tally = (key: keyof EngineStep['parity']): number => sum(steps.map((step) => step.parity[key]));
    const result: RunResult = {
      text: steps.map((step) => step.text).join(''),
      ids: steps.map((step) => step.token as number),
      finish_reason: aborted ? 'aborted' : (steps.at(-1)?.finish_reason ?? null),
      policy: policy as EffectivePolicy,
      prompt_tokens: prompt.length,
      reused_positions: Math.max(0, prompt.length - 2),
      prefill: { ...cost(steps.slice(0, 1)), positions: Math.min(2, prompt.length) },
      decode: cost(steps.slice(1)),
      full: { positions: 0, multiply_adds: 0, bytes_read: 0, ms: 0 },
      parity: {
        tokens: tally('tokens'),
        identical_tokens: tally('identical_tokens'),
        logits_compared: tally('logits_compared'),
        differing_bits: tally('differing_bits'),
      },
      cache: steps.at(-1)?.cache ?? { formula: 0, used: 0, allocated: 0 },
    };
    return JSON.stringify(result);
  }

  describeCache(): string {
    return JSON.stringify({ formula: 0, used: 0, allocated: 262_144 });
  }

  growth(positions: number[]): string {
    const lane = { positions: 1, multiply_adds: 1, bytes_read: 1 };
    return JSON.stringify(positions.map((count) => ({ positions: count, cache_bytes: 0, cached: lane, full: lane })));
  }

  listFaults(): string {
    return JSON.stringify({ faults: [], detectors: [] });
  }

  detect(fault: string): string {
    return JSON.stringify({ fault, seen: [] });
  }

  checkParity(): string {
    return JSON.stringify({ tokens: 0, logits_compared: 0, differing_bits: 0, not_exercised: [], schedules: [] });
  }

  delete(): void {
    this.deleted = true;
  }
}
