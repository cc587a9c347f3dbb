// Formulas as MathML: numbers, vectors and matrices of what the engine computed. It writes numbers and computes none.

import { html, mathml, type TemplateResult } from 'lit';

/** A number as a formula shows it: a true minus sign, so many decimals, minus infinity for null. */
export function decimal(value: number | null, digits = 4): string {
  if (value === null) return '\u2212\u221e';
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `\u2212${text}` : text;
}

/** A matrix in brackets; each cell is shown as it is written. */
export function matrix(rows: ReadonlyArray<readonly string[]>): TemplateResult {
  return mathml`
    <mrow>
      <mo>[</mo>
      <mtable>${rows.map((row) => mathml`<mtr>${row.map((cell) => mathml`<mtd><mn>${cell}</mn></mtd>`)}</mtr>`)}</mtable>
      <mo>]</mo>
    </mrow>
  `;
}

export const numberMatrix = (rows: ReadonlyArray<ReadonlyArray<number | null>>, digits?: number): TemplateResult =>
  matrix(rows.map((row) => row.map((value) => decimal(value, digits))));

/** A displayed formula; the label says it in words. A wide one scrolls by itself. */
export function formula(content: TemplateResult, label: string): TemplateResult {
  return html`
    <div class="formula scroll" tabindex="0" role="group" aria-label=${label}>
      <math display="block">${content}</math>
    </div>
  `;
}
