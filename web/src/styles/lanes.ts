// Styles of <vitrine-lanes>: its controls, the text as tokens, and the two tracks of time.

import { css } from 'lit';

export const lanesStyles = css`
  .controls {
    display: flex;
    flex-wrap: wrap;
    align-items: end;
    gap: var(--space-2);
  }

  .prompt {
    flex: 1 1 16rem;
    min-width: 0;
  }

  /* Run and Pause take turns in one place. */
  [data-run] {
    min-width: 5.5rem;
  }

  .rewind {
    display: inline-flex;
    flex-wrap: wrap;
  }

  .rewind button {
    border-start-end-radius: 0;
    border-end-end-radius: 0;
  }

  .rewind input {
    width: 4rem;
    border-start-start-radius: 0;
    border-end-start-radius: 0;
    border-inline-start: 0;
  }

  .tokens {
    margin: var(--space-4) 0 var(--space-2);
    padding: var(--space-3);
    min-height: 6.2rem;
    border: 1px solid var(--line);
    border-radius: var(--radius-small);
    background: var(--well);
    font: var(--step-0) / 1.9 var(--mono);
    overflow-wrap: anywhere;
  }

  .token {
    display: inline-block;
    margin-inline-end: 3px;
    padding: 0 0.2em;
    border-radius: 4px;
    line-height: 1.5;
    white-space: pre-wrap;
    border-bottom: 3px solid transparent;
  }

  .token.given {
    color: var(--ink-soft);
    background: var(--glass);
  }

  @media (forced-colors: active) {
    .token.given {
      border-color: Canvas;
    }
  }

  .token.same {
    background: var(--cached-soft);
    border-color: var(--cached);
  }

  .token.different {
    background: var(--bad-soft);
    border-bottom: 3px double var(--bad);
  }

  .status {
    min-height: 1.3rem;
    margin: 0 0 var(--space-4);
  }

  .waiting {
    margin-bottom: var(--space-5);
  }

  .columns {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr));
    gap: var(--space-3) var(--space-4);
    margin-bottom: var(--space-4);
  }

  .columns .verdict {
    height: 100%;
    margin: 0;
  }

  .columns .gauges {
    height: 100%;
  }

  figure {
    margin: 0;
  }

  figcaption {
    margin: var(--space-2) 0;
  }

  .track {
    display: grid;
    grid-template-columns: 7.5rem minmax(0, 1fr) 4.5rem;
    align-items: center;
    gap: var(--space-3);
    margin-bottom: var(--space-2);
    font-size: var(--step--1);
  }

  .track svg {
    width: 100%;
    height: 22px;
    background: var(--well);
  }

  .track .number {
    text-align: end;
  }

  .track rect.full {
    vector-effect: non-scaling-stroke;
  }

  .stripe {
    stroke: var(--glass);
    stroke-width: 2;
    vector-effect: non-scaling-stroke;
  }

  rect.full ~ .stripe {
    stroke: var(--full);
  }

  .legend {
    margin: 0;
  }

  @media (max-width: 34rem) {
    .track {
      grid-template-columns: minmax(0, 1fr) auto;
    }

    .track svg {
      grid-row: 2;
      grid-column: 1 / -1;
    }
  }

  .growth {
    margin-top: var(--space-5);
    border-top: 1px solid var(--line);
  }

  .measures {
    display: flex;
    flex-wrap: wrap;
    gap: var(--space-1) var(--space-4);
    margin-bottom: var(--space-3);
  }
`;
