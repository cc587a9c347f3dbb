// One option of a policy as its form shows it: a field, and a slider beside it where a range is worth trying. A pure view.

import { html, nothing, type TemplateResult } from 'lit';

import { fill, messages } from '../messages';
import { textFieldView } from './text-field';

const texts = messages('option', { slider: '{label}, slider', unset: "the bundle's" });

export interface OptionControl {
  name: string;
  label: string;
  /** As typed; empty where the option is not given. */
  value: string;
  /** What it is where it is not given, as the engine says; empty before a run. */
  effective: string;
  /** The engine refused it; the error's view has the id "error". */
  wrong: boolean;
  /** `off` is where the slider stands for a text that is no number. */
  slider: { min: number; max: number; step: number; off: number } | null;
  onInput: (value: string) => void;
}

export function optionControlView({ name, label, value, effective, wrong, slider, onInput }: OptionControl): TemplateResult {
  const change = (event: Event): void => onInput((event.target as HTMLInputElement).value);
  const shown = value.trim() === '' ? effective : value;
  return html`
    <div class="control ${slider ? '' : 'plain'}" part=${name}>
      <label for=${name}>${label}</label>
      <div class="entry">
        ${
          slider
            ? html`<input
                type="range"
                aria-label=${fill(texts.slider, { label })}
                min=${slider.min}
                max=${slider.max}
                step=${slider.step}
                .value=${String(Number.isFinite(Number(shown)) && shown !== '' ? shown : slider.off)}
                @input=${change}
              />`
            : nothing
        }
        ${textFieldView({ id: name, value, placeholder: effective === '' ? texts.unset : effective, wrong, inputmode: 'decimal', onInput })}
      </div>
    </div>
  `;
}
