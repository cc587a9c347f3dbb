// Styles of <vitrine-autocomplete>: the case with the text box, and the ghost that lies behind what is typed.

import { css } from 'lit';

export const autocompleteStyles = css`
  label {
    font-size: inherit;
    color: inherit;
  }

  .case {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    gap: 0.6ch;
    padding: var(--space-4);
    border: 1px solid var(--line-strong);
    border-radius: var(--radius);
    background: var(--well);
    box-shadow: inset 0 1px 3px light-dark(#13201f1a, #00000080);
    font: var(--step-1) / 1.55 var(--mono);
  }

  .case:focus-within {
    border-color: var(--cached);
    outline: 2px solid var(--focus);
    outline-offset: 1px;
  }

  .prompt {
    color: var(--cached);
    font-weight: 700;
    user-select: none;
  }

  .field {
    display: grid;
    min-height: 4.65em;
  }

  /* Both break between any two characters, as a terminal does: what follows the typed text cannot move it. */
  .mirror,
  textarea {
    grid-area: 1 / 1;
    margin: 0;
    padding: 0;
    border: 0;
    font: inherit;
    letter-spacing: inherit;
    white-space: break-spaces;
    word-break: break-all;
    overflow-wrap: anywhere;
  }

  .typed {
    color: transparent;
  }

  .ghost,
  .comment {
    color: var(--ghost);
  }

  /* Colours that the visitor forces would show the typed text twice, and the ghost as if it were typed. */
  @media (forced-colors: active) {
    .typed {
      forced-color-adjust: none;
    }

    .ghost,
    .comment {
      color: GrayText;
      font-style: italic;
    }
  }

  /* Below the command, in whole words; accepted, it goes on in the command's line. */
  .comment {
    display: block;
    font-style: italic;
    white-space: normal;
    word-break: normal;
  }

  textarea {
    width: 100%;
    height: 100%;
    background: none;
    color: var(--ink);
    resize: none;
    overflow: hidden;
    caret-color: var(--cached);
  }

  textarea:focus-visible {
    outline: none;
  }

  .keys {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--space-2) var(--space-4);
    margin: var(--space-3) 0;
  }

  .cost {
    display: flex;
    flex-wrap: wrap;
    justify-content: space-between;
    gap: 0 var(--space-4);
  }

  .loading {
    display: grid;
    gap: var(--space-1);
  }

  /* One place for how far the load is and, after it, for what a completion took: the longer of the two fits. */
  .cost,
  .loading {
    min-height: 4.75rem;
    align-content: center;
    padding: var(--space-2) 0;
    border-top: 1px solid var(--line);
  }

  .reuse {
    display: grid;
    gap: var(--space-1);
    min-width: 0;
  }

  .strip {
    max-width: 100%;
    height: auto;
  }

  /* The longest suggestion takes more lines here: their place is kept, so that nothing jumps. */
  @media (max-width: 34rem) {
    .field {
      min-height: 7.75em;
    }

    .cost,
    .loading {
      min-height: 8.75rem;
    }
  }

  .reused {
    fill: var(--cached);
    stroke: var(--cached);
  }

  .computed {
    fill: none;
    stroke: var(--full);
  }

  .examples {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--space-2);
    margin: 0;
  }

  .chip {
    unicode-bidi: plaintext;
    font-family: var(--mono);
    font-weight: 400;
    padding: 0.25rem 0.6rem;
    min-height: 1.9rem;
  }

  .chip.plain {
    font-family: var(--sans);
    border-color: transparent;
    background: none;
    text-decoration: underline;
  }

  .failure {
    margin-top: var(--space-4);
  }
`;
