// How elements tell what happened: an event that bubbles and leaves shadow roots, with the detail that its name promises.

import type { VitrineEvents } from '../public-types';

export function emit<Name extends keyof VitrineEvents>(element: HTMLElement, name: Name, detail: VitrineEvents[Name]): void {
  element.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
}
