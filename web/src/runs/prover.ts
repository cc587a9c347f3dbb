// Proves a suggestion when the typing rests: it is generated once more, with every token compared against the full prefix,
// and told step by step. It draws nothing and knows no element.

import type { LanguageModel } from '../engine/client';
import { toEngineError } from '../engine/errors';
import type { Suggestion } from './completer';
import { beginRun, withStep, type Run } from './run';

/** So long after the last key the typing counts as resting. */
const restMilliseconds = 350;

export class Prover {
  private rest: ReturnType<typeof setTimeout> | undefined;
  private proof: AbortController | null = null;

  constructor(
    private readonly model: Pick<LanguageModel, 'generate'>,
    private readonly onRun: (run: Run) => void,
  ) {}

  /** Proves it, unless it is forgotten before the typing rests. */
  want(suggestion: Suggestion): void {
    this.forget();
    this.rest = setTimeout(() => void this.prove(suggestion), restMilliseconds);
  }

  /** After this nothing is told of what was wanted. */
  forget(): void {
    clearTimeout(this.rest);
    this.proof?.abort();
    this.proof = null;
  }

  private async prove({ text, result }: Suggestion): Promise<void> {
    const { signal } = (this.proof = new AbortController());
    let run = beginRun('completion', text);
    const tell = (next: Run): void => {
      run = next;
      if (!signal.aborted) this.onRun(run);
    };
    tell(run);
    try {
      const proved = await this.model.generate(text, {
        policy: result.policy,
        parity: true,
        heal: true,
        signal,
        onStep: (step) => tell(withStep(run, step)),
      });
      tell({ ...run, result: proved });
    } catch (error) {
      tell({ ...run, error: toEngineError(error) });
    }
  }
}
