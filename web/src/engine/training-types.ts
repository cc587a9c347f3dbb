// What a training in the worker is asked, tells and gives, as types. The messages that carry them are protocol.ts's.

import type { Description } from './protocol';

/** A small model to train on a text in the page. What is left out has the engine's default for the text's size. */
export interface TrainingRequest {
  text: string;
  name?: string;
  /** A document is a line of the text, or the whole of it. */
  unit?: 'line' | 'stream';
  /** One small batch again and again, without a held-out part: the loss must fall to almost nothing. */
  overfit?: boolean;
  steps?: number;
  vocab_size?: number;
  d_model?: number;
  n_layers?: number;
  n_heads?: number;
  n_kv_heads?: number;
  d_ff?: number;
  max_seq_len?: number;
  learning_rate?: number;
  seed?: number;
}

/** Losses are mean cross entropies of a token in nats. */
export interface TrainingProgress {
  stage: 'tokenizer' | 'baseline' | 'training' | 'bundle';
  step: number;
  steps: number;
  loss: number | null;
  /** Of the last evaluation; null before the first, and without a held-out part. */
  held_out_loss: number | null;
  /** Of the n-gram baseline, on the same held-out text, or on the batch that is overfitted. */
  baseline_loss: number | null;
  gradient_norm: number | null;
  learning_rate: number | null;
  parameters: number;
  tokens_seen: number;
  ms: number;
}

/** A trained model, which the engine that trained it has loaded, and its bundle as files. */
export interface TrainingResult {
  /** Fewer than planned when it was stopped; what was learned until then is kept. */
  steps: number;
  loss: number;
  held_out_loss: number | null;
  baseline_loss: number | null;
  description: Description;
  files: Array<{ name: string; bytes: Uint8Array }>;
}
