// The ghost that lies behind a text box: what was typed, unseen, and after it what is suggested, of the command in its line
// and of the comment that explains it below. A pure view.

import { html, type TemplateResult } from 'lit';

const commentStart = '  # ';

/** What is suggested of the command, and of the comment unless that has been begun. */
function splitComment(text: string, ghost: string): [string, string] {
  const at = text.includes(commentStart) ? -1 : ghost.indexOf(commentStart);
  return at < 0 ? [ghost, ''] : [ghost.slice(0, at), ghost.slice(at)];
}

/** It wraps exactly as the text box over it: there may be no white space between its parts. */
export function ghostView(text: string, ghost: string): TemplateResult {
  const [command, comment] = splitComment(text, ghost);
  const parts = [
    html`<span class="typed">${text}</span>`,
    html`<span class="ghost" data-ghost>${command}</span>`,
    html`<span class="comment" data-comment>${comment}</span>`,
  ];
  return html`<div class="mirror" dir="auto" aria-hidden="true">${parts}</div>`;
}
