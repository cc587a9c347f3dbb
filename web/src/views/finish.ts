// Why a row ended, in words. Text in, text out.

import type { FinishReason } from '../engine/protocol';
import { messages } from '../messages';

const texts: Record<FinishReason, string> = messages('finish', {
  stop_token: 'the model ended the text',
  stop_string: 'a stop string appeared',
  length: 'max new tokens reached',
  context_full: 'the context is full',
  aborted: 'stopped by you',
  failed: 'the logits could not be sampled',
});

export const finishText = (reason: FinishReason): string => texts[reason];
