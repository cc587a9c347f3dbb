// Styles of <vitrine-training>: the two ways to train, the progress, what comes out.

import { css } from 'lit';

export const trainingStyles = css`
  .ways {
    display: flex;
    flex-wrap: wrap;
    gap: var(--space-1) var(--space-5);
  }

  .text textarea {
    resize: vertical;
    min-height: 9rem;
    font-size: var(--step--1);
  }

  .progress {
    display: grid;
    gap: var(--space-1);
    margin: var(--space-3) 0;
  }

  progress {
    width: 100%;
    height: 0.5rem;
    accent-color: var(--cached);
  }

  .made {
    border-top: 1px solid var(--line);
    margin-top: var(--space-4);
    padding-top: var(--space-2);
  }

  .given {
    color: var(--ghost);
  }
`;
