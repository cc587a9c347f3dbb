// A run: one completion or generation as the page follows it, step by step, and the sums of what its steps cost.
// Everything in it was measured or counted by the engine; adding up is all that happens here.

import type { EngineError } from '../engine/errors';
import type { CacheBytes, JsonObject, LaneCost, ParityTally, RunResult, RunStep } from '../engine/protocol';
import type { Recording } from './recording';

export interface Run {
  /** Runs are numbered as they begin. */
  number: number;
  source: 'completion' | 'generation';
  prompt: string;
  steps: readonly RunStep[];
  result: RunResult | null;
  error: EngineError | null;
  /** Of a run that was recorded: which model made it, since no engine may be there to ask. */
  recorded: { by: string; architecture: JsonObject } | null;
}

let begun = 0;

export function beginRun(source: Run['source'], prompt: string): Run {
  begun += 1;
  return { number: begun, source, prompt, steps: [], result: null, error: null, recorded: null };
}

/** Number 0: any run that begins comes after it. */
export function recordedRun({ name, model_version, architecture, text, steps, result }: Recording): Run {
  const recorded = { by: `${name} ${model_version}`, architecture };
  return { number: 0, source: 'completion', prompt: text, steps, result, error: null, recorded };
}

export const isRunning = (run: Run): boolean => run.result === null && run.error === null;

export const withStep = (run: Run, step: RunStep): Run => ({ ...run, steps: [...run.steps, step] });

/** The steps that chose a token: a long prompt takes several steps before the first one. */
export const tokenSteps = (run: Run): RunStep[] => run.steps.filter((step) => step.token !== null);

/** One token of a run and what it cost: passes over a long prompt that chose no token belong to the next one. */
export interface TokenCost {
  step: RunStep;
  cached: LaneCost;
  /** Null when it was not compared. */
  full: LaneCost | null;
}

export function tokenCosts(steps: readonly RunStep[]): TokenCost[] {
  const costs: TokenCost[] = [];
  let waiting: LaneCost[] = [];
  for (const step of steps) {
    waiting.push(step.cached);
    if (step.token === null) continue;
    costs.push({ step, cached: addCosts(waiting), full: step.full });
    waiting = [];
  }
  return costs;
}

/** The steps that are left when a row gives back its last tokens. */
export function withoutLastTokens(steps: readonly RunStep[], tokens: number): RunStep[] {
  const chosen = steps.flatMap((step, index) => (step.token === null ? [] : [index]));
  const first = tokens > 0 ? chosen.at(-Math.min(tokens, chosen.length)) : undefined;
  return first === undefined ? [...steps] : steps.slice(0, first);
}

export interface RunTotals {
  cached: LaneCost;
  /** Null when no token was compared. */
  full: LaneCost | null;
  /** Until the first token. */
  prefill: LaneCost;
  /** From the second token on. */
  decode: LaneCost;
  parity: ParityTally;
  cache: CacheBytes | null;
}

const noCost: LaneCost = { positions: 0, multiply_adds: 0, bytes_read: 0, ms: 0 };

function addCosts(costs: readonly LaneCost[]): LaneCost {
  return costs.reduce(
    (sum, cost) => ({
      positions: sum.positions + cost.positions,
      multiply_adds: sum.multiply_adds + cost.multiply_adds,
      bytes_read: sum.bytes_read + cost.bytes_read,
      ms: sum.ms + cost.ms,
    }),
    noCost,
  );
}

function addTallies(tallies: readonly ParityTally[]): ParityTally {
  const sum = (key: keyof ParityTally): number => tallies.reduce((total, tally) => total + tally[key], 0);
  return {
    tokens: sum('tokens'),
    identical_tokens: sum('identical_tokens'),
    logits_compared: sum('logits_compared'),
    differing_bits: sum('differing_bits'),
  };
}

/** Of a run, or of any steps. */
export function totals({ steps }: Pick<Run, 'steps'>): RunTotals {
  const ofPhase = (phase: RunStep['phase']): LaneCost =>
    addCosts(steps.filter((step) => step.phase === phase).map((step) => step.cached));
  const full = steps.map((step) => step.full).filter((cost) => cost !== null);
  return {
    cached: addCosts(steps.map((step) => step.cached)),
    full: full.length === 0 ? null : addCosts(full),
    prefill: ofPhase('prefill'),
    decode: ofPhase('decode'),
    parity: addTallies(steps.map((step) => step.parity)),
    cache: steps.at(-1)?.cache ?? null,
  };
}
