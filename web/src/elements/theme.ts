// <vitrine-theme>: chooses between the system's, a light and a dark appearance, and remembers it on this device.
// The colours themselves are web/page.css's.

import { css, html, LitElement, type TemplateResult } from 'lit';

import { messages } from '../messages';
import { shared } from '../styles/shared';
import { Presentation } from './presentation';

const themes = ['auto', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const texts = messages('theme', { legend: 'Appearance', auto: 'Auto', light: 'Light', dark: 'Dark' });

const storageKey = 'vitrine-theme';

/** A browser may forbid storage, for one in a frame; the choice then lasts as long as the page. */
function remembered(): Theme {
  try {
    const stored = localStorage.getItem(storageKey);
    return themes.find((theme) => theme === stored) ?? 'auto';
  } catch {
    return 'auto';
  }
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem(storageKey, theme);
  } catch {
    // Nothing to do: see remembered().
  }
}

/**
 * Chooses the appearance of the page: an attribute `data-theme` of its root.
 *
 * @element vitrine-theme
 * @attr {string} theme - auto, light or dark.
 */
export class VitrineTheme extends LitElement {
  static override properties = { theme: { reflect: true } };
  declare theme: Theme;

  constructor() {
    super();
    this.theme = remembered();
    new Presentation(this);
  }

  override render(): TemplateResult {
    return html`
      <fieldset>
        <legend class="hidden">${texts.legend}</legend>
        ${themes.map(
          (theme) => html`
            <label>
              <input type="radio" name="theme" .checked=${theme === this.theme} @change=${() => this.choose(theme)} />
              <span>${texts[theme]}</span>
            </label>
          `,
        )}
      </fieldset>
    `;
  }

  override updated(): void {
    const { dataset } = document.documentElement;
    if (this.theme === 'auto') delete dataset['theme'];
    else dataset['theme'] = this.theme;
  }

  private choose(theme: Theme): void {
    this.theme = theme;
    remember(theme);
  }

  static override styles = [
    shared,
    css`
      fieldset {
        display: flex;
        flex-wrap: wrap;
        padding: 2px;
        border: 1px solid var(--line-strong);
        border-radius: calc(1em + 4px);
      }

      label {
        position: relative;
      }

      /* All of the word is the button. */
      input[type='radio'] {
        position: absolute;
        inset: 0;
        width: 100%;
        height: 100%;
        opacity: 0;
        cursor: pointer;
      }

      span {
        display: block;
        padding: 0.2rem 0.7rem;
        border-radius: 999px;
      }

      input:checked + span {
        background: var(--ink);
        color: var(--paper);
      }

      input:focus-visible + span {
        outline: 2px solid var(--focus);
        outline-offset: 2px;
      }

      @media (forced-colors: active) {
        input:checked + span {
          color: CanvasText;
          outline: 2px solid Highlight;
        }
      }
    `,
  ];
}

customElements.define('vitrine-theme', VitrineTheme);
