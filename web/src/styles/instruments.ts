// Styles of what views draw of a run: the two lanes, cached and full prefix, gauges, bars and the bytes of a cache. For
// every element that shows them.

import { css } from 'lit';

export const instrumentStyles = css`
  .lanes span {
    display: inline-block;
    white-space: nowrap;
  }

  .key {
    display: inline-block;
    width: 0.7em;
    height: 0.7em;
    margin-inline-end: 0.4em;
    border: 2px solid var(--full);
  }

  @media (forced-colors: active) {
    .key {
      forced-color-adjust: none;
    }
  }

  .key.cached {
    background: var(--cached);
    border-color: var(--cached);
  }

  .gauges {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(11rem, 100%), 1fr));
    gap: var(--space-2);
    margin: 0;
  }

  .gauges > div {
    padding: var(--space-2) var(--space-3);
    background: var(--well);
    border: 1px solid var(--line);
    border-radius: var(--radius-small);
  }

  dt {
    font-size: var(--step--1);
    color: var(--ink-soft);
  }

  dd {
    margin: 0;
  }

  dd .number {
    font-size: var(--step-1);
    font-weight: 600;
  }

  rect.full {
    fill: var(--full-soft);
    stroke: var(--full);
    stroke-width: 1;
  }

  rect.cached {
    fill: var(--cached);
  }

  rect.track {
    fill: var(--line);
  }

  .bar {
    width: 30%;
    min-width: 4rem;
  }

  .bar svg {
    display: block;
    width: 100%;
    height: 8px;
  }

  .bytes {
    margin-bottom: var(--space-2);
  }

  .formula {
    font-family: var(--mono);
    margin: 0;
  }

  /* What there is no room for is said by captions and tables too. */
  @container (max-width: 23rem) {
    .meaning {
      display: none;
    }
  }

  @container (max-width: 20rem) {
    .factor {
      display: none;
    }
  }

  @container (max-width: 16rem) {
    .lanes span {
      white-space: normal;
    }

    .lanes .key {
      display: block;
      margin-inline: auto 0;
    }
  }

  @container (max-width: 13rem) {
    .bar {
      display: none;
    }

    .bytes th {
      overflow-wrap: anywhere;
    }
  }
`;
