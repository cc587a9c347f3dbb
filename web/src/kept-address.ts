// KeptAddress: keeps what a visitor sets in elements in the address, with the mark of the bundle, so that a copy of the
// address shows the same and gives the same tokens; and tells when an address was made with another bundle.

import { notStarted, type LoadState } from './engine/load-state';
import { readState, saysSomething, writeState, type Place } from './state/address';
import { bundleMark, otherBundleText } from './state/bundle-mark';

/** Browsers bound how often an address may change, so it follows when the typing rests. */
const restMilliseconds = 400;

export class KeptAddress {
  private load: LoadState = notStarted;
  private timer = 0;

  constructor(
    private readonly places: ReadonlyMap<HTMLElement, Place>,
    /** Where it is told that another bundle is loaded. */
    private readonly told: HTMLElement,
    private values: URLSearchParams,
    private readonly write: (values: URLSearchParams) => void,
  ) {
    for (const [element, place] of places) {
      element.addEventListener('vitrine-state', ({ detail }) => {
        writeState(place, detail, this.values);
        this.markBundle();
      });
    }
    this.show(values);
  }

  /** Shows the state of an address. */
  show(values: URLSearchParams): void {
    this.values = values;
    for (const [element, place] of this.places) Object.assign(element, readState(place, values));
    this.tellBundle();
  }

  /** Takes note of which bundle is loaded. What was set before that was known is marked now. */
  follow(load: LoadState): void {
    this.load = load;
    if (this.timer !== 0 && !this.values.has('bundle')) this.markBundle();
    this.tellBundle();
  }

  /** Whether an address is one of a state, and not of a place on the page. */
  isStateIn(values: URLSearchParams): boolean {
    return values.has('bundle') || saysSomething(this.places.values(), values);
  }

  /** Writes the state, if there is any, into an address that has lost it. */
  restore(): void {
    if (this.isStateIn(this.values)) this.write(this.values);
  }

  /** What the visitor sets is a state of the loaded bundle; until it is known which, the mark of the address stays. */
  private markBundle(): void {
    const { load, values } = this;
    if (!saysSomething(this.places.values(), values)) values.delete('bundle');
    else if (load.kind === 'ready') values.set('bundle', bundleMark(load.description.parts));
    this.tellBundle();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.write(this.values), restMilliseconds);
  }

  private tellBundle(): void {
    this.told.textContent = otherBundleText(this.values.get('bundle') ?? '', this.load);
  }
}
