// What every element does about how it is presented: it is rendered again when a page replaces messages, and hides the
// parts that its `hide` attribute names ("policy stop"), or that of an element of ours which it is a piece of: so a lab
// hides the controls of its figure. It knows no element and no part.

import type { ReactiveController, ReactiveControllerHost } from 'lit';

import { onMessagesReplaced } from '../messages';

const partName = /^[a-z][a-z_-]*$/;

export class Presentation implements ReactiveController {
  private stopListening: (() => void) | null = null;
  private readonly sheet = new CSSStyleSheet();
  private readonly attributes = new MutationObserver(() => this.hideParts());

  constructor(private readonly host: ReactiveControllerHost & HTMLElement) {
    host.addController(this);
  }

  hostConnected(): void {
    const { host, sheet } = this;
    this.stopListening = onMessagesReplaced(() => host.requestUpdate());
    for (const element of this.wholes()) this.attributes.observe(element, { attributes: true, attributeFilter: ['hide'] });
    const root = host.shadowRoot;
    if (root && !root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
    this.hideParts();
  }

  hostDisconnected(): void {
    this.stopListening?.();
    this.attributes.disconnect();
  }

  /** The element, and each one of ours whose shadow root it stands in, outwards. */
  private wholes(): Element[] {
    const found: Element[] = [];
    for (let at: Element | undefined = this.host; at?.localName.startsWith('vitrine-'); at = (at.getRootNode() as Partial<ShadowRoot>).host) {
      found.push(at);
    }
    return found;
  }

  private hideParts(): void {
    const wanted = this.wholes().map((element) => element.getAttribute('hide') ?? '');
    const names = wanted.join(' ').split(/[\s,]+/).filter((name) => partName.test(name));
    const rules = names.map((name) => `[part~="${name}"] { display: none !important; }`);
    this.sheet.replaceSync(rules.join('\n'));
  }
}
