// Styles of <vitrine-faults>: the switches, the two lanes of each row, the detectors, the prediction beside the outcome.

import { css } from 'lit';

export const faultStyles = css`
  .switches {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(19rem, 100%), 1fr));
    gap: var(--space-2);
  }

  .switch {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    gap: 0 var(--space-2);
    align-items: start;
    padding: var(--space-2) var(--space-3);
    border: 1px solid var(--line);
    border-radius: var(--radius-small);
    background: var(--well);
    color: var(--ink-soft);
  }

  .switch:has(:checked) {
    border-color: var(--full);
    box-shadow: inset 3px 0 0 var(--full);
    background: var(--full-soft);
  }

  .switch input {
    margin-top: 0.2rem;
    align-self: start;
  }

  .switch code {
    color: var(--ink);
  }

  .switch .name {
    font-weight: 700;
  }

  .switch .owner {
    display: block;
    font-size: 0.75rem;
    color: var(--ink-soft);
  }

  .questions {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr));
    gap: var(--space-3) var(--space-5);
  }

  .questions p {
    margin: 0 0 var(--space-1);
    font-size: var(--step--1);
    font-weight: 600;
  }

  .questions p label {
    color: inherit;
  }

  .answers {
    display: flex;
    gap: var(--space-4);
  }

  .lanes {
    display: flex;
    gap: var(--space-1);
    padding-bottom: var(--space-1);
  }

  .lane-names,
  .pair {
    display: grid;
    grid-template-rows: 1.9rem 1.9rem 42px 1.2rem;
    gap: var(--space-1);
    justify-items: center;
    align-items: center;
    font-size: 0.75rem;
  }

  .pair {
    flex: none;
  }

  .lane-names {
    position: sticky;
    inset-inline-start: 0;
    z-index: 1;
    justify-items: start;
    padding-inline-end: var(--space-2);
    background: var(--glass);
    white-space: nowrap;
  }

  .bits-name {
    grid-row: 4;
  }

  .token {
    font: var(--step--1) / 1.2 var(--mono);
    min-width: 1.9rem;
    min-height: 1.7rem;
    padding: 0.25rem 0.4rem;
    text-align: center;
    white-space: pre;
    border: 1px solid var(--line);
    border-radius: var(--radius-small);
    background: var(--well);
  }

  .token.different {
    border: 2px dashed var(--bad);
    font-weight: 700;
  }

  .delta {
    fill: var(--bad);
  }

  .floor {
    stroke: var(--line-strong);
  }

  .row-name {
    margin: 0;
  }

  .row-name + figure {
    margin-top: var(--space-2);
  }

  .note {
    margin-top: var(--space-3);
    max-width: var(--measure);
  }

  .comparison {
    margin-top: var(--space-5);
  }

  .sightings td {
    min-width: 5rem;
    overflow-wrap: anywhere;
  }

  .sightings th[scope='row'] {
    min-width: 14rem;
  }

  .sightings th .small {
    display: block;
    font-weight: 400;
  }

  .saw .result {
    font-weight: 700;
    color: var(--bad);
  }

  /* Only a detector that saw something is explained where there is little room. */
  @media (max-width: 34rem) {
    .sightings .quiet th .small {
      display: none;
    }

    .sightings th[scope='row'] {
      min-width: 10.5rem;
    }
  }

  @media (forced-colors: active) {
    .delta {
      fill: CanvasText;
      forced-color-adjust: none;
    }
  }
`;
