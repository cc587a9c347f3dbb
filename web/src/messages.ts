// Every sentence of an element, by scope and name, so that a page in another language can put its own in their place.
// Texts are plain: what stands in braces is filled in, and nothing in them is markup.

import { rightToLeft } from './direction';

export type Messages<Name extends string> = Readonly<Record<Name, string>>;

const replaced = new Map<string, string>();
const listeners = new Set<() => void>();

/** The messages of one element: its defaults, less what a page has replaced by the time one is read. */
export function messages<Name extends string>(scope: string, defaults: Messages<Name>): Messages<Name> {
  const read = {} as Record<Name, string>;
  for (const name of Object.keys(defaults) as Name[]) {
    Object.defineProperty(read, name, {
      enumerable: true,
      get: () => replaced.get(`${scope}.${name}`) ?? defaults[name],
    });
  }
  return read;
}

/** Puts texts in the place of others: `{'lanes.title': '...'}`. Elements that are shown already are rendered again. */
export function replaceMessages(texts: Readonly<Record<string, string>>): void {
  for (const [key, text] of Object.entries(texts)) replaced.set(key, text);
  for (const listener of listeners) listener();
}

export function onMessagesReplaced(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Fills `{name}` with the value of that name. A value stands isolated in a text that runs from right to left: "34.5 %" would
    be turned round in it. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  const [before, after] = rightToLeft.test(text) ? ['\u2068', '\u2069'] : ['', ''];
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => (name in values ? `${before}${values[name]}${after}` : whole));
}
