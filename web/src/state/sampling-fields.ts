// The options of the policy's stages as a form of sliders holds them: texts, turned into what the engine is given. The
// engine alone judges them; a slider's range is what is worth trying, not what is allowed.

import type { PolicyOptions } from '../engine/protocol';
import { numberOrText, samplingOptions, type Mode } from './policy-fields';

/** Stages of both modes; those of mode "sample" alone are policy-fields.ts's. In the pipeline's order. */
export const penaltyOptions = ['repetition_penalty', 'presence_penalty', 'frequency_penalty', 'penalty_window'] as const;
export const stageOptions = [...penaltyOptions, 'penalty_prompt', ...samplingOptions] as const;

export type FieldOption = (typeof penaltyOptions)[number] | (typeof samplingOptions)[number];
export type StageOption = (typeof stageOptions)[number];

export interface SamplingFields {
  /** As typed; an empty text is an option that is not given. */
  numbers: Readonly<Record<FieldOption, string>>;
  penaltyPrompt: boolean;
}

export const initialSampling: SamplingFields = {
  numbers: {
    repetition_penalty: '',
    presence_penalty: '',
    frequency_penalty: '',
    penalty_window: '',
    temperature: '0.8',
    top_k: '12',
    top_p: '0.95',
    min_p: '0.035',
    seed: '7',
  },
  penaltyPrompt: false,
};

/** What a slider offers; `off` is where it stands for a text that is no number. */
export const sliders: Readonly<Record<Exclude<FieldOption, 'seed'>, { min: number; max: number; step: number; off: number }>> = {
  temperature: { min: 0.1, max: 2, step: 0.05, off: 1 },
  top_k: { min: 0, max: 100, step: 1, off: 0 },
  top_p: { min: 0.05, max: 1, step: 0.01, off: 1 },
  min_p: { min: 0, max: 0.5, step: 0.005, off: 0 },
  repetition_penalty: { min: 1, max: 3, step: 0.05, off: 1 },
  presence_penalty: { min: -2, max: 2, step: 0.1, off: 0 },
  frequency_penalty: { min: -2, max: 2, step: 0.1, off: 0 },
  penalty_window: { min: 0, max: 64, step: 1, off: 0 },
};

/** The options of one mode. Greedy draws nothing, so it is given nothing that only a draw has. */
export function stagePolicy({ numbers, penaltyPrompt }: SamplingFields, mode: Mode, maxNewTokens: number): PolicyOptions {
  const options: Record<string, unknown> = { mode, max_new_tokens: maxNewTokens };
  const names = mode === 'greedy' ? penaltyOptions : [...penaltyOptions, ...samplingOptions];
  for (const name of names) {
    if (numbers[name].trim() !== '') options[name] = numberOrText(numbers[name]);
  }
  if (penaltyPrompt) options['penalty_prompt'] = true;
  return options;
}

/** The seed after this one; 0 after a text that is no whole number. */
export function nextSeed(seed: string): string {
  const number = numberOrText(seed);
  return typeof number === 'number' && Number.isSafeInteger(number + 1) ? String(number + 1) : '0';
}
