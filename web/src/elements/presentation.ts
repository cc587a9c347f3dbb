// What every element does about how it is presented: it is rendered again when a page replaces messages, and hides the
// parts that its `hide` attribute names ("policy stop"). It knows no element and no part.

import type { ReactiveController, ReactiveControllerHost } from 'lit';

import { onMessagesReplaced } from '../messages';

const partName = /^[a-z][a-z_-]*$/;

export class Presentation implements ReactiveController {
  private stopListening: (() => void) | null = null;
  private readonly sheet = new CSSStyleSheet();
  private readonly attributes = new MutationObserver(() => {
    this.hideParts();
    this.host.requestUpdate(); // elements hand the attribute on
  });

  constructor(private readonly host: ReactiveControllerHost & HTMLElement) {
    host.addController(this);
  }

  hostConnected(): void {
    const { host, sheet } = this;
    this.stopListening = onMessagesReplaced(() => host.requestUpdate());
    this.attributes.observe(host, { attributes: true, attributeFilter: ['hide'] });
    const root = host.shadowRoot;
    if (root && !root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
    this.hideParts();
  }

  hostDisconnected(): void {
    this.stopListening?.();
    this.attributes.disconnect();
  }

  private hideParts(): void {
    const names = (this.host.getAttribute('hide') ?? '').split(/[\s,]+/).filter((name) => partName.test(name));
    const rules = names.map((name) => `[part~="${name}"] { display: none !important; }`);
    this.sheet.replaceSync(rules.join('\n'));
  }
}
