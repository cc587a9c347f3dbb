// Runs a fault's demonstration twice, healthy and with the fault, and puts both beside each other token by token. The
// engine does the rest: here nothing is computed but which tokens are the same.

import type { LanguageModel } from '../engine/client';
import type { PolicyOptions, RowOptions, RunStep } from '../engine/protocol';
import { demonstrationOf, type Demonstration } from './fault-demonstrations';

/** A row of the demonstration: its tokens without the fault, and with it. */
export interface TrialRow {
  prompt: string;
  healthy: readonly RunStep[];
  broken: readonly RunStep[];
}

export interface Trial {
  fault: string;
  kind: Demonstration['kind'];
  rows: readonly TrialRow[];
}

export const noFault = 'none';

type Model = Pick<LanguageModel, 'tokenize' | 'start' | 'step' | 'finish'>;

const policy = (tokens: number): PolicyOptions => ({
  mode: 'sample',
  temperature: 0.8,
  seed: 7,
  max_new_tokens: tokens,
  stop_tokens: [],
});

export async function runTrial(model: Model, fault: string): Promise<Trial> {
  const demonstration = demonstrationOf(fault);
  const prompts = await promptsOf(model, demonstration);
  const healthy = await runRows(model, demonstration, prompts, noFault);
  const broken = await runRows(model, demonstration, prompts, fault);
  const rows = prompts.map((prompt, index) => ({ prompt, healthy: healthy[index] ?? [], broken: broken[index] ?? [] }));
  return { fault, kind: demonstration.kind, rows };
}

async function promptsOf(model: Model, { rows, promptTokens }: Demonstration): Promise<string[]> {
  const prompts = rows.map(({ prompt }) => prompt);
  const [first] = prompts;
  if (promptTokens !== undefined && first !== undefined) prompts[0] = await cutTo(model, first, promptTokens);
  return prompts;
}

/** The longest beginning of a text, in whole tokens, that makes a row of at most so many tokens. */
async function cutTo(model: Model, text: string, wanted: number): Promise<string> {
  const pieces = await model.tokenize(text);
  for (let length = Math.min(wanted, pieces.length); length > 0; length -= 1) {
    const beginning = pieces
      .slice(0, length)
      .map(({ piece }) => piece)
      .join('');
    const { row, tokens } = await model.start(beginning, policy(1), {});
    await model.finish(row);
    if (tokens.length <= wanted) return beginning;
  }
  return text;
}

/** Steps all rows together until each has ended; every one draws from a stream of its own. */
async function runRows(
  model: Model,
  { rows, before }: Demonstration,
  prompts: readonly string[],
  fault: string,
): Promise<RunStep[][]> {
  const options: RowOptions = fault === noFault ? { parity: true } : { parity: true, fault };
  const numbers: number[] = [];
  const drawn = rows.map((): RunStep[] => []);
  if (before) await runToItsEnd(model, before, options);
  try {
    for (const [index, { tokens }] of rows.entries()) {
      const { row } = await model.start(prompts[index] ?? '', policy(tokens), { ...options, stream: index });
      numbers.push(row);
    }
    const finished = new Set<number>();
    while (finished.size < numbers.length) {
      // A finished row is named, too: a healthy engine gives it no step.
      for (const step of await model.step(numbers)) {
        if (step.token !== null) drawn[numbers.indexOf(step.row)]?.push(step);
        if (step.finish_reason !== null) finished.add(step.row);
      }
    }
  } finally {
    for (const row of numbers) await model.finish(row);
  }
  return drawn;
}

/** A row for what it leaves in the cache alone. */
async function runToItsEnd(model: Model, { prompt, tokens }: { prompt: string; tokens: number }, options: RowOptions): Promise<void> {
  const { row } = await model.start(prompt, policy(tokens), options);
  try {
    let ended = false;
    while (!ended) ended = (await model.step([row])).every(({ finish_reason }) => finish_reason !== null);
  } finally {
    await model.finish(row);
  }
}

const tokensDiffer = ({ healthy, broken }: TrialRow): boolean =>
  healthy.length !== broken.length || healthy.some(({ token }, index) => token !== broken[index]?.token);

export const textChanged = ({ rows }: Trial): boolean => rows.some(tokensDiffer);

const differingBits = (steps: readonly RunStep[]): number =>
  steps.reduce((sum, { parity }) => sum + parity.differing_bits, 0);

export const bitsDiffer = ({ rows }: Trial): boolean => rows.some(({ broken }) => differingBits(broken) > 0);
