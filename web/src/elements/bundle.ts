// <vitrine-bundle>: what is loaded: name, version, every part with its size and hash, held-out figures, and where the
// corpus came from. It shows what the manifest and the engine say, and adds nothing.

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';

import type { BundlePart, Description, JsonObject } from '../engine/protocol';
import { notStarted, type LoadState } from '../load-state';
import { shared } from '../styles/shared';
import { bytes, count, magnitude, percent } from '../views/format';
import { progressText } from '../views/load-progress';

const label = (key: string): string => key.replaceAll('_', ' ');

type Format = (value: unknown) => string;
/** A fact: where it stands in its object, what it is called here, and how its value is written. */
type Fact = readonly [path: string, name: string, format?: Format];

const number = (value: unknown): value is number => typeof value === 'number';
const whole: Format = (value) => (number(value) ? count(value) : String(value));
const figures: Format = (value) => (number(value) ? String(Number(value.toPrecision(4))) : String(value));
const share: Format = (value) => (number(value) ? percent(value) : String(value));
const size: Format = (value) => (number(value) ? bytes(value) : String(value));
const yesOrNo: Format = (value) => (value === true ? 'yes' : 'no');

const architectureFacts: readonly Fact[] = [
  ['n_layers', 'Blocks', whole],
  ['d_model', 'Width', whole],
  ['n_heads', 'Query heads', whole],
  ['n_kv_heads', 'Key/value heads', whole],
  ['head_dim', 'Width of a head', whole],
  ['d_ff', 'Width of the MLP', whole],
  ['vocab_size', 'Tokens it knows', whole],
  ['max_seq_len', 'Positions', whole],
  ['rope_theta', 'RoPE base', whole],
  ['tied_head', 'Head is the embedding', yesOrNo],
];

const heldOutFacts: readonly Fact[] = [
  ['bits_per_byte', 'Bits per byte', figures],
  ['next_token_accuracy', 'Next tokens right', share],
  ['loss_nats', 'Loss, nats a token', figures],
  ['documents', 'Lines', whole],
  ['tokens', 'Tokens', whole],
  ['bytes', 'Text', size],
];

const trainingFacts: readonly Fact[] = [
  ['steps', 'Steps', whole],
  ['batch_rows', 'Tokens a step', whole],
  ['learning_rate', 'Highest rate', figures],
  ['weight_decay', 'Weight decay', figures],
  ['seed', 'Seed', whole],
  ['data_tokens', 'Training tokens', whole],
  ['data_bytes', 'Training text', size],
];

const corpusFacts: readonly Fact[] = [
  ['source.package', 'Package'],
  ['source.version', 'Version'],
  ['source.license', 'Licence'],
  ['counts.tools', 'Tools', whole],
  ['counts.kept', 'Lines kept', whole],
  ['rules.max_lines_per_tool', 'Most lines a tool', whole],
  ['rules.held_out_percent', 'Held out, percent', whole],
];

function valueAt(facts: JsonObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as JsonObject | undefined)?.[key], facts);
}

/** What the object says of these facts; a bundle need not say all of them. */
function factsView(title: string, object: JsonObject, facts: readonly Fact[]): TemplateResult | typeof nothing {
  const said = facts.filter(([path]) => valueAt(object, path) !== undefined);
  if (said.length === 0) return nothing;
  return html`
    <div class="facts">
      <h3>${title}</h3>
      <dl>
        ${said.map(
          ([path, name, format = String]) => html`
            <dt>${name}</dt>
            <dd>${format(valueAt(object, path))}</dd>
          `,
        )}
      </dl>
    </div>
  `;
}

function partView({ name, file, bytes: length, sha256 }: BundlePart): TemplateResult {
  return html`
    <tr>
      <th scope="row">${label(name)}</th>
      <td><code>${file}</code></td>
      <td class="figure" title="${count(length)} bytes">${bytes(length)}</td>
      <td><code>${sha256}</code></td>
    </tr>
  `;
}

const manifestText = ({ corpus, training, held_out }: Description): string =>
  JSON.stringify({ corpus, training, held_out }, null, 2);

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
        ${factsView('Architecture', loaded.architecture, architectureFacts)}
        ${factsView('On held-out text', loaded.held_out, heldOutFacts)}
        ${factsView('Training', loaded.training, trainingFacts)} ${factsView('Corpus', loaded.corpus, corpusFacts)}
      </div>
      <details>
        <summary>All that the manifest says</summary>
        <pre class="scroll" tabindex="0" role="region" aria-label="The manifest's own fields">${manifestText(loaded)}</pre>
      </details>
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
        grid-template-columns: minmax(0, auto) minmax(0, 1fr);
        gap: 0.15rem var(--space-4);
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

      details {
        margin-top: var(--space-4);
      }

      pre {
        max-height: 24rem;
        margin: var(--space-2) 0 0;
        padding: var(--space-3);
        font: var(--step--1) / 1.5 var(--mono);
        background: var(--well);
        border: 1px solid var(--line);
        border-radius: var(--radius-small);
      }
    `,
  ];
}

customElements.define('vitrine-bundle', VitrineBundle);
