// How far an engine is: loading, ready or failed. Plain data, told to whoever holds the engine.

import type { EngineError } from './errors';
import type { Description, LoadProgress } from './protocol';

export type LoadState =
  | { kind: 'loading'; progress: LoadProgress }
  | { kind: 'ready'; description: Description }
  | { kind: 'failed'; error: EngineError };

export const notStarted: LoadState = { kind: 'loading', progress: { stage: 'engine', received: 0, total: 0 } };
