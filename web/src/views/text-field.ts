// A field of one line for what the engine judges: as it is typed, in the direction of its text. A pure view; its label is its
// user's.

import { html, nothing, type TemplateResult } from 'lit';

export interface TextField {
  id: string;
  part?: string;
  value: string;
  placeholder?: string;
  /** The engine refused it; the error's view has the id "error". */
  wrong: boolean;
  readonly?: boolean;
  numeric?: boolean;
  onInput: (value: string) => void;
}

export function textFieldView({ id, part, value, placeholder, wrong, readonly = false, numeric = false, onInput }: TextField): TemplateResult {
  return html`
    <input
      id=${id}
      part=${part ?? nothing}
      dir="auto"
      inputmode=${numeric ? 'numeric' : nothing}
      autocomplete="off"
      autocapitalize="off"
      spellcheck="false"
      placeholder=${placeholder ?? nothing}
      aria-invalid=${wrong}
      aria-describedby=${wrong ? 'error' : nothing}
      ?readonly=${readonly}
      .value=${value}
      @input=${(event: Event) => onInput((event.target as HTMLInputElement).value)}
    />
  `;
}
