// <vitrine-policy>: the controls of the sampling policy. It checks nothing: a wrong value is sent as it is typed, and
// the engine's own error appears at the field that it names.

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';

import type { EngineError } from '../engine/errors';
import { messages } from '../messages';
import {
  fieldOf,
  initialFields,
  modes,
  samplingOptions,
  type Mode,
  type NumberOption,
  type PolicyFields,
} from '../state/policy-fields';
import { shared } from '../styles/shared';
import { errorView } from '../views/error';
import { textFieldView } from '../views/text-field';
import { Presentation } from './presentation';

const texts = messages('policy', {
  title: 'Policy',
  mode: 'Mode',
  draws: 'draws from the distribution',
  likeliest: 'always the likeliest token; draws nothing',
  stop: 'Stop strings, one a line',
  stop_hint: 'none',
});

const labels: Record<NumberOption, string> = messages('policy.label', {
  temperature: 'Temperature',
  top_k: 'Top-k',
  top_p: 'Top-p',
  min_p: 'Min-p',
  seed: 'Seed',
  max_new_tokens: 'Max new tokens',
});

/** What an empty field stands for. */
const hints: Record<NumberOption, string> = messages('policy.hint', {
  temperature: "the bundle's",
  top_k: "the bundle's",
  top_p: "the bundle's",
  min_p: "the bundle's",
  seed: 'a new one each time',
  max_new_tokens: "the bundle's",
});

const modeLabels: Record<Mode, string> = messages('policy.mode', { sample: 'Sample', greedy: 'Greedy' });

/**
 * The controls of a sampling policy.
 *
 * @element vitrine-policy
 * @fires {CustomEvent<PolicyFields>} vitrine-policy - The visitor changed a control.
 */
export class VitrinePolicy extends LitElement {
  static override properties = { fields: { attribute: false }, error: { attribute: false } };
  declare fields: PolicyFields;
  declare error: EngineError | null;

  constructor() {
    super();
    this.fields = initialFields;
    this.error = null;
    new Presentation(this);
  }

  override render(): TemplateResult {
    const sampling = this.fields.mode === 'sample';
    const wrong = this.wrongField;
    return html`
      <fieldset>
        <legend>${texts.title}</legend>
        <div class="modes" part="mode" role="radiogroup" aria-label=${texts.mode}>
          ${modes.map((mode) => this.modeView(mode))}
          <span class="small soft">${sampling ? texts.draws : texts.likeliest}</span>
        </div>
        <div class="grid">
          ${samplingOptions.map((name) => this.numberView(name, sampling))} ${this.numberView('max_new_tokens', true)}
          ${this.stopView()}
        </div>
        ${wrong ? errorView(this.error, 'error') : nothing}
      </fieldset>
    `;
  }

  private modeView(mode: Mode): TemplateResult {
    return html`
      <label class="choice">
        <input
          type="radio"
          name="mode"
          value=${mode}
          .checked=${this.fields.mode === mode}
          @change=${() => this.change({ ...this.fields, mode })}
        />
        ${modeLabels[mode]}
      </label>
    `;
  }

  private numberView(name: NumberOption, enabled: boolean): TemplateResult {
    // A text field: a number field would swallow what it does not like, and the engine could not say why.
    return html`
      <div class="field" part=${name}>
        <label for=${name}>${labels[name]}</label>
        ${textFieldView({
          id: name,
          value: this.fields.numbers[name],
          placeholder: hints[name],
          wrong: this.wrongField === name,
          disabled: !enabled,
          inputmode: 'decimal',
          onInput: (value) => this.changeNumber(name, value),
        })}
      </div>
    `;
  }

  private stopView(): TemplateResult {
    return html`
      <div class="field wide" part="stop_strings">
        <label for="stop">${texts.stop}</label>
        <textarea
          id="stop"
          rows="1"
          placeholder=${texts.stop_hint}
          spellcheck="false"
          aria-invalid=${this.wrongField === 'stop'}
          aria-describedby=${this.wrongField === 'stop' ? 'error' : nothing}
          .value=${this.fields.stop}
          @input=${(event: Event) => this.change({ ...this.fields, stop: (event.target as HTMLTextAreaElement).value })}
        ></textarea>
      </div>
    `;
  }

  private get wrongField(): ReturnType<typeof fieldOf> {
    return this.error?.code === 'invalid_option' ? fieldOf(this.error.message) : null;
  }

  private changeNumber(name: NumberOption, value: string): void {
    this.change({ ...this.fields, numbers: { ...this.fields.numbers, [name]: value } });
  }

  private change(fields: PolicyFields): void {
    this.fields = fields;
    this.dispatchEvent(new CustomEvent('vitrine-policy', { detail: fields }));
  }

  static override styles = [
    shared,
    css`
      .modes {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-1) var(--space-4);
        margin-bottom: var(--space-3);
      }

      .grid {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(min(6.5rem, 100%), 1fr));
        gap: var(--space-3);
        align-items: start;
      }

      .wide {
        grid-column: span 2;
      }

      @container (max-width: 13.7rem) {
        .wide {
          grid-column: auto;
        }
      }

      .field textarea {
        resize: vertical;
      }

      input:disabled {
        color: var(--ghost);
        border-color: var(--line);
      }

      .error {
        margin: var(--space-3) 0 0;
      }
    `,
  ];
}

customElements.define('vitrine-policy', VitrinePolicy);
