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
import { SharedEngine } from './engine/shared-engine';
import { KeptAddress } from './kept-address';
import { recording } from './runs/recording';
import { placeOf, type Place } from './state/address';

function element<E extends Element>(selector: string): E {
  const found = document.querySelector<E>(selector);
  if (found === null) throw new Error(`page: expected an element ${selector}, found none`);
  return found;
}

const autocomplete = element<VitrineAutocomplete>('vitrine-autocomplete');
/** The code of a section may come later than what it is given. */
const places = new Map<HTMLElement, Place>([
  [autocomplete, placeOf('vitrine-autocomplete', '', { text: recording.text })],
  [element('vitrine-generator'), placeOf('vitrine-generator')],
  [element('vitrine-lanes'), placeOf('vitrine-lanes', 'lanes.')],
  [element('vitrine-sampling'), placeOf('vitrine-sampling', 'draw.')],
  [element('vitrine-inside'), placeOf('vitrine-inside', 'inside.')],
  [element('vitrine-faults'), placeOf('vitrine-faults', 'break.')],
  [element('vitrine-training'), placeOf('vitrine-training', 'train.')],
]);

const fragment = (): URLSearchParams => new URLSearchParams(location.hash.slice(1));
const address = new KeptAddress(places, element('#other-bundle'), fragment(), (values) => {
  history.replaceState(null, '', values.size === 0 ? location.pathname + location.search : `#${values}`);
});
window.addEventListener('hashchange', () => {
  // A link to a place on the page has taken the state out of the address: the place is shown, and the state goes back.
  if (location.hash !== '' && !address.isStateIn(fragment())) address.restore();
  else address.show(fragment());
});

// The page holds the engine itself too: it stays while sections come and go.
SharedEngine.hold(engineUrls(null, null), (load) => address.follow(load));

markContents(element('.contents'));
autocomplete.recording = recording;
const rows = (): Promise<unknown> => import('./sections/rows');
const model = (): Promise<unknown> => import('./sections/model');
loadWhenNear({
  'vitrine-lanes': rows,
  'vitrine-cache': rows,
  'vitrine-sampling': model,
  'vitrine-inside': model,
  'vitrine-faults': model,
  'vitrine-training': model,
  'vitrine-bundle': model,
});
