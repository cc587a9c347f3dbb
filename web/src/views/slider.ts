// A slider with its label and its value beside it. A pure view.

import { html, type TemplateResult } from 'lit';

export interface Slider {
  id: string;
  label: string;
  min: number;
  max: number;
  step: number;
  value: number;
  /** The value as it is written and spoken. */
  text: string;
  onInput: (value: number) => void;
}

export function sliderView({ id, label, min, max, step, value, text, onInput }: Slider): TemplateResult {
  return html`
    <div class="slider" part="control ${id}">
      <label for=${id}><span>${label}</span><output class="number" for=${id}><bdi>${text}</bdi></output></label>
      <input
        id=${id}
        type="range"
        min=${min}
        max=${max}
        step=${step}
        aria-valuetext=${text}
        .value=${String(value)}
        @input=${(event: Event) => onInput(Number((event.target as HTMLInputElement).value))}
      />
    </div>
  `;
}
