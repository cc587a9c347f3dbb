// <vitrine-bundle>: what is loaded: name, version, every part with its size and hash, held-out figures, and where the
// corpus came from. It shows what the manifest and the engine say, and adds nothing.

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';

import type { BundlePart, Description, JsonObject } from '../engine/protocol';
import { notStarted, type LoadState } from '../load-state';
import { shared } from '../styles/shared';
import { bytes, count, magnitude } from '../views/format';
import { progressText } from '../views/load-progress';

const label = (key: string): string => key.replaceAll('_', ' ');

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A hash in a list of facts is there to be recognised; those of the parts stand in their table in full. */
const shortHash = (text: string): string => text.replace(/^([0-9a-f]{12})[0-9a-f]{52}$/, '$1...');

/** A value of the manifest in words: its free fields may hold anything that JSON can. */
function valueText(value: unknown): string {
  if (typeof value === 'number') {
    return Number.isInteger(value) && Math.abs(value) >= 10_000 ? count(value) : String(Number(value.toPrecision(6)));
  }
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueText).join('; ');
  if (isObject(value))
    return flatten(value)
      .map(([key, text]) => `${key} ${text}`)
      .join(', ');
  return shortHash(String(value));
}

/** An object's fields with those of the objects in it, each under its whole name. */
function flatten(facts: JsonObject): Array<[string, string]> {
  return Object.entries(facts).flatMap(([key, value]): Array<[string, string]> => {
    if (!isObject(value)) return [[label(key), valueText(value)]];
    return flatten(value).map(([inner, text]) => [`${label(key)} ${inner}`, text]);
  });
}

function factsView(title: string, facts: JsonObject): TemplateResult | typeof nothing {
  const entries = flatten(facts);
  if (entries.length === 0) return nothing;
  return html`
    <div class="facts">
      <h3>${title}</h3>
      <dl>
        ${entries.map(
          ([name, text]) => html`
            <dt>${name}</dt>
            <dd>${text}</dd>
          `,
        )}
      </dl>
    </div>
  `;
}

function partView({ name, file, bytes: size, sha256 }: BundlePart): TemplateResult {
  return html`
    <tr>
      <th scope="row">${label(name)}</th>
      <td><code>${file}</code></td>
      <td class="figure" title="${count(size)} bytes">${bytes(size)}</td>
      <td><code>${sha256}</code></td>
    </tr>
  `;
}

export class VitrineBundle extends LitElement {
  static override properties = { load: { attribute: false } };
  declare load: LoadState;

  constructor() {
    super();
    this.load = notStarted;
  }

  override render(): TemplateResult {
    return html`
      <section class="panel" aria-labelledby="title">
        <h2 id="title">What is loaded</h2>
        ${this.content()}
      </section>
    `;
  }

  private content(): TemplateResult {
    const { load } = this;
    if (load.kind === 'loading') return html`<p class="soft">${progressText(load.progress)}.</p>`;
    if (load.kind === 'failed') return html`<p class="soft">Nothing: the model did not load.</p>`;
    return this.description(load.description);
  }

  private description(loaded: Description): TemplateResult {
    const { name, model_version, parameters, parts, memory, self_test } = loaded;
    return html`
      <p>
        <strong>${name} ${model_version}</strong>: ${magnitude(parameters)} parameters, ${bytes(loaded.bytes)} to
        download, ${bytes(memory.weights)} of packed weights and ${bytes(memory.workspace)} of workspace in memory.
        ${
          self_test
            ? html`Self-test passed: the logits after ${self_test.tokens} fixed tokens have the declared hash.`
            : html`It declares no self-test.`
        }
      </p>
      <p class="small soft">
        Every part was checked against this SHA-256 as it arrived; one that differs is refused by name.
      </p>
      <div class="scroll" tabindex="0" role="region" aria-label="Parts of the bundle">
        <table>
          <thead>
            <tr>
              <th scope="col">Part</th>
              <th scope="col">File</th>
              <th scope="col" class="figure">Size</th>
              <th scope="col">SHA-256</th>
            </tr>
          </thead>
          <tbody>
            ${parts.map(partView)}
          </tbody>
        </table>
      </div>
      <div class="columns">
        ${factsView('Architecture', loaded.architecture)} ${factsView('Held-out figures', loaded.held_out)}
        ${factsView('Training', loaded.training)} ${factsView('Corpus and licence', loaded.corpus)}
      </div>
    `;
  }

  static override styles = [
    shared,
    css`
      th,
      td,
      th.figure,
      td.figure {
        padding-right: var(--space-5);
        white-space: nowrap;
      }

      .columns {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr));
        gap: 0 var(--space-5);
      }

      dl {
        display: grid;
        grid-template-columns: minmax(0, 2fr) minmax(0, 3fr);
        gap: 0.15rem var(--space-3);
        margin: 0;
        font-size: var(--step--1);
      }

      dt {
        color: var(--ink-soft);
      }

      dd {
        margin: 0;
        font-family: var(--mono);
        overflow-wrap: anywhere;
      }
    `,
  ];
}

customElements.define('vitrine-bundle', VitrineBundle);
