// <vitrine-bundle>: what is loaded: name, version, every part with its size and hash, held-out figures, and where the
// corpus came from. It shows what the manifest and the engine say, and adds nothing.

import { css, html, nothing, type TemplateResult } from 'lit';

import type { BundlePart, Description, JsonObject } from '../engine/protocol';
import { fill, messages } from '../messages';
import { panelStyles } from '../styles/panel';
import { shared } from '../styles/shared';
import { bytes, count, magnitude, percent } from '../views/format';
import { progressText } from '../views/load-progress';
import { EngineController, engineUrls } from './engine-controller';
import { ModelElement } from './model-element';

const texts = messages('bundle', {
  title: 'The bundle',
  nothing: 'Nothing: the model did not load.',
  name: '{name} {version}',
  size: '{parameters} parameters, {download} to download, {weights} of packed weights and {workspace} of workspace in memory.',
  tested: 'Self-test passed: the logits after {n} fixed tokens have the declared hash.',
  untested: 'It declares no self-test.',
  checked: 'Every part was checked against this SHA-256 as it arrived; one that differs is refused by name.',
  parts: 'Parts of the bundle',
  part: 'Part',
  file: 'File',
  bytes: 'Size',
  hash: 'SHA-256',
  exact: '{n} bytes',
  architecture: 'Architecture',
  held_out: 'On held-out text',
  training: 'Training',
  corpus: 'Corpus',
  manifest: 'All that the manifest says',
  manifest_label: "The manifest's own fields",
  yes: 'yes',
  no: 'no',
});

/** What each fact of a manifest is called here. */
const names = messages('bundle.fact', {
  n_layers: 'Blocks',
  d_model: 'Width',
  n_heads: 'Query heads',
  n_kv_heads: 'Key/value heads',
  head_dim: 'Width of a head',
  d_ff: 'Width of the MLP',
  vocab_size: 'Tokens it knows',
  max_seq_len: 'Positions',
  rope_theta: 'RoPE base',
  tied_head: 'Head is the embedding',
  bits_per_byte: 'Bits per byte',
  next_token_accuracy: 'Next tokens right',
  loss_nats: 'Loss, nats a token',
  documents: 'Lines',
  tokens: 'Tokens',
  bytes: 'Text',
  steps: 'Steps',
  batch_rows: 'Tokens a step',
  learning_rate: 'Highest rate',
  weight_decay: 'Weight decay',
  seed: 'Seed',
  data_tokens: 'Training tokens',
  data_bytes: 'Training text',
  package: 'Package',
  version: 'Version',
  license: 'Licence',
  tools: 'Tools',
  kept: 'Lines kept',
  max_lines_per_tool: 'Most lines a tool',
  held_out_percent: 'Held out, percent',
});

const label = (key: string): string => key.replaceAll('_', ' ');

type Format = (value: unknown) => string;
/** A fact: where it stands in its object, and how its value is written. */
type Fact = readonly [path: string, format?: Format];

const number = (value: unknown): value is number => typeof value === 'number';
const whole: Format = (value) => (number(value) ? count(value) : String(value));
const figures: Format = (value) => (number(value) ? String(Number(value.toPrecision(4))) : String(value));
const share: Format = (value) => (number(value) ? percent(value) : String(value));
const asBytes: Format = (value) => (number(value) ? bytes(value) : String(value));
const yesOrNo: Format = (value) => (value === true ? texts.yes : texts.no);

const architectureFacts: readonly Fact[] = [
  ['n_layers', whole],
  ['d_model', whole],
  ['n_heads', whole],
  ['n_kv_heads', whole],
  ['head_dim', whole],
  ['d_ff', whole],
  ['vocab_size', whole],
  ['max_seq_len', whole],
  ['rope_theta', whole],
  ['tied_head', yesOrNo],
];

const heldOutFacts: readonly Fact[] = [
  ['bits_per_byte', figures],
  ['next_token_accuracy', share],
  ['loss_nats', figures],
  ['documents', whole],
  ['tokens', whole],
  ['bytes', asBytes],
];

const trainingFacts: readonly Fact[] = [
  ['steps', whole],
  ['batch_rows', whole],
  ['learning_rate', figures],
  ['weight_decay', figures],
  ['seed', whole],
  ['data_tokens', whole],
  ['data_bytes', asBytes],
];

const corpusFacts: readonly Fact[] = [
  ['source.package'],
  ['source.version'],
  ['source.license'],
  ['counts.tools', whole],
  ['counts.kept', whole],
  ['rules.max_lines_per_tool', whole],
  ['rules.held_out_percent', whole],
];

function valueAt(facts: JsonObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as JsonObject | undefined)?.[key], facts);
}

const nameOf = (path: string): string => names[path.split('.').at(-1) as keyof typeof names];

/** What the object says of these facts; a bundle need not say all of them. */
function factsView(title: string, object: JsonObject, facts: readonly Fact[]): TemplateResult | typeof nothing {
  const said = facts.filter(([path]) => valueAt(object, path) !== undefined);
  if (said.length === 0) return nothing;
  return html`
    <div class="facts">
      <h3>${title}</h3>
      <dl>
        ${said.map(
          ([path, format = String]) => html`
            <dt>${nameOf(path)}</dt>
            <dd dir="auto">${format(valueAt(object, path))}</dd>
          `,
        )}
      </dl>
    </div>
  `;
}

/** Each part can be had as it was verified, the licence of the corpus among them. */
function partView({ name, file, bytes: length, sha256 }: BundlePart, folder: string): TemplateResult {
  return html`
    <tr>
      <th scope="row">${label(name)}</th>
      <td><a href=${new URL(file, folder).href} download><code>${file}</code></a></td>
      <td class="figure" title=${fill(texts.exact, { n: count(length) })}>${bytes(length)}</td>
      <td><code>${sha256}</code></td>
    </tr>
  `;
}

const manifestText = ({ corpus, training, held_out }: Description): string =>
  JSON.stringify({ corpus, training, held_out }, null, 2);

/**
 * What is loaded: version, parts with their hashes, architecture, held-out figures, training and corpus.
 *
 * @element vitrine-bundle
 * @csspart title - The title.
 * @csspart panel - The frame.
 */
export class VitrineBundle extends ModelElement {

  private readonly engine = new EngineController(this);

  override render(): TemplateResult {
    return html`
      <section class="panel" part="panel" aria-labelledby="title">
        <h2 id="title" part="title">${texts.title}</h2>
        ${this.content()}
      </section>
    `;
  }

  private content(): TemplateResult {
    const { load } = this.engine;
    if (load.kind === 'loading') return html`<p class="soft">${progressText(load.progress)}.</p>`;
    if (load.kind === 'failed') return html`<p class="soft">${texts.nothing}</p>`;
    return this.description(load.description);
  }

  private description(loaded: Description): TemplateResult {
    const { name, model_version, parameters, parts, memory, self_test } = loaded;
    const folder = engineUrls(this.base, this.bundle).bundleUrl;
    const size = fill(texts.size, {
      parameters: magnitude(parameters),
      download: bytes(loaded.bytes),
      weights: bytes(memory.weights),
      workspace: bytes(memory.workspace),
    });
    return html`
      <p>
        <strong>${fill(texts.name, { name, version: model_version })}</strong>: ${size}
        ${self_test ? fill(texts.tested, { n: self_test.tokens }) : texts.untested}
      </p>
      <p class="small soft">${texts.checked}</p>
      <div class="scroll" tabindex="0" role="region" aria-label=${texts.parts}>
        <table>
          <thead>
            <tr>
              <th scope="col">${texts.part}</th>
              <th scope="col">${texts.file}</th>
              <th scope="col" class="figure">${texts.bytes}</th>
              <th scope="col">${texts.hash}</th>
            </tr>
          </thead>
          <tbody>
            ${parts.map((part) => partView(part, folder))}
          </tbody>
        </table>
      </div>
      <div class="columns">
        ${factsView(texts.architecture, loaded.architecture, architectureFacts)}
        ${factsView(texts.held_out, loaded.held_out, heldOutFacts)}
        ${factsView(texts.training, loaded.training, trainingFacts)} ${factsView(texts.corpus, loaded.corpus, corpusFacts)}
      </div>
      <details>
        <summary>${texts.manifest}</summary>
        <pre class="scroll" tabindex="0" role="region" aria-label=${texts.manifest_label}>${manifestText(loaded)}</pre>
      </details>
    `;
  }

  static override styles = [
    shared,
    panelStyles,
    css`
      th,
      td,
      th.figure,
      td.figure {
        padding-inline-end: var(--space-5);
        white-space: nowrap;
      }

      .columns {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr));
        gap: 0 var(--space-5);
      }

      td a {
        color: inherit;
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
