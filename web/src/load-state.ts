// How far the page's model is: loading, ready or failed. Plain data that main.ts hands to the elements.

import type { EngineError } from './engine/errors';
import type { Description, LoadProgress } from './engine/protocol';

export type LoadState =
  | { kind: 'loading'; progress: LoadProgress }
  | { kind: 'ready'; description: Description }
  | { kind: 'failed'; error: EngineError };

export const notStarted: LoadState = { kind: 'loading', progress: { stage: 'engine', received: 0, total: 0 } };
