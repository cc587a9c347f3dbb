// An error of the engine in its own words, in the place where it matters. A pure view; a model that did not load is
// load-progress.ts's.

import { html, nothing, type TemplateResult } from 'lit';

import type { EngineError } from '../engine/errors';

/** It reads from left to right on any page. */
export const errorWords = ({ code, message }: EngineError): TemplateResult => html`<code dir="ltr">${code}: ${message}</code>`;

/** Nothing for no error. A field that is wrong is described by the view of this `id`. */
export function errorView(error: EngineError | null, id?: string): TemplateResult | typeof nothing {
  if (error === null) return nothing;
  return html`<p class="error" id=${id ?? nothing} role="alert">${errorWords(error)}</p>`;
}
