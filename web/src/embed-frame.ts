// The script of embed.html: shows the element that the address names, with the attributes, policy, appearance and language
// that it gives, and tells the parent its height and the element's events. It talks to one declared origin and no other.

import { define, elementNames, type ElementName } from './embed';
import { postToParent, readAppearance, readFrame, type Appearance, type ToFrame } from './frame-messages';
import { replaceMessages } from './messages';
import { readState, writeState, type PageState } from './page-state';

const place = document.querySelector('main') ?? document.body;
const state = readFrame(location.search, location.origin);

/** What a course may record. */
const toldEvents = ['vitrine-lab-predicted', 'vitrine-lab-result', 'vitrine-parity-report'] as const;

function setAppearance({ theme, lang, dir }: Appearance): void {
  const root = document.documentElement;
  if (theme === 'auto') delete root.dataset['theme'];
  else root.dataset['theme'] = theme;
  root.lang = lang;
  root.dir = dir;
}

/** Only what the element observes is an attribute of it; where the engine's files are is not the address's to say. */
function setAttributes(element: HTMLElement): void {
  const { observedAttributes = [] } = element.constructor as { observedAttributes?: string[] };
  for (const [name, value] of state.attributes) {
    if (name !== 'base' && observedAttributes.includes(name)) element.setAttribute(name, value);
  }
  if (state.hide !== '') element.setAttribute('hide', state.hide);
  if ('fields' in element) element.fields = readState(location.search).fields;
}

/** The address follows what the visitor sets, so that it can be copied. */
function follow(element: HTMLElement): void {
  const keep = (changed: Partial<PageState>): void => {
    const page = { ...readState(location.search), ...changed };
    const values = new URLSearchParams(location.search);
    for (const name of [...new URLSearchParams(writeState(readState(location.search))).keys()]) values.delete(name);
    for (const [name, value] of new URLSearchParams(writeState(page))) values.set(name, value);
    history.replaceState(null, '', `?${values}`);
    postToParent(state.origin, { vitrine: 'address', href: location.href });
  };
  element.addEventListener('vitrine-text', (event) => keep({ text: (event as CustomEvent<string>).detail }));
  element.addEventListener('vitrine-generator-state', (event) => keep((event as CustomEvent<Partial<PageState>>).detail));
}

function tellHeight(): void {
  postToParent(state.origin, { vitrine: 'height', height: Math.ceil(document.documentElement.getBoundingClientRect().height) });
}

async function show(name: ElementName): Promise<void> {
  await define(name);
  const element = document.createElement(name);
  setAttributes(element);
  follow(element);
  for (const type of toldEvents) {
    element.addEventListener(type, (event) => {
      postToParent(state.origin, { vitrine: 'event', type, detail: (event as CustomEvent<unknown>).detail });
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
