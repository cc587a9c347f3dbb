// RowNumbers: the numbers by which the page calls its rows, whichever sessions of the engine come and go. A number is
// never given twice, so that a row of a model that was replaced is no row of the new one.

import { EngineError } from './errors';

export class RowNumbers {
  private next = 1;
  private readonly engineRows = new Map<number, number>();

  add(engineRow: number): number {
    const row = this.next++;
    this.engineRows.set(row, engineRow);
    return row;
  }

  /** The engine's own number. Throws not_loaded. */
  of(row: number): number {
    const engineRow = this.engineRows.get(row);
    if (engineRow === undefined) throw new EngineError('not_loaded', `row: expected one that was started, found ${row}`);
    return engineRow;
  }

  forget(row: number): void {
    this.engineRows.delete(row);
  }

  /** The session that had the rows is no more. */
  clear(): void {
    this.engineRows.clear();
  }
}
