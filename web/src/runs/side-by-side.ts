// Runs one prompt under both modes of a policy, token by token, each draw with its distribution. Of the wishes that come
// while it works only the newest is done. It draws nothing and knows no element.

import type { LanguageModel } from '../engine/client';
import { toEngineError, type EngineError } from '../engine/errors';
import type { EffectivePolicy, FinishReason, PolicyOptions, RunStep } from '../engine/protocol';
import { modes, type Mode } from '../state/policy-fields';
import { Newest } from './newest';

export interface Wish {
  prompt: string;
  policies: Record<Mode, PolicyOptions>;
  tokens: number;
  /** So many tokens of each distribution. */
  trace: number;
}

/** A prompt under one mode: every step that chose a token. */
export interface Track {
  steps: readonly RunStep[];
  policy: EffectivePolicy | null;
  finish: FinishReason | null;
  error: EngineError | null;
}

export type Tracks = Record<Mode, Track>;

const empty: Track = { steps: [], policy: null, finish: null, error: null };
export const noTracks: Tracks = { greedy: empty, sample: empty };

type Model = Pick<LanguageModel, 'start' | 'step' | 'finish'>;

export class SideBySide {
  private readonly newest = new Newest<Wish>((wish, isWanted) => this.runBoth(wish, isWanted));

  constructor(
    private readonly model: Model,
    private readonly onTracks: (tracks: Tracks) => void,
  ) {}

  want(wish: Wish): void {
    this.newest.want(wish);
  }

  forget(): void {
    this.newest.forget();
  }

  private async runBoth(wish: Wish, isWanted: () => boolean): Promise<void> {
    const tracks = { ...noTracks };
    for (const mode of modes) tracks[mode] = await this.follow(mode, wish, isWanted);
    if (isWanted()) this.onTracks(tracks);
  }

  private async follow(mode: Mode, wish: Wish, isWanted: () => boolean): Promise<Track> {
    let track = empty;
    try {
      const { row, policy } = await this.model.start(wish.prompt, wish.policies[mode], { trace: wish.trace });
      track = { ...track, policy };
      try {
        while (track.steps.length < wish.tokens && track.finish === null && isWanted()) {
          for (const step of await this.model.step([row])) {
            const steps = step.token === null ? track.steps : [...track.steps, step];
            track = { ...track, steps, finish: step.finish_reason };
          }
        }
      } finally {
        await this.model.finish(row);
      }
      return track;
    } catch (error) {
      return { ...track, error: toEngineError(error) };
    }
  }
}
