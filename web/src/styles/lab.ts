// Styles of <vitrine-lab>: its steps, one below the other, and the sheet that a prediction is written on.

import { css } from 'lit';

export const labStyles = css`
  .step {
    margin-top: var(--space-4);
    padding-top: var(--space-4);
    border-top: 1px solid var(--line);
  }

  .step > h3 {
    margin-top: 0;
  }

  .question {
    font-size: var(--step-1);
    font-weight: 560;
    line-height: 1.4;
    max-width: var(--measure);
  }

  .prose,
  details p {
    max-width: var(--measure);
  }

  textarea {
    display: block;
    font-family: var(--sans);
    resize: vertical;
    margin: var(--space-1) 0;
    max-width: var(--measure);
  }

  textarea[readonly] {
    border-style: dashed;
  }

  blockquote {
    margin: 0 0 var(--space-4);
    padding-inline-start: var(--space-3);
    border-inline-start: 4px solid var(--line-strong);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    max-width: var(--measure);
  }

  .end,
  .record {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--space-2) var(--space-4);
  }

  .end {
    margin-top: var(--space-3);
  }

  .end p,
  .record {
    margin: 0;
  }

  .record button {
    padding: 0.15rem 0.5rem;
    min-height: 1.7rem;
  }

  .figure {
    margin-top: var(--space-3);
  }

  .figure > * {
    margin: 0;
  }
`;
