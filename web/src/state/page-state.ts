// The page's state as the part of its address after '#': a link carries the text, the prompt and the policy with its
// seed, and what is set in the sections. Pure functions of text; main.ts reads and writes the address.

import type { BundlePart } from '../engine/protocol';
import { initialFields, modes, numberOptions, type PolicyFields } from './policy-fields';
import { initialSections, initialValues, readSections, sectionValues, type SectionState } from './section-state';

export interface PageState {
  text: string;
  prompt: string;
  fields: PolicyFields;
  sections: SectionState;
  /** The bundle that the state was made with, as bundleMark() writes it; empty when no model had loaded. */
  bundle: string;
}

/** The text is that of the recorded run, which the page shows at first. */
export const initialState: PageState = {
  text: 'docker run --',
  prompt: 'docker run',
  fields: initialFields,
  sections: initialSections,
  bundle: '',
};

/** So much of each part's hash tells bundles apart; anybody who would deceive can do so in the same address. */
const markDigits = 8;

/** A bundle by its parts: `weights.f2ac5e3b*tokenizer.51604ad5`. */
export const bundleMark = (parts: readonly BundlePart[]): string =>
  parts.map(({ name, sha256 }) => `${name}.${sha256.slice(0, markDigits)}`).join('*');

/** Where the bundle of a state differs from the one that is loaded: a part's name, with what was expected and found. */
export function bundleDifferences(mark: string, parts: readonly BundlePart[]): Array<[string, string, string]> {
  const read = (text: string): Map<string, string> =>
    new Map(text.split('*').map((part) => [part.split('.')[0] ?? '', part.split('.')[1] ?? '']));
  if (mark === '') return [];
  const expected = read(mark);
  const found = read(bundleMark(parts));
  return [...new Set([...expected.keys(), ...found.keys()])]
    .map((name): [string, string, string] => [name, expected.get(name) ?? '', found.get(name) ?? ''])
    .filter(([, one, other]) => one !== other);
}

/** A longer text is not carried: addresses have limits, and writing one takes time. */
const maxCarried = 2000;

/** What an address calls the parts of a state. */
export const stateNames = ['text', 'prompt', 'mode', ...numberOptions, 'stop', ...Object.keys(initialValues), 'bundle'];

/** Whether a fragment carries a state: one that names a place on the page ("#try") does not. */
export function carriesState(fragment: string): boolean {
  const values = new URLSearchParams(fragment.replace(/^#/, ''));
  return stateNames.some((name) => values.has(name));
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
    sections: readSections((name) => values.get(name)),
    bundle: values.get('bundle') ?? '',
  };
}

/** The fragment of a state, without '#': empty for the initial one. */
export function writeState({ text, prompt, fields, sections, bundle }: PageState): string {
  const values = new URLSearchParams();
  const put = (name: string, value: string, initial: string): void => {
    if (value !== initial && value.length <= maxCarried) values.set(name, value);
  };
  put('text', text, initialState.text);
  put('prompt', prompt, initialState.prompt);
  put('mode', fields.mode, initialFields.mode);
  for (const name of numberOptions) put(name, fields.numbers[name], initialFields.numbers[name]);
  put('stop', fields.stop, initialFields.stop);
  for (const [name, value] of Object.entries(sectionValues(sections))) put(name, value, initialValues[name] ?? '');
  // Which bundle makes no difference to the initial state.
  if (values.size > 0) put('bundle', bundle, '');
  return values.toString();
}
