// Styles of the verdict that views/verdict.ts draws, for every element that shows one.

import { css } from 'lit';

export const verdictStyles = css`
  .verdict {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    gap: 0 var(--space-4);
    align-items: baseline;
    padding: var(--space-3) var(--space-4);
    border-radius: var(--radius-small);
    border-inline-start: 4px solid var(--line-strong);
    background: var(--well);
    margin-bottom: var(--space-4);
  }

  .verdict p {
    margin: 0;
  }

  .verdict.waiting {
    display: block;
    color: var(--ink-soft);
  }

  .verdict.identical {
    background: var(--cached-soft);
    border-color: var(--cached);
  }

  .verdict.different {
    background: var(--bad-soft);
    border-color: var(--bad);
  }

  .bits {
    grid-row: span 2;
    align-self: center;
    display: grid;
    justify-items: center;
    line-height: 1.1;
    font-size: var(--step--1);
  }

  .bits .number {
    font-size: var(--step-3);
    font-weight: 600;
  }

  .sentence {
    font-weight: 620;
  }

  @container (max-width: 13rem) {
    .verdict {
      display: block;
    }
  }
`;
