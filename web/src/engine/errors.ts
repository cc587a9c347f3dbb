// Error codes of the engine, and the one error class that carries them through the page.
// The list is src/base/error.hpp's, word for word; nothing here decides when an error arises.

export const errorMeanings = {
  invalid_option: 'An option is unknown, out of range, of the wrong type or contradicts another.',
  invalid_token: 'A token id is negative or not below the vocabulary size.',
  bad_json: 'A text is not valid JSON, repeats a key or is nested too deeply.',
  unsupported_format: 'The format is known but this version, type or feature of it is not.',
  bad_safetensors: 'A safetensors file breaks the rules of its format.',
  missing_tensor: 'A weight that the architecture needs is not in the file.',
  unexpected_tensor: 'A tensor in the file belongs to no weight of the architecture.',
  shape_mismatch: 'A tensor does not have the shape that the architecture gives it.',
  bad_config: 'A model configuration is incomplete, contradictory or out of range.',
  bad_tokenizer: "A tokenizer's vocabulary, merges or special tokens are inconsistent.",
  bad_manifest: "A bundle's manifest is incomplete or contradictory.",
  part_mismatch: 'A part of a bundle is absent, truncated or does not have its declared hash.',
  self_test_failed: 'The loaded model does not reproduce the vectors that its bundle declares.',
  bad_checkpoint: 'A training checkpoint is damaged or belongs to another run.',
  bad_session: 'A saved session is damaged, or belongs to another model or another dtype of cache.',
  bad_data: 'A data file is empty, too short or not of the expected form.',
  context_full: 'The KV cache has no position left for the tokens given.',
  batch_full: 'The batch has no free row.',
  not_loaded: 'No model is loaded, or the row or object named does not exist.',
  out_of_memory: 'An allocation was refused, or would pass the declared limit.',
  file_not_found: 'A file or folder does not exist.',
  file_unreadable: 'A file exists but cannot be read whole.',
  file_unwritable: 'A file cannot be written; what was there before is untouched.',
  not_finite: 'A number that must be finite is NaN or infinite; the message names the tensor.',
  aborted: 'The caller asked to stop before the result was ready.',
  internal: 'A promise of the library itself was broken: a fault of ours, please report it.',
} as const;

export type ErrorCode = keyof typeof errorMeanings;

/** An error as it crosses between worker and page, where an Error object would lose its code. */
export interface WireError {
  code: ErrorCode;
  message: string;
}

/** What every request of the page can fail with. The message says where, what was expected and what was found. */
export class EngineError extends Error {
  override readonly name = 'EngineError';

  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
  }
}

function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(errorMeanings, value);
}

/** Anything that was thrown, as an EngineError: the engine's own keep their code, the rest is our fault. */
export function toEngineError(thrown: unknown): EngineError {
  if (thrown instanceof EngineError) return thrown;
  const { code, message } = (thrown ?? {}) as { code?: unknown; message?: unknown };
  const text = typeof message === 'string' ? message : String(thrown);
  if (isErrorCode(code)) return new EngineError(code, text);
  if (thrown instanceof RangeError) return new EngineError('out_of_memory', text);
  return new EngineError('internal', text);
}

export function toWireError(thrown: unknown): WireError {
  const { code, message } = toEngineError(thrown);
  return { code, message };
}
