// HiddenParts: hides the parts of an element that its `hide` attribute names ("policy stop"), so that a page shows as
// much of an element as it has use for. Elements with an EngineController have one already. It knows no part.

import type { ReactiveController, ReactiveControllerHost } from 'lit';

const partName = /^[a-z][a-z-]*$/;

export class HiddenParts implements ReactiveController {
  private readonly sheet = new CSSStyleSheet();
  private readonly attributes = new MutationObserver(() => this.hide());

  constructor(private readonly host: ReactiveControllerHost & HTMLElement) {
    host.addController(this);
  }

  hostConnected(): void {
    const root = this.host.shadowRoot;
    if (root && !root.adoptedStyleSheets.includes(this.sheet)) {
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, this.sheet];
    }
    this.attributes.observe(this.host, { attributes: true, attributeFilter: ['hide'] });
    this.hide();
  }

  hostDisconnected(): void {
    this.attributes.disconnect();
  }

  private hide(): void {
    const names = (this.host.getAttribute('hide') ?? '').split(/[\s,]+/).filter((name) => partName.test(name));
    const rules = names.map((name) => `[part~="${name}"] { display: none !important; }`);
    this.sheet.replaceSync(rules.join('\n'));
  }
}
