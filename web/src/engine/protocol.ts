// The messages between the page and the worker that holds the model, as types. It sends nothing itself.
// Every request has an id, may be followed by events, and ends in exactly one result or one error. Objects that the
// engine makes keep the engine's own names (src/session/session_json.cpp), so that one thing has one name everywhere.

import type { WireError } from './errors';
import type { LessonName, Lessons } from './lesson-types';
import type { TrainingProgress, TrainingRequest, TrainingResult } from './training-types';

/** What one way of computing logits cost. */
export interface LaneCost {
  positions: number;
  multiply_adds: number;
  /** Of weights and of the cache, by formula: what a pass of this row alone reads. */
  bytes_read: number;
  ms: number;
}

/** Cached logits against those of the whole prefix. */
export interface ParityTally {
  tokens: number;
  identical_tokens: number;
  logits_compared: number;
  differing_bits: number;
}

/** Bytes of a KV cache: by formula for the committed positions, as laid out for them, and as allocated in all. */
export interface CacheBytes {
  formula: number;
  used: number;
  allocated: number;
}

/**
 * The effective policy of docs/policy.md: every option that has an effect, so in mode "greedy" none that only sampling
 * has. The seed is absent where none was needed yet: in the policy of a bundle.
 */
export type EffectivePolicy = {
  version: number;
  mode: 'sample' | 'greedy';
  /** By token id. */
  logit_bias: Record<string, number>;
  repetition_penalty: number;
  presence_penalty: number;
  frequency_penalty: number;
  penalty_window: number;
  penalty_prompt: boolean;
  temperature?: number;
  top_k?: number;
  top_p?: number;
  min_p?: number;
  seed?: number;
  max_new_tokens: number;
  min_new_tokens: number;
  stop_tokens: number[];
  stop: string[];
  context_overflow: 'stop';
};

/** Options by name. Their values are whatever was given: the engine alone judges them. */
export type PolicyOptions = { readonly [Option in keyof EffectivePolicy]?: unknown };

export type FinishReason = 'stop_token' | 'stop_string' | 'length' | 'context_full' | 'aborted' | 'failed';

export type StageName = 'model' | 'penalties' | 'temperature' | 'top_k' | 'top_p' | 'min_p' | 'greedy';

/** What a draw went through, most probable token first. */
export interface Distribution {
  /** In their order; `kept` tokens are left after each. */
  stages: Array<{ name: StageName; kept: number }>;
  /** `probabilities` has one entry for each stage; a logit of minus infinity is null. */
  tokens: Array<{ token: number; text: string; rank: number; logit: number | null; probabilities: number[] }>;
  chosen_rank: number;
  model_probability: number;
}

/** One forward pass of a row, as the engine tells it; `token` is null while the prompt is not done. */
export interface EngineStep {
  row: number;
  phase: 'prefill' | 'decode';
  past: number;
  token: number | null;
  /** New text, possibly empty: a character may need several tokens. */
  text: string;
  /** Of the token under the policy. */
  probability: number;
  /** The uniform number that decided, in [0, 1). */
  coin: number;
  /** Where the row was started with `trace`. */
  distribution?: Distribution;
  finish_reason: FinishReason | null;
  cached: LaneCost;
  full: LaneCost | null;
  parity: ParityTally;
  positions: number;
  cache: CacheBytes;
  /** With the finish reason "failed": why. */
  error?: WireError;
}

/** A step with the token's own spelling, also when it adds nothing to the text yet. */
export interface RunStep extends EngineStep {
  piece: string;
}

/** A row from its prompt to where it stands. */
export interface RunResult {
  text: string;
  ids: number[];
  finish_reason: FinishReason | null;
  /** The effective policy, its seed included: the same options again give the same tokens. */
  policy: EffectivePolicy;
  prompt_tokens: number;
  reused_positions: number;
  prefill: LaneCost;
  decode: LaneCost;
  full: LaneCost;
  parity: ParityTally;
  cache: CacheBytes;
}

export interface BundlePart {
  name: string;
  file: string;
  bytes: number;
  sha256: string;
}

export type JsonObject = Record<string, unknown>;

/** How a row is run beside its policy. */
export interface RowOptions {
  /** Recompute the whole prefix for every token and compare every logit. */
  parity?: boolean;
  /** Begin before the prompt's last word, and let the first tokens spell it. */
  heal?: boolean;
  /** Tell the distribution of every draw, so many of its tokens. */
  trace?: number;
  /** Which random stream of the seed the row draws from. */
  stream?: number;
  /** Run every step of this row, and of no other, with this fault (see `faults`) in the cached lane. */
  fault?: string;
}

/** What happened inside the model at one position of a row, from a pass over the prefix that recorded it. */
export interface Inside {
  position: number;
  /** The tokens of positions 0 to `position`. */
  tokens: TokenPiece[];
  layers: Array<{
    /** By query head, the attention weights of `position` over positions 0 to `position`. */
    attention: number[][];
    /** The root mean square of the residual stream before the layer, after attention, and after the MLP. */
    residual_rms: { before: number; after_attention: number; after_mlp: number };
    /** What the head reads from the stream after this layer: the most probable tokens, best first. */
    lens: Array<TokenPiece & { probability: number }>;
  }>;
  /** The first query head of the first layer at `position`, before and after its rotation. */
  rope: {
    pairing: string;
    theta: number;
    /** `angle` is in radians: position times frequency. */
    pairs: Array<{ frequency: number; angle: number; before: [number, number]; after: [number, number] }>;
  };
}

/** What a row's cache holds: the length of each key vector, by layer, key/value head and position. */
export interface CacheMap {
  positions: number;
  /** Positions that fit. */
  capacity: number;
  bytes: CacheBytes;
  key_norms: number[][][];
}

/** What a decode step at each length costs in the loaded model, in both lanes, and the cache's bytes by formula. */
export interface GrowthPoint {
  positions: number;
  cache_bytes: number;
  cached: Omit<LaneCost, 'ms'>;
  full: Omit<LaneCost, 'ms'>;
}

export interface NamedMeaning {
  name: string;
  /** The file that answers for it. */
  owner: string;
  meaning: string;
}

/** Every mutation that the engine can be given, and every detector that looks for them (docs/exactness.md). */
export interface FaultList {
  faults: NamedMeaning[];
  detectors: NamedMeaning[];
}

/** What the detectors saw with one fault, or with "none". */
export interface Sightings {
  fault: string;
  seen: Array<{ detector: string; where: string; expected: string; found: string }>;
}

export interface ParityReport {
  tokens: number;
  cache_dtype: string;
  logits_compared: number;
  differing_bits: number;
  not_exercised: string[];
  schedules: Array<{
    name: string;
    logits_compared: number;
    differing_bits: number;
    first_difference?: { token: number; logit: number; cached: number; full_prefix: number };
  }>;
}

/** What is loaded. */
export interface Description {
  name: string;
  model_version: string;
  bytes: number;
  parts: BundlePart[];
  architecture: JsonObject;
  parameters: number;
  policy: EffectivePolicy;
  self_test: { tokens: number; logits_sha256: string; passed: boolean } | null;
  memory: { weights: number; workspace: number };
  corpus: JsonObject;
  training: JsonObject;
  held_out: JsonObject;
}

/** How far a load is. Bytes are those of the bundle's files, not of their transfer encoding. */
export interface LoadProgress {
  stage: 'engine' | 'download' | 'start';
  received: number;
  total: number;
}

/** A token of a text: its id and its spelling. */
export interface TokenPiece {
  id: number;
  piece: string;
}

export interface Requests {
  load: { params: { moduleUrl: string; bundleUrl: string }; event: LoadProgress; result: Description };
  /** Starts the module without a bundle, unless it runs already: enough for lessons and training. */
  prepare: { params: { moduleUrl: string }; event: never; result: null };
  complete: { params: { text: string; policy: PolicyOptions }; event: never; result: RunResult };
  generate: {
    params: { prompt: string; policy: PolicyOptions; parity: boolean; heal: boolean };
    event: RunStep;
    result: RunResult;
  };
  tokenize: { params: { text: string }; event: never; result: TokenPiece[] };
  cache: { params: object; event: never; result: CacheBytes };
  /** A row that the page steps itself, until `finish`. */
  start: {
    params: { prompt: string; policy: PolicyOptions; options: RowOptions };
    event: never;
    result: { row: number; tokens: TokenPiece[]; policy: EffectivePolicy };
  };
  /** One forward pass for these rows together. Rows of one call have the same fault, or none. */
  step: { params: { rows: number[] }; event: never; result: RunStep[] };
  /** Takes back a row's last tokens; the next step draws again what it drew there before. */
  rewind: { params: { row: number; tokens: number }; event: never; result: RunResult };
  /** Ends a row and forgets it. */
  finish: { params: { row: number }; event: never; result: RunResult };
  /** A row that goes on, as a file, and back. */
  save: { params: { row: number }; event: never; result: Uint8Array };
  restore: { params: { file: Uint8Array }; event: never; result: { row: number; so_far: RunResult } };
  inspect: { params: { row: number; position: number }; event: never; result: Inside };
  cacheMap: { params: { row: number }; event: never; result: CacheMap };
  growth: { params: { positions: number[] }; event: never; result: GrowthPoint[] };
  faults: { params: object; event: never; result: FaultList };
  detect: { params: { fault: string }; event: never; result: Sightings };
  parity: { params: { prompt: string; tokens: number; seed: number }; event: never; result: ParityReport };
  /** An abort stops the training and keeps what was learned. */
  train: { params: TrainingRequest; event: TrainingProgress; result: TrainingResult };
  lesson: {
    params: { [L in LessonName]: { name: L; input: Lessons[L]['input'] } }[LessonName];
    event: never;
    result: Lessons[LessonName]['result'];
  };
}

export type RequestKind = keyof Requests;

export type Request = {
  [K in RequestKind]: { kind: K; id: number; params: Requests[K]['params'] };
}[RequestKind];

/** From the page to the worker. Aborting a request that has ended does nothing. */
export type ToWorker = Request | { kind: 'abort'; id: number };

/** What a request is answered with: any number of events, then one result or one error. */
export type Answer =
  | { kind: 'event'; id: number; event: unknown }
  | { kind: 'result'; id: number; result: unknown }
  | { kind: 'error'; id: number; error: WireError };

/** From the worker to the page. "begun" is the first message, once: the worker's script runs. */
export type FromWorker = { kind: 'begun' } | Answer;
