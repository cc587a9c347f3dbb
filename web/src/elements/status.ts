// <vitrine-status>: what serves, in a few words, for the head of the page. Details are <vitrine-bundle>'s.

import { css, html, type TemplateResult } from 'lit';

import { fill, messages } from '../messages';
import { shared } from '../styles/shared';
import { magnitude } from '../views/format';
import { progressText } from '../views/load-progress';
import { EngineController } from './engine-controller';
import { ModelElement } from './model-element';

const texts = messages('status', {
  failed: 'No model is loaded',
  ready: '{name} {version}, {parameters} parameters, on your processor',
});

/**
 * What serves: the state of the engine as one line.
 *
 * @element vitrine-status
 * @csspart status - The line.
 */
export class VitrineStatus extends ModelElement {
  private readonly engine = new EngineController(this);

  override render(): TemplateResult {
    return html`<span class="status ${this.engine.load.kind}" part="status" role="status">${this.text()}</span>`;
  }

  private text(): string {
    const { load } = this.engine;
    if (load.kind === 'loading') return progressText(load.progress);
    if (load.kind === 'failed') return texts.failed;
    const { name, model_version: version, parameters } = load.description;
    return fill(texts.ready, { name, version, parameters: magnitude(parameters) });
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
