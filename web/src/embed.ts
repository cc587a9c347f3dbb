// vitrine.js: one module script that makes every public element known, on any page and with no other set-up. It loads an
// element's code when the element is first seen in the document, so a page pays for what it shows.

import type { ElementName } from './public-types';

const definitions: Record<ElementName, () => Promise<unknown>> = {
  'vitrine-autocomplete': () => import('./elements/autocomplete'),
  'vitrine-generator': () => import('./elements/generator'),
  'vitrine-proof': () => import('./elements/proof'),
  'vitrine-parity': () => import('./elements/parity'),
  'vitrine-lanes': () => import('./elements/lanes'),
  'vitrine-cache': () => import('./elements/cache'),
  'vitrine-sampling': () => import('./elements/sampling'),
  'vitrine-inside': () => import('./elements/inside'),
  'vitrine-faults': () => import('./elements/faults'),
  'vitrine-training': () => import('./elements/training'),
  'vitrine-lab': () => import('./lessons/index'),
};

/** The public elements. */
export const elementNames = Object.keys(definitions) as ElementName[];

/**
 * Defines these elements, or all; it resolves when they are, and rejects if the code of one did not load: asked again, it
 * tries again. Only elements in shadow roots, which are not seen from the document, need it, and who wants an element's class
 * at once.
 */
export async function define(...names: ElementName[]): Promise<void> {
  const wanted = names.length > 0 ? names : elementNames;
  // What has been imported is not loaded twice: that is the browser's to remember.
  await Promise.all(wanted.map((name) => definitions[name]()));
}

const isOurs = (name: string): name is ElementName => Object.hasOwn(definitions, name);

/** A failure to load is the browser's to report: it names the file. */
function discover(root: Element): void {
  if (isOurs(root.localName)) void define(root.localName);
  for (const element of root.querySelectorAll(elementNames.join(','))) void define(element.localName as ElementName);
}

discover(document.documentElement);
new MutationObserver((records) => {
  for (const { addedNodes } of records) {
    for (const node of addedNodes) if (node instanceof Element) discover(node);
  }
}).observe(document.documentElement, { childList: true, subtree: true });

export { replaceMessages } from './messages';
export type * from './public-types';
