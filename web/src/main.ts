// Wires the page: keeps what the visitor has set in its address and gives it back, and loads each section's code when it
// comes near the screen. The elements get the engine by themselves and know nothing of each other.

import './elements/autocomplete';
import './elements/generator';
import './elements/proof';
import './elements/status';
import './elements/theme';

import { markContents } from './browser/contents';
import { loadWhenNear } from './browser/load-when-near';
import type { VitrineAutocomplete } from './elements/autocomplete';
import { engineUrls } from './elements/engine-controller';
import type { VitrineGenerator } from './elements/generator';
import { notStarted, type LoadState } from './engine/load-state';
import { SharedEngine } from './engine/shared-engine';
import { recording } from './runs/recording';
import { otherBundleText } from './state/other-bundle';
import { bundleMark, carriesState, readState, writeState, type PageState } from './state/page-state';
import type { SectionState } from './state/section-state';

function element<E extends Element>(selector: string): E {
  const found = document.querySelector<E>(selector);
  if (found === null) throw new Error(`page: expected an element ${selector}, found none`);
  return found;
}

const autocomplete = element<VitrineAutocomplete>('vitrine-autocomplete');
const generator = element<VitrineGenerator>('vitrine-generator');
/** Their code may come later than what they are given. */
const lanes = element('vitrine-lanes');
const sampling = element('vitrine-sampling');
const inside = element('vitrine-inside');
const otherBundle = element<HTMLElement>('#other-bundle');

let state: PageState = readState(location.hash);
let load: LoadState = notStarted;

/** Browsers bound how often an address may change, so it follows when the typing rests. */
const addressRestMilliseconds = 400;
let addressTimer = 0;

/** What the visitor changes is a state of the bundle that is loaded now. */
function setState(changed: Partial<PageState>): void {
  const bundle = load.kind === 'ready' ? bundleMark(load.description.parts) : '';
  state = { ...state, ...changed, bundle };
  showOtherBundle();
  clearTimeout(addressTimer);
  addressTimer = window.setTimeout(writeAddress, addressRestMilliseconds);
}

function writeAddress(): void {
  const fragment = writeState(state);
  history.replaceState(null, '', fragment === '' ? location.pathname + location.search : `#${fragment}`);
}

/** A link to a place of the page has taken the state out of the address: the place is shown, and the state goes back. */
function keepStateInAddress(): void {
  if (writeState(state) !== '') writeAddress();
}

function applyState(): void {
  autocomplete.text = state.text;
  generator.prompt = state.prompt;
  generator.fields = state.fields;
  Object.assign(lanes, state.sections.lanes);
  Object.assign(sampling, state.sections.sampling);
  Object.assign(inside, state.sections.inside);
  showOtherBundle();
}

function showOtherBundle(): void {
  otherBundle.textContent = otherBundleText(state.bundle, load);
}

document.addEventListener('vitrine-text', (event) => {
  setState({ text: event.detail });
});
document.addEventListener('vitrine-generator-state', (event) => {
  setState(event.detail);
});
const setSections = (changed: Partial<SectionState>): void => setState({ sections: { ...state.sections, ...changed } });
document.addEventListener('vitrine-lanes-state', (event) => setSections({ lanes: event.detail }));
document.addEventListener('vitrine-sampling', (event) => setSections({ sampling: event.detail }));
document.addEventListener('vitrine-inside', (event) => setSections({ inside: event.detail }));
window.addEventListener('hashchange', () => {
  if (location.hash !== '' && !carriesState(location.hash)) return keepStateInAddress();
  state = readState(location.hash);
  applyState();
});

// The page holds the engine itself too: it stays while sections come and go.
const { engine } = SharedEngine.hold(engineUrls(null, null), (now) => {
  load = now;
  showOtherBundle();
});
// A load that the browser cut off when it put the page away begins anew when the visitor comes back to it.
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted && load.kind === 'failed') engine.retry();
});

applyState();
markContents(element('.contents'));
autocomplete.recording = recording;
const rows = (): Promise<unknown> => import('./sections/rows');
const model = (): Promise<unknown> => import('./sections/model');
const bundle = (): Promise<unknown> => import('./sections/bundles');
loadWhenNear({
  'vitrine-lanes': rows,
  'vitrine-cache': rows,
  'vitrine-sampling': model,
  'vitrine-inside': model,
  'vitrine-faults': model,
  'vitrine-training': bundle,
  'vitrine-bundle': bundle,
});
