// The messages between the page and the worker that holds the model, as types. It sends nothing itself.
// Every request has an id, may be followed by events, and ends in exactly one result or one error. Objects that the
// engine makes keep the engine's own names (src/session/session_json.cpp), so that one thing has one name everywhere.

import type { WireError } from './errors';

/** What one way of computing logits cost. */
export interface LaneCost {
  positions: number;
  multiply_adds: number;
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

/** One forward pass of a row, as the engine tells it; `token` is null while the prompt is not done. */
export interface EngineStep {
  phase: 'prefill' | 'decode';
  past: number;
  token: number | null;
  /** New text, possibly empty: a character may need several tokens. */
  text: string;
  probability: number;
  finish_reason: FinishReason | null;
  cached: LaneCost;
  full: LaneCost | null;
  parity: ParityTally;
  positions: number;
  cache: CacheBytes;
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
  complete: { params: { text: string; policy: PolicyOptions }; event: never; result: RunResult };
  generate: {
    params: { prompt: string; policy: PolicyOptions; parity: boolean; heal: boolean };
    event: RunStep;
    result: RunResult;
  };
  tokenize: { params: { text: string }; event: never; result: TokenPiece[] };
  cache: { params: object; event: never; result: CacheBytes };
}

export type RequestKind = keyof Requests;

export type Request = {
  [K in RequestKind]: { kind: K; id: number; params: Requests[K]['params'] };
}[RequestKind];

/** From the page to the worker. Aborting a request that has ended does nothing. */
export type ToWorker = Request | { kind: 'abort'; id: number };

/** From the worker to the page. */
export type FromWorker =
  | { kind: 'event'; id: number; event: unknown }
  | { kind: 'result'; id: number; result: unknown }
  | { kind: 'error'; id: number; error: WireError };
