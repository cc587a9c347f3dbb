// Styles of <vitrine-inside>: the attention map, one head's columns, the dials of RoPE, the lens.

import { css } from 'lit';

export const insideStyles = css`
  figure .map {
    padding-block: var(--space-1);
    max-height: none;
  }

  .row {
    fill: var(--well);
    stroke: var(--line);
  }

  .row.chosen {
    stroke: var(--full);
    stroke-width: 2;
  }

  .weight {
    fill: var(--cached);
  }

  .head,
  .column-name {
    font: 11px var(--mono);
    fill: var(--ink-soft);
  }

  .column-name {
    fill: var(--ink);
    white-space: pre;
  }

  .floor {
    stroke: var(--line-strong);
  }

  .picks {
    display: flex;
    flex-wrap: wrap;
    gap: var(--space-3);
  }

  .picks select {
    width: auto;
  }

  /* Positions run as in the map beside it. */
  .columns {
    direction: ltr;
    display: flex;
    gap: var(--space-2);
    align-items: end;
  }

  .column {
    display: grid;
    justify-items: center;
    font-size: 0.75rem;
  }

  .column .share,
  .dial bdi {
    font-family: var(--mono);
    font-size: 0.6875rem;
    color: var(--ink-soft);
    white-space: nowrap;
  }

  .spelling {
    font-family: var(--mono);
    white-space: pre;
  }

  .dials {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(5.4rem, 1fr));
    gap: var(--space-2);
  }

  .dial {
    display: grid;
    justify-items: center;
  }

  .legend {
    margin: var(--space-2) 0 0;
  }

  .rim {
    fill: var(--well);
    stroke: var(--line);
  }

  line.before {
    stroke: var(--ink-soft);
    stroke-width: 1.5;
    stroke-dasharray: 3 3;
  }

  circle.before {
    fill: var(--glass);
    stroke: var(--ink-soft);
  }

  line.after {
    stroke: var(--cached);
    stroke-width: 2.5;
  }

  circle.after {
    fill: var(--cached);
  }

  .lens td {
    min-width: 7rem;
    white-space: nowrap;
  }

  .lens svg {
    margin-top: 2px;
  }

  .answer .spelling {
    font-weight: 700;
    text-decoration: underline;
    text-decoration-color: var(--cached);
    text-underline-offset: 3px;
  }

  @media (forced-colors: active) {
    .map svg,
    .column svg,
    .dial svg,
    .lens svg {
      forced-color-adjust: none;
    }

    .weight,
    circle.after {
      fill: CanvasText;
    }

    .head,
    .column-name {
      fill: CanvasText;
    }

    .row,
    .rim,
    circle.before {
      fill: Canvas;
      stroke: GrayText;
    }

    .row.chosen,
    line.after {
      stroke: Highlight;
    }

    line.before,
    .floor {
      stroke: CanvasText;
    }
  }
`;
