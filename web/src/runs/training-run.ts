// A training in a worker of its own: its progress point by point, what came out, and how it ends. It draws nothing; the
// losses are the engine's.

import { LanguageModel } from '../engine/client';
import { toEngineError, type EngineError } from '../engine/errors';
import type { TrainingProgress, TrainingRequest, TrainingResult } from '../engine/training-types';

export interface TrainingState {
  /** One for each step that has told its loss. */
  points: readonly TrainingProgress[];
  /** The newest news, of any stage. */
  latest: TrainingProgress | null;
  result: TrainingResult | null;
  error: EngineError | null;
  running: boolean;
}

export const noTraining: TrainingState = { points: [], latest: null, result: null, error: null, running: false };

export class TrainingRun {
  /** It has the trained model loaded once the training has ended. */
  readonly model: LanguageModel;
  private state: TrainingState = { ...noTraining, running: true };
  private readonly stopper = new AbortController();
  private ended = false;

  constructor(
    private readonly urls: { workerUrl: string; moduleUrl: string },
    private readonly onState: (state: TrainingState) => void,
  ) {
    this.model = LanguageModel.start(urls.workerUrl);
  }

  async train(request: TrainingRequest): Promise<void> {
    this.tell({});
    try {
      await this.model.prepare(this.urls.moduleUrl);
      const result = await this.model.train(request, {
        signal: this.stopper.signal,
        onProgress: (progress) => this.follow(progress),
      });
      this.tell({ result, running: false });
    } catch (error) {
      this.tell({ error: toEngineError(error), running: false });
    }
  }

  /** Stops and keeps what was learned. */
  stop(): void {
    this.stopper.abort();
  }

  /** Ends the worker; after this nothing is told any more. */
  end(): void {
    this.ended = true;
    this.model.destroy();
  }

  private follow(progress: TrainingProgress): void {
    const points = progress.loss === null ? this.state.points : [...this.state.points, progress];
    this.tell({ points, latest: progress });
  }

  private tell(changed: Partial<TrainingState>): void {
    this.state = { ...this.state, ...changed };
    if (!this.ended) this.onState(this.state);
  }
}
