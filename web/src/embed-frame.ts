// The script of embed.html: shows the element that the address names, with the attributes, policy, appearance and language
// that it gives, and tells the parent its height and the element's events. It talks to one declared origin and no other.

import { engineUrls } from './elements/engine-controller';
import { define, elementNames } from './embed';
import { SharedEngine } from './engine/shared-engine';
import { postToParent, readAppearance, readFrame, type Appearance, type ToFrame } from './frame-messages';
import { KeptAddress } from './kept-address';
import { replaceMessages } from './messages';
import type { ElementName } from './public-types';
import { placeOf } from './state/address';
import { isStateful, type Stateful } from './state/element-states';

const place = document.querySelector('main') ?? document.body;
const state = readFrame(location.search, location.origin);

/** What a course may record. */
const toldEvents = ['vitrine-lab-predicted', 'vitrine-lab-result', 'vitrine-lab-forgotten', 'vitrine-parity-report'] as const;

function setAppearance({ theme, lang, dir }: Appearance): void {
  const root = document.documentElement;
  if (theme === 'auto') delete root.dataset['theme'];
  else root.dataset['theme'] = theme;
  root.lang = lang;
  root.dir = dir;
}

/** Where the engine's files are is not the address's to say, and `bundle` is the mark of a bundle, as in the page's address. */
const notAttributes = ['base', 'bundle'];

/** Only what the element observes is an attribute of it. */
function setAttributes(element: HTMLElement): void {
  const { observedAttributes = [] } = element.constructor as { observedAttributes?: string[] };
  for (const [name, value] of state.attributes) {
    if (!notAttributes.includes(name) && observedAttributes.includes(name)) element.setAttribute(name, value);
  }
  if (state.hide !== '') element.setAttribute('hide', state.hide);
}

/** The address says what is set in the element and follows what the visitor sets, so that it can be copied. */
function keepAddress(element: HTMLElement, name: Stateful): void {
  const told = document.createElement('p');
  told.setAttribute('role', 'status');
  place.prepend(told);
  const address = new KeptAddress(new Map([[element, placeOf(name)]]), told, new URLSearchParams(location.search), (values) => {
    history.replaceState(null, '', `?${values}`);
    postToParent(state.origin, { vitrine: 'address', href: location.href });
  });
  if ('bundle' in element) SharedEngine.hold(engineUrls(null, null), (load) => address.follow(load));
}

function tellHeight(): void {
  postToParent(state.origin, { vitrine: 'height', height: Math.ceil(document.documentElement.getBoundingClientRect().height) });
}

async function show(name: ElementName): Promise<void> {
  await define(name);
  const element = document.createElement(name);
  setAttributes(element);
  if (isStateful(name)) keepAddress(element, name);
  for (const type of toldEvents) {
    element.addEventListener(type, (event) => {
      postToParent(state.origin, { vitrine: 'event', type, detail: event.detail });
    });
  }
  place.append(element);
}

window.addEventListener('message', ({ data, origin, source }: MessageEvent<unknown>) => {
  if (source !== window.parent || origin !== state.origin) return;
  const { vitrine, texts, theme, lang, dir } = (data ?? {}) as Partial<ToFrame>;
  if (vitrine === 'messages') replaceMessages(texts ?? {});
  if (vitrine === 'appearance') {
    const now = { theme: theme ?? state.theme, lang: lang ?? state.lang, dir: dir ?? state.dir };
    setAppearance(Object.assign(state, readAppearance(new URLSearchParams(now))));
  }
});

setAppearance(state);
new ResizeObserver(tellHeight).observe(document.documentElement);
const name = elementNames.find((known) => known === state.element);
if (name) {
  void show(name);
} else {
  const told = document.createElement('p');
  told.setAttribute('role', 'alert');
  told.textContent = `element: expected one of ${elementNames.join(', ')}; found "${state.element}"`;
  place.append(told);
}
