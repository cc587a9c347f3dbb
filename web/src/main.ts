// Wires the page: keeps what the visitor has set in its address, and gives it back. The elements get the engine by
// themselves (EngineController) and know nothing of each other.

import './elements/autocomplete';
import './elements/bundle';
import './elements/generator';
import './elements/proof';
import './elements/status';
import './elements/theme';

import type { VitrineAutocomplete } from './elements/autocomplete';
import type { GeneratorState, VitrineGenerator } from './elements/generator';
import { carriesState, readState, writeState, type PageState } from './page-state';

function element<E extends Element>(selector: string): E {
  const found = document.querySelector<E>(selector);
  if (found === null) throw new Error(`page: expected an element ${selector}, found none`);
  return found;
}

const autocomplete = element<VitrineAutocomplete>('vitrine-autocomplete');
const generator = element<VitrineGenerator>('vitrine-generator');

let state: PageState = readState(location.hash);

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

function applyState(): void {
  autocomplete.text = state.text;
  generator.prompt = state.prompt;
  generator.fields = state.fields;
}

document.addEventListener('vitrine-text', (event) => {
  setState({ text: (event as CustomEvent<string>).detail });
});
document.addEventListener('vitrine-generator-state', (event) => {
  setState((event as CustomEvent<GeneratorState>).detail);
});
window.addEventListener('hashchange', () => {
  if (location.hash !== '' && !carriesState(location.hash)) return;
  state = readState(location.hash);
  applyState();
});

applyState();
