// Wires the page: starts the engine, loads the bundle, and passes what happens from one element to the others.
// The elements know nothing of each other; the state they share is here and in the address.

import './elements/autocomplete';
import './elements/bundle';
import './elements/generator';
import './elements/proof';
import './elements/status';
import './elements/theme';

import type { VitrineAutocomplete } from './elements/autocomplete';
import type { VitrineBundle } from './elements/bundle';
import type { VitrineGenerator } from './elements/generator';
import type { VitrineProof } from './elements/proof';
import type { VitrineStatus } from './elements/status';
import { LanguageModel } from './engine/client';
import { toEngineError } from './engine/errors';
import { notStarted, type LoadState } from './load-state';
import { carriesState, readState, writeState, type PageState } from './page-state';
import type { PolicyFields } from './policy-fields';
import type { Run } from './run';

function element<E extends Element>(selector: string): E {
  const found = document.querySelector<E>(selector);
  if (found === null) throw new Error(`page: expected an element ${selector}, found none`);
  return found;
}

const autocomplete = element<VitrineAutocomplete>('vitrine-autocomplete');
const generator = element<VitrineGenerator>('vitrine-generator');
const proof = element<VitrineProof>('vitrine-proof');
const bundle = element<VitrineBundle>('vitrine-bundle');
const status = element<VitrineStatus>('vitrine-status');

// Relative to this script, so that the page works under any path.
const urls = {
  moduleUrl: new URL('vitrine-module.mjs', import.meta.url).href,
  bundleUrl: new URL('models/shell/', import.meta.url).href,
};

let state: PageState = readState(location.hash);
let model: LanguageModel | null = null;

/** Browsers bound how often an address may change, so it follows when the typing rests. */
const addressRestMilliseconds = 400;
let addressTimer = 0;

function setState(changed: Partial<PageState>): void {
  state = { ...state, ...changed };
  clearTimeout(addressTimer);
  addressTimer = window.setTimeout(writeAddress, addressRestMilliseconds);
}

function writeAddress(): void {
  const fragment = writeState(state);
  history.replaceState(null, '', fragment === '' ? location.pathname + location.search : `#${fragment}`);
}

function showLoad(load: LoadState): void {
  for (const part of [autocomplete, generator, bundle, status]) part.load = load;
  proof.architecture = load.kind === 'ready' ? load.description.architecture : null;
}

async function startModel(): Promise<void> {
  model?.destroy();
  showLoad(notStarted);
  model = LanguageModel.start(new URL('worker.js', import.meta.url));
  autocomplete.model = model;
  generator.model = model;
  try {
    const description = await model.load(urls, { onProgress: (progress) => showLoad({ kind: 'loading', progress }) });
    showLoad({ kind: 'ready', description });
  } catch (error) {
    showLoad({ kind: 'failed', error: toEngineError(error) });
  }
}

function applyState(): void {
  autocomplete.text = state.text;
  generator.prompt = state.prompt;
  generator.fields = state.fields;
}

document.addEventListener('vitrine-run', (event) => {
  const run = (event as CustomEvent<Run>).detail;
  // The panel shows the run that began last. One that has no step, or never will, leaves the proof of the one before.
  if (run.steps.length > 0 && run.number >= (proof.run?.number ?? 0)) proof.run = run;
});
document.addEventListener('vitrine-text', (event) => {
  setState({ text: (event as CustomEvent<string>).detail });
});
document.addEventListener('vitrine-generator-state', (event) => {
  setState((event as CustomEvent<{ prompt: string; fields: PolicyFields }>).detail);
});
document.addEventListener('vitrine-retry', () => void startModel());
window.addEventListener('hashchange', () => {
  if (location.hash !== '' && !carriesState(location.hash)) return;
  state = readState(location.hash);
  applyState();
});

applyState();
void startModel();
