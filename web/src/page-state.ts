// The page's state as the part of its address after '#': a link carries the text, the prompt and the policy with its
// seed. Pure functions of text; main.ts reads and writes the address.

import { initialFields, modes, numberOptions, type PolicyFields } from './policy-fields';

export interface PageState {
  text: string;
  prompt: string;
  fields: PolicyFields;
}

export const initialState: PageState = { text: '', prompt: 'docker run', fields: initialFields };

/** A longer text is not carried: addresses have limits, and writing one takes time. */
const maxCarried = 2000;

/** Whether a fragment carries a state: one that names a place on the page ("#try") does not. */
export function carriesState(fragment: string): boolean {
  const known = ['text', 'prompt', 'mode', ...numberOptions, 'stop'];
  return [...new URLSearchParams(fragment.replace(/^#/, '')).keys()].some((name) => known.includes(name));
}

/** Reads a fragment. What it does not name stays as it is at first; what it does not know is left out. */
export function readState(fragment: string): PageState {
  const values = new URLSearchParams(fragment.replace(/^#/, ''));
  const numbers = { ...initialFields.numbers };
  for (const name of numberOptions) numbers[name] = values.get(name) ?? numbers[name];
  return {
    text: values.get('text') ?? initialState.text,
    prompt: values.get('prompt') ?? initialState.prompt,
    fields: {
      mode: modes.find((mode) => mode === values.get('mode')) ?? initialFields.mode,
      numbers,
      stop: values.get('stop') ?? initialFields.stop,
    },
  };
}

/** The fragment of a state, without '#': empty for the initial one. */
export function writeState({ text, prompt, fields }: PageState): string {
  const values = new URLSearchParams();
  const put = (name: string, value: string, initial: string): void => {
    if (value !== initial && value.length <= maxCarried) values.set(name, value);
  };
  put('text', text, initialState.text);
  put('prompt', prompt, initialState.prompt);
  put('mode', fields.mode, initialFields.mode);
  for (const name of numberOptions) put(name, fields.numbers[name], initialFields.numbers[name]);
  put('stop', fields.stop, initialFields.stop);
  return values.toString();
}
