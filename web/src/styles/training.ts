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
    margin: var(--space-3) 0;
  }

  .made {
    border-top: 1px solid var(--line);
    margin-top: var(--space-4);
    padding-top: var(--space-2);
  }
`;
