// Which texts are too long to train on, told before one is laid out or handed over. All else about them the engine judges.

import { EngineError } from '../engine/errors';

/** What the engine trains on at most, in bytes; a text of more characters has more bytes. */
const most = 1024 * 1024;

/** The refusal of a text of so many characters; null when the engine may take it. */
export function refusedLength(length: number): EngineError | null {
  if (length <= most) return null;
  return new EngineError('invalid_option', `train: text: expected at most ${most} bytes, found at least ${length}`);
}

/** How long a field's text will be once what is being typed or pasted is in it. */
export function lengthAfter({ target, data }: InputEvent): number {
  const { value, selectionStart, selectionEnd } = target as HTMLTextAreaElement;
  return value.length - (selectionEnd - selectionStart) + (data?.length ?? 0);
}
