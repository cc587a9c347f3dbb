// <vitrine-status>: what serves, in a few words, for the head of the page. Details are <vitrine-bundle>'s.

import { css, html, LitElement, type TemplateResult } from 'lit';

import { notStarted, type LoadState } from '../load-state';
import { shared } from '../styles/shared';
import { magnitude } from '../views/format';
import { progressText } from '../views/load-progress';

export class VitrineStatus extends LitElement {
  static override properties = { load: { attribute: false } };
  declare load: LoadState;

  constructor() {
    super();
    this.load = notStarted;
  }

  override render(): TemplateResult {
    return html`<span class="status ${this.load.kind}" role="status">${this.text()}</span>`;
  }

  private text(): string {
    const { load } = this;
    if (load.kind === 'loading') return progressText(load.progress);
    if (load.kind === 'failed') return 'No model is loaded';
    const { name, model_version, parameters } = load.description;
    return `${name} ${model_version}, ${magnitude(parameters)} parameters, on your processor`;
  }

  static override styles = [
    shared,
    css`
      .status {
        display: inline-flex;
        align-items: center;
        gap: 0.5em;
        font-size: var(--step--1);
        color: var(--ink-soft);
      }

      .status::before {
        content: '';
        flex: none;
        width: 0.6em;
        height: 0.6em;
        border-radius: 50%;
        border: 2px solid var(--line-strong);
      }

      .ready::before {
        background: var(--cached);
        border-color: var(--cached);
      }

      .failed::before {
        border-color: var(--bad);
        border-radius: 0;
      }
    `,
  ];
}

customElements.define('vitrine-status', VitrineStatus);
