// Styles of <vitrine-cache>: its controls, and each row of the batch with its grid.

import { css } from 'lit';

export const cacheStyles = css`
  .controls,
  .join {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--space-2);
  }

  .join {
    flex: 1 1 20rem;
    min-width: 0;
    margin-inline-start: var(--space-3);
  }

  .join input {
    flex: 1 1 8rem;
    width: auto;
    min-width: 0;
  }

  [data-run] {
    min-width: 5.5rem;
  }

  .status {
    min-height: 1.3rem;
    margin: var(--space-3) 0 var(--space-2);
  }

  .total {
    font-weight: 600;
  }

  .rows {
    display: grid;
    gap: var(--space-4);
  }

  .row {
    min-width: 0;
    padding: var(--space-4);
    border: 1px solid var(--line-strong);
    border-inline-start: 4px solid var(--cached);
    border-radius: var(--radius-small);
  }

  .row.finished {
    border-color: var(--line);
    border-inline-start: 4px dashed var(--line-strong);
    background: var(--well);
  }

  .row header {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr) auto auto;
    align-items: baseline;
    gap: var(--space-1) var(--space-4);
    margin-bottom: var(--space-3);
  }

  .row h3 {
    margin: 0;
    color: var(--ink);
  }

  .row header code {
    white-space: pre-wrap;
  }

  .held {
    display: grid;
    grid-template-columns: minmax(0, 3fr) minmax(0, 2fr);
    gap: 0 var(--space-5);
    align-items: start;
  }

  .given {
    color: var(--ink-soft);
  }

  .grid {
    padding-bottom: var(--space-1);
  }

  /* Where there is no room for squares that can be told apart, the grid scrolls. */
  .grid svg {
    display: block;
    width: 100%;
    min-width: 26rem;
  }

  .free {
    fill: var(--line-strong);
  }

  .filled {
    fill: var(--cached);
  }

  .finished .filled {
    fill: var(--line-strong);
  }

  @media (forced-colors: active) {
    .free,
    .filled {
      fill: CanvasText;
    }

    .finished .filled {
      fill: GrayText;
    }
  }

  .legend {
    margin: var(--space-1) 0 0;
  }

  figure {
    margin: 0;
    min-width: 0;
  }

  figcaption {
    margin: var(--space-1) 0;
  }

  .why {
    max-width: var(--measure);
    margin-top: var(--space-5);
  }

  math {
    font-size: 1.15em;
    margin: var(--space-2) 0;
    text-align: start;
  }

  @media (max-width: 60rem) {
    .held {
      grid-template-columns: minmax(0, 1fr);
      gap: var(--space-3);
    }
  }

  @media (max-width: 44rem) {
    .row header {
      grid-template-columns: auto auto;
      justify-content: space-between;
    }

    .row header code,
    .row header .state {
      grid-column: 1 / -1;
    }

    .row header code {
      grid-row: 2;
    }

    .join {
      margin-inline-start: 0;
    }
  }
`;
