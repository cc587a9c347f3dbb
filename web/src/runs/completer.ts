// Asks for completions of a text that is being typed: one request at a time, and of the texts that came meanwhile only
// the newest. It draws nothing and knows no element.

import type { LanguageModel } from '../engine/client';
import { toEngineError, type EngineError } from '../engine/errors';
import type { RunResult } from '../engine/protocol';
import { Newest } from './newest';

export interface Suggestion {
  /** The text that it continues. */
  text: string;
  /** What to add to it; empty when the model would add nothing. */
  addition: string;
  result: RunResult;
}

export interface CompleterListener {
  onSuggestion: (suggestion: Suggestion) => void;
  onError: (error: EngineError) => void;
}

/** A line of the corpus has at most 200 bytes: with so many tokens it is whole. */
const maxNewTokens = 64;

export class Completer {
  private readonly newest = new Newest<string>((text, isWanted) => this.complete(text, isWanted));

  constructor(
    private readonly model: Pick<LanguageModel, 'complete'>,
    private readonly listener: CompleterListener,
  ) {}

  /** Asks for the completion of a text. An answer for any other text is dropped. */
  want(text: string): void {
    this.newest.want(text);
  }

  /** Drops what is asked for. */
  forget(): void {
    this.newest.forget();
  }

  private async complete(text: string, isWanted: () => boolean): Promise<void> {
    try {
      const result = await this.model.complete(text, { max_new_tokens: maxNewTokens });
      if (isWanted()) this.listener.onSuggestion({ text, addition: additionOf(result), result });
    } catch (error) {
      if (isWanted()) this.listener.onError(toEngineError(error));
    }
  }
}

/**
 * What a text box shows of a completion: one line, since it holds one, and of a line that was cut short its whole words.
 */
export function additionOf({ text, finish_reason }: Pick<RunResult, 'text' | 'finish_reason'>): string {
  const [line = ''] = text.split('\n', 1);
  const isCut = line === text && (finish_reason === 'length' || finish_reason === 'context_full');
  return isCut ? line.replace(/\s*\S*$/, '') : line;
}

/** The part of an addition that one step to the right accepts: white space, then a word. */
export const nextWord = (addition: string): string => /^\s*\S*/.exec(addition)?.[0] ?? '';
