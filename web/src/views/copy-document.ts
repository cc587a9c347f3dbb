// A document that can be copied: its text, a button, and what the last press did. A pure view.

import { html, type TemplateResult } from 'lit';

export interface CopyTexts {
  label: string;
  copy: string;
}

export function copyDocumentView(
  text: string,
  said: string,
  texts: CopyTexts,
  copy: (field: HTMLTextAreaElement) => void,
): TemplateResult {
  const press = (event: Event): void => {
    const field = (event.currentTarget as HTMLElement).closest('.document')?.querySelector('textarea');
    if (field) copy(field);
  };
  return html`
    <div class="document">
      <textarea readonly spellcheck="false" aria-label=${texts.label} rows=${text.split('\n').length} .value=${text}></textarea>
      <div class="actions">
        <button type="button" @click=${press}>${texts.copy}</button>
        <span class="small soft" role="status">${said}</span>
      </div>
    </div>
  `;
}
