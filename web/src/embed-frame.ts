// The script of embed.html: shows the element that the address names, with the attributes, policy, appearance and language
// that it gives, and tells the parent its height and the element's events. It talks to one declared origin and no other.

import { engineUrls } from './elements/engine-controller';
import { define, elementNames } from './embed';
import { notStarted, type LoadState } from './engine/load-state';
import { SharedEngine } from './engine/shared-engine';
import { postToParent, readAppearance, readFrame, type Appearance, type ToFrame } from './frame-messages';
import { replaceMessages } from './messages';
import type { ElementName } from './public-types';
import { otherBundleText } from './state/other-bundle';
import { bundleMark, readState, stateNames, writeState, type PageState } from './state/page-state';
import { readSampling } from './state/sampling-fields';

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

/** The policy of the address, in the form of the element that has one: their fields are not the same. */
function setFields(element: HTMLElement): void {
  const { localName } = element;
  if (localName === 'vitrine-generator') Object.assign(element, { fields: readState(location.search).fields });
  if (localName === 'vitrine-sampling') Object.assign(element, { fields: readSampling(location.search) });
}

/** Only what the element observes is an attribute of it. */
function setAttributes(element: HTMLElement): void {
  const { observedAttributes = [] } = element.constructor as { observedAttributes?: string[] };
  for (const [name, value] of state.attributes) {
    if (!notAttributes.includes(name) && observedAttributes.includes(name)) element.setAttribute(name, value);
  }
  if (state.hide !== '') element.setAttribute('hide', state.hide);
}

/** The address follows what the visitor sets, so that it can be copied, and tells when it was made with another bundle. */
function follow(element: HTMLElement): void {
  let load: LoadState = notStarted;
  let changed = false;
  const told = document.createElement('p');
  told.setAttribute('role', 'status');
  place.prepend(told);
  const showBundle = (): void => {
    told.textContent = otherBundleText(readState(location.search).bundle, load);
  };
  const keep = (now: Partial<PageState>): void => {
    changed = true;
    const bundle = load.kind === 'ready' ? bundleMark(load.description.parts) : '';
    const values = new URLSearchParams(location.search);
    for (const name of stateNames) values.delete(name);
    for (const [name, value] of new URLSearchParams(writeState({ ...readState(location.search), ...now, bundle }))) {
      values.set(name, value);
    }
    history.replaceState(null, '', `?${values}`);
    showBundle();
    postToParent(state.origin, { vitrine: 'address', href: location.href });
  };
  SharedEngine.hold(engineUrls(null, null), (now) => {
    load = now;
    // What was set before it is known which bundle is loaded is marked now.
    if (changed && load.kind === 'ready') keep({});
    showBundle();
  });
  element.addEventListener('vitrine-text', (event) => keep({ text: event.detail }));
  element.addEventListener('vitrine-generator-state', (event) => keep(event.detail));
}

function tellHeight(): void {
  postToParent(state.origin, { vitrine: 'height', height: Math.ceil(document.documentElement.getBoundingClientRect().height) });
}

async function show(name: ElementName): Promise<void> {
  await define(name);
  const element = document.createElement(name);
  setAttributes(element);
  setFields(element);
  if (name === 'vitrine-generator' || name === 'vitrine-autocomplete') follow(element);
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
