// Styles that the sections about policy, inside, faults and training share: figures, rows of tokens, forms, a verdict.
// What only one of them needs stands in its element.

import { css } from 'lit';

export const sectionStyles = css`
  figure {
    margin: var(--space-4) 0 var(--space-5);
  }

  figcaption {
    margin-top: var(--space-2);
    font-size: var(--step--1);
    max-width: var(--measure);
  }

  figure > details {
    margin-top: var(--space-2);
  }

  figure .scroll {
    max-height: 22rem;
  }

  figure svg {
    display: block;
  }

  .lead {
    max-width: var(--measure);
    color: var(--ink-soft);
  }

  .actions {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--space-2);
    margin: var(--space-3) 0;
  }

  .line {
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    gap: var(--space-2);
    margin: 0.2rem 0 var(--space-3);
  }

  .fields {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(9.5rem, 100%), 1fr));
    gap: var(--space-3) var(--space-4);
    align-items: start;
  }

  .field {
    margin-bottom: var(--space-4);
  }

  .fields label {
    display: block;
    margin-bottom: 0.2rem;
  }

  /* Figures that can stand beside each other where there is room. */
  .beside {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(25rem, 100%), 1fr));
    gap: 0 var(--space-5);
    align-items: start;
  }

  .beside > * {
    min-width: 0;
  }

  fieldset {
    margin-bottom: var(--space-4);
  }

  .tokens {
    display: flex;
    flex-wrap: wrap;
    gap: var(--space-1);
    margin: 0;
    padding: 0;
    list-style: none;
  }

  .tokens button {
    display: block;
    font: var(--step--1) / 1.2 var(--mono);
    min-height: 1.75rem;
    padding: 0.25rem 0.45rem;
    border: 1px solid var(--line-strong);
    border-radius: var(--radius-small);
    background: var(--well);
    color: var(--ink);
    white-space: pre;
  }

  .tokens button[aria-pressed='true'] {
    background: var(--cached);
    border-color: var(--cached);
    color: var(--on-accent);
    font-weight: 700;
  }

  @media (forced-colors: active) {
    .tokens button[aria-pressed='true'] {
      forced-color-adjust: none;
      background: Highlight;
      border-color: Highlight;
      color: HighlightText;
    }
  }
`;
