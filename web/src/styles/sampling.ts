// Styles of <vitrine-sampling>: sliders, the stages' bars, the cumulative line, the document.

import { css } from 'lit';

export const samplingStyles = css`
  .control input[type='range'] {
    min-height: 1.5rem;
  }

  .control .entry {
    display: grid;
    grid-template-columns: minmax(0, 1fr) 4.6rem;
    gap: var(--space-2);
    align-items: center;
  }

  .control.plain .entry {
    grid-template-columns: minmax(0, 1fr);
  }

  .tracks {
    display: grid;
    gap: var(--space-3);
    margin: var(--space-4) 0;
  }

  .track h3 {
    margin: 0 0 var(--space-1);
  }

  .track h3 .soft {
    font-weight: 400;
  }

  .stages {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(10.5rem, 100%), 1fr));
    gap: var(--space-4);
  }

  .stage-name {
    display: flex;
    flex-wrap: wrap;
    justify-content: space-between;
    gap: 0 var(--space-2);
    margin: 0 0 var(--space-1);
    padding-bottom: var(--space-1);
    border-bottom: 1px solid var(--line-strong);
    font-size: var(--step--1);
  }

  .bars {
    display: grid;
    grid-template-columns: minmax(2.5rem, 4.6rem) minmax(0, 1fr) auto;
    gap: 0.1rem 0.4rem;
    align-items: center;
    font-size: 0.75rem;
  }

  .spelling {
    font-family: var(--mono);
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: pre;
  }

  .spelling.gone {
    color: var(--ghost);
    text-decoration: line-through;
  }

  .spelling.chosen {
    font-weight: 700;
  }

  .spelling.chosen::before {
    content: '\\25b8\\00a0';
  }

  .share {
    font-family: var(--mono);
    font-variant-numeric: tabular-nums;
    text-align: end;
  }

  .bar {
    width: 100%;
    height: 14px;
    overflow: visible;
  }

  .kept {
    fill: var(--cached);
    fill-opacity: 0.55;
  }

  .kept.chosen {
    fill-opacity: 1;
    stroke: var(--ink);
    stroke-width: 1.5;
  }

  .out {
    fill: none;
    stroke: var(--line-strong);
    stroke-dasharray: 2 2;
  }

  .more {
    margin: var(--space-1) 0 0;
    font-size: 0.75rem;
  }

  .draw {
    width: 100%;
    height: 72px;
    overflow: visible;
  }

  .segment {
    stroke: var(--ink-soft);
    stroke-width: 1;
    fill: var(--glass);
  }

  .segment.odd {
    fill: var(--cached-soft);
  }

  .segment.chosen {
    fill: var(--cached);
  }

  .segment.rest {
    fill: var(--well);
    stroke-dasharray: 3 3;
  }

  .name {
    font: 12px var(--mono);
    fill: var(--ink);
  }

  .name.chosen {
    fill: var(--on-accent);
    font-weight: 700;
  }

  .end {
    font: 12px var(--mono);
    fill: var(--ink-soft);
  }

  line.coin {
    stroke: var(--full);
    stroke-width: 3;
  }

  circle.coin {
    fill: var(--full);
    stroke: var(--glass);
    stroke-width: 1.5;
  }

  .document textarea {
    font-size: var(--step--1);
    resize: vertical;
  }

  @media (forced-colors: active) {
    .draw,
    .bar {
      forced-color-adjust: none;
    }

    .segment,
    .segment.odd,
    .segment.rest {
      fill: Canvas;
      stroke: CanvasText;
    }

    .segment.chosen,
    .kept {
      fill: Highlight;
    }

    .name,
    .end {
      fill: CanvasText;
    }

    .name.chosen {
      fill: HighlightText;
    }

    line.coin,
    circle.coin {
      stroke: CanvasText;
      fill: CanvasText;
    }

    .out {
      stroke: CanvasText;
    }
  }
`;
