// TrainedController: what a visitor does with a model that was trained in the page: generates from it, and saves its
// bundle. The training itself is the element's.

import type { ReactiveControllerHost } from 'lit';

import { download, zipOfBundle } from '../browser/bundle-download';
import type { LanguageModel } from '../engine/client';
import { toEngineError, type EngineError } from '../engine/errors';
import type { RunResult } from '../engine/protocol';
import type { TrainingResult } from '../engine/training-types';

type Changed = Partial<Pick<TrainedController, 'prompt' | 'sample' | 'generating' | 'error'>>;

export class TrainedController {
  prompt = 'On Monday';
  /** What was generated last, and from what: the field may hold another prompt by now. */
  sample: { prompt: string; result: RunResult } | null = null;
  generating = false;
  error: EngineError | null = null;

  private model: LanguageModel | null = null;

  constructor(private readonly host: ReactiveControllerHost) {}

  /** Another model, or none: nothing was generated from it yet. */
  begin(model: LanguageModel | null): void {
    this.model = model;
    this.change({ sample: null, generating: false, error: null });
  }

  setPrompt(prompt: string): void {
    this.change({ prompt });
  }

  async generate(): Promise<void> {
    const { model, prompt } = this;
    if (model === null || this.generating) return;
    this.change({ sample: null, generating: true, error: null });
    // What ended with its model is nobody's news.
    const tell = (changed: Changed): void => {
      if (this.model === model) this.change({ ...changed, generating: false });
    };
    try {
      const result = await model.generate(prompt, { policy: { mode: 'greedy', max_new_tokens: 64 }, parity: true });
      tell({ sample: { prompt, result } });
    } catch (error) {
      tell({ error: toEngineError(error) });
    }
  }

  async save({ description: { name }, files }: TrainingResult): Promise<void> {
    try {
      download(`${name}.zip`, await zipOfBundle(name, files));
    } catch (error) {
      this.change({ error: toEngineError(error) });
    }
  }

  private change(changed: Changed): void {
    Object.assign(this, changed);
    this.host.requestUpdate();
  }
}
