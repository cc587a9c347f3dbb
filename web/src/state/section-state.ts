// What a visitor sets in the page's sections, as names and texts for the address. Pure functions; page-state.ts puts them
// beside the rest of the page's state.

import { drawOptions, initialSampling, penaltyOptions, type FieldOption, type SamplingFields } from './sampling-fields';

export interface SectionState {
  lanes: { prompt: string };
  sampling: { prompt: string; fields: SamplingFields; tokens: number };
  /** A position of null is the last token. */
  inside: { text: string; position: number | null };
}

/** As the elements have it by themselves. */
export const initialSections: SectionState = {
  lanes: { prompt: 'tar --extract --file' },
  sampling: { prompt: 'git', fields: initialSampling, tokens: 6 },
  inside: { text: 'docker run --rm -it', position: null },
};

const options = [...penaltyOptions, ...drawOptions] as const;

/** Names have a dot, which no attribute of an element has: they share an address. */
export function sectionValues({ lanes, sampling, inside }: SectionState): Record<string, string> {
  const { numbers, penaltyPrompt } = sampling.fields;
  return {
    'lanes.prompt': lanes.prompt,
    'draw.prompt': sampling.prompt,
    'draw.tokens': String(sampling.tokens),
    ...Object.fromEntries(options.map((name) => [`draw.${name}`, numbers[name]])),
    'draw.penalty_prompt': String(penaltyPrompt),
    'inside.text': inside.text,
    'inside.position': inside.position === null ? '' : String(inside.position),
  };
}

export const initialValues = sectionValues(initialSections);

const countOr = <Other>(text: string, other: Other): number | Other => (/^\d{1,4}$/.test(text) ? Number(text) : other);

/** `valueOf` gives the text of a name, or null. A count that is none is as it is at first. */
export function readSections(valueOf: (name: string) => string | null): SectionState {
  const value = (name: string): string => valueOf(name) ?? initialValues[name] ?? '';
  const numbers = Object.fromEntries(options.map((name) => [name, value(`draw.${name}`)])) as Record<FieldOption, string>;
  return {
    lanes: { prompt: value('lanes.prompt') },
    sampling: {
      prompt: value('draw.prompt'),
      fields: { numbers, penaltyPrompt: value('draw.penalty_prompt') === 'true' },
      tokens: Math.max(1, countOr(value('draw.tokens'), initialSections.sampling.tokens)),
    },
    inside: { text: value('inside.text'), position: countOr(value('inside.position'), null) },
  };
}
