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
  disabled?: boolean;
  inputmode?: 'numeric' | 'decimal' | undefined;
  onInput: (value: string) => void;
}

export function textFieldView(field: TextField): TemplateResult {
  const { id, part, value, placeholder, wrong, readonly = false, disabled = false, inputmode, onInput } = field;
  // A placeholder reads as the page does.
  const dir = value === '' ? nothing : 'auto';
  return html`
    <input
      id=${id}
      part=${part ?? nothing}
      dir=${dir}
      inputmode=${inputmode ?? nothing}
      autocomplete="off"
      autocapitalize="off"
      spellcheck="false"
      placeholder=${placeholder ?? nothing}
      aria-invalid=${wrong}
      aria-describedby=${wrong ? 'error' : nothing}
      ?readonly=${readonly}
      ?disabled=${disabled}
      .value=${value}
      @input=${(event: Event) => onInput((event.target as HTMLInputElement).value)}
    />
  `;
}
