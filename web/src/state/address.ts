// What is set in the elements of a page, in its address: names and texts of a query or a fragment. Pure functions;
// kept-address.ts keeps an address with them.

import type { VitrineStates } from '../public-types';
import { forms, type Stateful, type Texts } from './element-states';

/** Where an address holds the state of an element: its names have a prefix where elements share the address. */
export interface Place {
  name: Stateful;
  prefix: string;
  /** What an address does not name is so. */
  initial: Texts;
}

/** `changed` is what the page shows at first in another way than the element by itself. */
export function placeOf<Name extends Stateful>(name: Name, prefix = '', changed: Partial<VitrineStates[Name]> = {}): Place {
  const { initial, write } = forms[name];
  return { name, prefix, initial: write({ ...initial, ...changed }) };
}

/** So long may a text be as an address spells it; a longer one is not carried, since servers refuse what is too long. */
const mostCarried = 4000;
const isCarried = (text: string): boolean => new URLSearchParams({ text }).toString().length <= mostCarried;

/** Names of an address. */
const namesOf = ({ prefix, initial }: Place): string[] => Object.keys(initial).map((name) => prefix + name);

/** Whether an address says something of these places. */
export const saysSomething = (places: Iterable<Place>, values: URLSearchParams): boolean =>
  [...places].flatMap(namesOf).some((name) => values.has(name));

/** The state in an address. What it names and nobody knows is left alone. */
export function readState({ name, prefix, initial }: Place, values: URLSearchParams): VitrineStates[Stateful] {
  const texts = Object.entries(initial).map(([key, text]) => [key, values.get(prefix + key) ?? text]);
  return forms[name].read(Object.fromEntries(texts) as Texts);
}

/** Puts a state into an address, less what is as it is at first. */
export function writeState({ name, prefix, initial }: Place, state: VitrineStates[Stateful], values: URLSearchParams): void {
  for (const [key, text] of Object.entries(forms[name].write(state as never))) {
    if (text === initial[key] || !isCarried(text)) values.delete(prefix + key);
    else values.set(prefix + key, text);
  }
}
