// What a visitor sets in each element, as names and texts and back: the form in which an address holds it. Pure functions;
// address.ts reads and writes addresses with them.

import type { VitrineStates } from '../public-types';
import { exampleText } from './example-text';
import { initialFields, modes, numberOrText, type PolicyFields } from './policy-fields';
import { initialSampling, type SamplingFields } from './sampling-fields';

/** The elements in which a visitor sets something. */
export type Stateful = keyof VitrineStates;
export type Texts = Readonly<Record<string, string>>;

interface Form<State> {
  /** As the element has it by itself. */
  initial: State;
  write: (state: State) => Texts;
  /** Every name that `write` gives has a text. */
  read: (texts: Texts) => State;
}

/** A state that consists of texts is its own form. */
const asItIs = <State extends Texts>(initial: State): Form<State> => ({
  initial,
  write: (state) => state,
  read: (texts) => texts as State,
});

export const forms: { [Name in Stateful]: Form<VitrineStates[Name]> } = {
  'vitrine-autocomplete': asItIs({ text: '' }),
  'vitrine-generator': {
    initial: { prompt: 'docker run', fields: initialFields },
    write: ({ prompt, fields: { mode, numbers, stop } }) => ({ prompt, mode, ...numbers, stop }),
    read: ({ prompt = '', mode, stop = '', ...numbers }) => ({
      prompt,
      fields: {
        mode: modes.find((known) => known === mode) ?? initialFields.mode,
        numbers: numbers as PolicyFields['numbers'],
        stop,
      },
    }),
  },
  'vitrine-parity': asItIs({ prompt: 'git commit -m', tokens: '40', seed: '7' }),
  'vitrine-lanes': asItIs({ prompt: 'tar --extract --file' }),
  'vitrine-sampling': {
    initial: { prompt: 'git', fields: initialSampling, tokens: 6 },
    write: ({ prompt, fields: { numbers, penaltyPrompt }, tokens }) => ({
      prompt,
      ...numbers,
      penalty_prompt: String(penaltyPrompt),
      tokens: String(tokens),
    }),
    read: ({ prompt = '', penalty_prompt, tokens, ...numbers }) => ({
      prompt,
      fields: { numbers: numbers as SamplingFields['numbers'], penaltyPrompt: penalty_prompt === 'true' },
      tokens: Number(tokens),
    }),
  },
  'vitrine-inside': {
    initial: { text: 'docker run --rm -it', position: null },
    write: ({ text, position }) => ({ text, position: String(position ?? '') }),
    // What is no position the element refuses, as it does in its attribute.
    read: ({ text = '', position = '' }) => ({ text, position: position === '' ? null : (numberOrText(position) as number) }),
  },
  'vitrine-faults': asItIs({ fault: 'none' }),
  'vitrine-training': {
    initial: { text: exampleText, way: 'text', steps: '', seed: '1' },
    write: (state) => state,
    read: ({ text = '', way, steps = '', seed = '' }) => ({ text, way: way === 'overfit' ? way : 'text', steps, seed }),
  },
};

export const isStateful = (name: string): name is Stateful => Object.hasOwn(forms, name);
