// Styles that several elements share inside their shadow roots: the design tokens of web/tokens.css, buttons, fields,
// tables. What only one element needs stands in that element.

import { css, unsafeCSS } from 'lit';

import tokens from '../../tokens.css';

export const shared = css`
  ${unsafeCSS(tokens)}

  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }

  /* A foreign page's font and alignment stay outside. */
  :host {
    display: block;
    color: var(--ink);
    font: var(--step-0) / 1.55 var(--sans);
    text-align: start;
  }

  h2 {
    margin: 0 0 var(--space-3);
    font-size: var(--step-1);
    font-weight: 620;
    letter-spacing: -0.005em;
    line-height: 1.3;
  }

  h3 {
    margin: var(--space-5) 0 var(--space-2);
    font-size: var(--step--1);
    font-weight: 650;
    letter-spacing: 0.01em;
    color: var(--ink-soft);
  }

  p {
    margin: 0 0 var(--space-3);
  }

  .soft {
    color: var(--ink-soft);
  }

  .small {
    font-size: var(--step--1);
  }

  .number,
  code,
  kbd {
    font-family: var(--mono);
    font-variant-numeric: tabular-nums;
  }

  code {
    font-size: 0.92em;
    overflow-wrap: anywhere;
  }

  kbd {
    font-size: 0.85em;
    padding: 0.05em 0.4em;
    border: 1px solid var(--line-strong);
    border-bottom-width: 2px;
    border-radius: 4px;
    background: var(--well);
    color: var(--ink);
  }

  button {
    font: 600 var(--step--1) / 1.2 var(--sans);
    color: var(--ink);
    background: var(--glass);
    border: 1px solid var(--line-strong);
    border-radius: var(--radius-small);
    padding: 0.55rem 0.85rem;
    min-height: 2.25rem;
    cursor: pointer;
  }

  /* Under the pointer alone: a button that becomes usable must not be pale on pale for the length of a transition. */
  button:hover:not(:disabled, [aria-disabled='true']) {
    transition: background var(--quick);
    background: var(--well);
  }

  button.primary {
    background: var(--cached);
    border-color: var(--cached);
    color: var(--on-accent);
  }

  button.primary:hover:not(:disabled, [aria-disabled='true']) {
    background: color-mix(in oklab, var(--cached) 88%, var(--ink));
  }

  /* aria-disabled keeps the focus where it is when a button has done its work. */
  button:disabled,
  button[aria-disabled='true'] {
    cursor: default;
    color: var(--ghost);
    background: var(--well);
    border-color: var(--line);
  }

  /* Colours that the visitor forces would make what cannot be used look like what can. */
  @media (forced-colors: active) {
    button.primary {
      color: ButtonText;
    }

    button:disabled,
    button[aria-disabled='true'] {
      color: GrayText;
      border-color: GrayText;
    }
  }

  :focus-visible {
    outline: 2px solid var(--focus);
    outline-offset: 2px;
  }

  label {
    font-size: var(--step--1);
    color: var(--ink-soft);
  }

  input,
  select,
  textarea {
    font: var(--step-0) / 1.4 var(--mono);
    color: var(--ink);
    background: var(--well);
    border: 1px solid var(--line-strong);
    border-radius: var(--radius-small);
    padding: 0.4rem 0.55rem;
    width: 100%;
    min-height: 2.25rem;
  }

  fieldset {
    margin: 0;
    padding: 0;
    border: 0;
    min-width: 0;
  }

  legend {
    padding: 0;
    margin-bottom: var(--space-2);
    font-size: var(--step--1);
    font-weight: 650;
    color: var(--ink-soft);
  }

  .choice {
    display: inline-flex;
    align-items: center;
    gap: 0.45em;
    min-height: 1.75rem;
    color: var(--ink);
  }

  input[type='radio'],
  input[type='checkbox'] {
    flex: none;
    width: 1.1em;
    height: 1.1em;
    min-height: 0;
    margin: 0;
    accent-color: var(--cached);
    align-self: center;
  }

  input[type='range'] {
    padding: 0;
    border: 0;
    background: none;
    accent-color: var(--cached);
  }

  .field > label {
    display: block;
    margin-bottom: 0.2rem;
  }

  input::placeholder,
  textarea::placeholder {
    color: var(--ghost);
    opacity: 1;
  }

  [aria-invalid='true'] {
    border-color: var(--bad);
    box-shadow: 0 0 0 1px var(--bad);
  }

  .progress {
    display: grid;
    gap: var(--space-1);
  }

  progress {
    width: 100%;
    height: 0.5rem;
    accent-color: var(--cached);
  }

  /* What the model wrote, after what it was given. */
  .output {
    margin: var(--space-3) 0;
    padding: var(--space-3) var(--space-4);
    min-height: 3.2rem;
    border: 1px solid var(--line);
    border-radius: var(--radius-small);
    background: var(--well);
  }

  .output p {
    margin: 0;
    font-family: var(--mono);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }

  .output .given {
    color: var(--ghost);
  }

  .error {
    color: var(--bad);
    font-size: var(--step--1);
    overflow-wrap: anywhere;
  }

  .alert {
    border: 1px solid var(--bad);
    border-inline-start-width: 4px;
    background: var(--bad-soft);
    border-radius: var(--radius-small);
    padding: var(--space-3) var(--space-4);
    overflow-wrap: anywhere;
  }

  .alert p:last-child {
    margin: 0;
  }

  table {
    width: 100%;
    border-collapse: collapse;
    font-size: var(--step--1);
  }

  th,
  td {
    text-align: start;
    vertical-align: baseline;
    padding-block: 0.3rem;
    padding-inline: 0 0.6rem;
    border-bottom: 1px solid var(--line);
  }

  th {
    font-weight: 500;
    color: var(--ink-soft);
  }

  th.figure,
  td.figure {
    text-align: end;
    padding-inline: 0.6rem 0;
  }

  /* Numbers end where the next column begins. */
  td.figure + td:not(.figure),
  th.figure + :is(th, td):not(.figure) {
    padding-inline-start: 1.2rem;
  }

  td.figure {
    font-family: var(--mono);
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
  }

  caption {
    text-align: start;
    color: var(--ink-soft);
    font-size: var(--step--1);
    padding-bottom: var(--space-2);
  }

  summary {
    cursor: pointer;
    font-size: var(--step--1);
    font-weight: 600;
    padding: var(--space-1) 0;
  }

  .scroll {
    overflow: auto;
    max-width: 100%;
  }

  /* A sentence in letters from left to right, in a layout from right to left, keeps its marks where it has them. */
  :is(h2, h3, p, li, legend, figcaption, label > span):dir(rtl) {
    unicode-bidi: plaintext;
    text-align: right;
  }

  /* Pictures run from left to right in every language: only words turn. */
  svg,
  math {
    direction: ltr;
  }

  .hidden {
    position: absolute;
    width: 1px;
    height: 1px;
    margin: -1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
`;
