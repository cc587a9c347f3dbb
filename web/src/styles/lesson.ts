// Styles that the figures of the lessons share: figures, their controls, formulas and bars.

import { css } from 'lit';

export const lessonStyles = css`
  figure {
    margin: var(--space-4) 0;
  }

  figcaption {
    margin: var(--space-2) 0;
    max-width: var(--measure);
  }

  .controls {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr));
    gap: var(--space-3) var(--space-5);
    margin: var(--space-3) 0;
    align-items: end;
  }

  .controls label {
    display: flex;
    justify-content: space-between;
    gap: var(--space-2);
  }

  .controls .choice {
    justify-content: start;
  }

  .controls button {
    justify-self: start;
  }

  .formula {
    padding: var(--space-2) 0;
    font-size: var(--step-1);
  }

  math {
    font-size: 1.05em;
  }

  mtd {
    padding: 0.3em 0.5em;
  }

  .shares {
    display: grid;
    grid-template-columns: minmax(0, max-content) minmax(4rem, 1fr) max-content;
    gap: var(--space-2) var(--space-3);
    align-items: center;
  }

  .shares svg {
    width: 100%;
    height: 1rem;
  }

  .track {
    fill: var(--well);
    stroke: var(--line);
  }

  /* The largest is filled and the others are outlined: colour alone tells nothing. */
  .bar {
    fill: var(--full-soft);
    stroke: var(--full);
    vector-effect: non-scaling-stroke;
  }

  .bar.largest {
    fill: var(--cached);
    stroke: var(--cached);
  }

  .dials {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(9rem, 100%), 14rem));
    gap: var(--space-4);
  }

  .dial {
    display: grid;
    justify-items: center;
    gap: var(--space-1);
  }

  .dial svg {
    width: 100%;
    height: auto;
  }

  .rim,
  .axis {
    fill: none;
    stroke: var(--line);
  }

  .arrow {
    stroke-width: 1;
    opacity: 0.6;
  }

  .arrow.after {
    stroke-width: 2.5;
    opacity: 1;
  }

  .query {
    stroke: var(--cached);
    fill: var(--cached);
  }

  .key {
    stroke: var(--full);
    fill: var(--glass);
  }

  .arrow.key {
    stroke-dasharray: 5 3;
  }

  .numbers {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(13rem, 100%), max-content));
    gap: var(--space-4) var(--space-5);
    margin: var(--space-3) 0;
  }

  .row {
    display: flex;
    gap: var(--space-1);
    margin-bottom: var(--space-1);
  }

  .row input {
    width: 5.5rem;
    min-width: 0;
    flex: 0 1 5.5rem;
  }

  .steps {
    margin: var(--space-3) 0;
    padding-inline-start: 1.4em;
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: var(--space-3);
  }

  .agreement {
    padding: var(--space-2) var(--space-3);
    border-inline-start: 4px solid var(--cached);
    border-radius: var(--radius-small);
    background: var(--cached-soft);
    max-width: var(--measure);
  }

  .agreement.different {
    border-color: var(--bad);
    border-inline-start-style: double;
    background: var(--bad-soft);
  }
`;
