// A text that is being written, for a screen reader: announced sentence by sentence, and never token by token. A pure view.

import { html, type TemplateResult } from 'lit';

/** The sentences that are whole so far; all there is, once the text has ended. A line ends one, too. */
export function wholeSentences(text: string, ended: boolean): string[] {
  const sentences = text.split(/(?<=[.!?]\s+(?=\S)|\n)/);
  return (ended ? sentences : sentences.slice(0, -1)).filter((sentence) => sentence.trim() !== '');
}

/** What comes to the log is announced, what is in it is not again. */
export const spokenView = (text: string, ended: boolean): TemplateResult =>
  html`<p class="hidden" role="log" dir="auto">${wholeSentences(text, ended).map((sentence) => html`<span>${sentence}</span>`)}</p>`;
