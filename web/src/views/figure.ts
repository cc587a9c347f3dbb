// A figure: a picture whose caption states its conclusion, and the same numbers as a table for whoever cannot see it.
// A pure view; the picture is drawn by whoever calls.

import { html, nothing, type TemplateResult } from 'lit';

import { messages } from '../messages';

const texts = messages('figure', { table: 'The numbers as a table' });

export interface FigureTable {
  /** What the table holds, in words. */
  caption: string;
  head: readonly string[];
  /** The first cell of each row is its heading. */
  rows: ReadonlyArray<ReadonlyArray<string | number>>;
}

/** `summary` opens the table; a figure whose table is always open has none. */
export function figureView(
  picture: unknown,
  conclusion: unknown,
  table: FigureTable,
  summary: string | null = texts.table,
): TemplateResult {
  const body = dataTableView(table);
  return html`
    <figure part="figure">
      ${picture}
      <figcaption><bdi>${conclusion}</bdi></figcaption>
      ${summary === null ? body : html`<details><summary>${summary}</summary>${body}</details>`}
    </figure>
  `;
}

export function dataTableView({ caption, head, rows }: FigureTable): TemplateResult {
  const isNumber = (cell: string | number | undefined): boolean => typeof cell === 'number';
  const kind = (column: number): string => (isNumber(rows[0]?.[column]) ? 'figure' : '');
  return html`
    <div class="scroll" tabindex="0" role="group" aria-label=${caption}>
      <table>
        <caption><bdi>${caption}</bdi></caption>
        <thead>
          <tr>
            ${head.map((cell, column) => html`<th scope="col" class=${kind(column)}>${cell}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ([first, ...rest]) => html`
              <tr>
                <th scope="row" class=${kind(0)}><bdi>${first ?? nothing}</bdi></th>
                ${rest.map((cell, column) => html`<td class=${kind(column + 1)}><bdi>${cell}</bdi></td>`)}
              </tr>
            `,
          )}
        </tbody>
      </table>
    </div>
  `;
}
