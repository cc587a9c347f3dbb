// What every element says of the engine's files, by attribute: their folder, and that of the bundle. The engine itself an
// element gets by its EngineController, if it wants one.

import { LitElement, type PropertyDeclarations } from 'lit';

/**
 * An element that names the engine's files.
 *
 * @attr {string} hide - Parts that are not shown, by name, with blanks between them; also those of the elements that it is made of.
 */
export class EngineElement extends LitElement {
  static override properties: PropertyDeclarations = { base: {} };
  /** The folder of worker.js and vitrine-module.mjs; null: that of the script. Read when the element enters a document. */
  declare base: string | null;

  constructor() {
    super();
    this.base = null;
  }
}

/** An element that names a bundle, too. */
export class ModelElement extends EngineElement {
  static override properties: PropertyDeclarations = { bundle: {} };
  /** The folder of the bundle; null: models/shell/ in the base. Read when the element enters a document. */
  declare bundle: string | null;

  constructor() {
    super();
    this.bundle = null;
  }
}
