// <vitrine-line-chart>: lines over a common x axis, each with its own dash as well as colour. uPlot draws them, and is
// loaded when the first chart is shown. The caption and the table of numbers belong to whoever shows it.

import { css, html, LitElement, unsafeCSS, type PropertyValues, type TemplateResult } from 'lit';
import type uPlot from 'uplot';

import uplotStyles from 'uplot/dist/uPlot.min.css';

import { shared } from '../styles/shared';

export interface Line {
  label: string;
  /** A custom property of the page's colours, such as --cached. */
  colour: string;
  /** Lengths of dashes and gaps in pixels; a line without is drawn through. */
  dash?: readonly number[];
  /** One value for each x; null where there is none. */
  values: ReadonlyArray<number | null>;
}

export interface Chart {
  /** What the picture shows, for who cannot see it. */
  label: string;
  xLabel: string;
  yLabel: string;
  x: readonly number[];
  lines: readonly Line[];
  /** How a value of the y axis is written; uPlot's own way by default. */
  format?: (value: number) => string;
  logarithmic?: boolean;
}

const height = 200;
const wholeIncrements = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000];

const font = '12px system-ui';
/** A tick, a gap on either side of what is written at it. */
const tickAndGaps = 23;

/** How wide a y axis must be for what is written at its ticks, in CSS pixels. */
function widthOfTicks({ ctx }: uPlot, ticks: readonly string[] | null): number {
  ctx.save();
  ctx.font = font;
  const widths = (ticks ?? []).map((tick) => ctx.measureText(tick ?? '').width);
  ctx.restore();
  return Math.ceil(Math.max(...widths, 0)) + tickAndGaps;
}

export class VitrineLineChart extends LitElement {
  static override properties = { chart: { attribute: false } };
  declare chart: Chart | null;

  private plot: uPlot | null = null;
  private readonly sizes = new ResizeObserver(() => this.resize());

  constructor() {
    super();
    this.chart = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.sizes.observe(this);
    if (this.hasUpdated) void this.draw();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.sizes.disconnect();
    this.plot?.destroy();
    this.plot = null;
  }

  override updated(changed: PropertyValues<this>): void {
    if (changed.has('chart')) void this.draw();
  }

  private colour(property: string): string {
    return getComputedStyle(this.renderRoot.querySelector(`[data-colour="${property}"]`) ?? this).color;
  }

  private async draw(): Promise<void> {
    const { default: Plot } = await import('uplot');
    const { chart } = this;
    if (chart === null || !this.isConnected) return;
    await this.updateComplete;
    this.plot?.destroy();
    const ink = this.colour('--ink-soft');
    const grid = { stroke: this.colour('--line'), width: 1 };
    const axis = { stroke: ink, grid, ticks: grid, labelSize: 18, font, labelFont: font };
    const { format } = chart;
    this.plot = new Plot(
      {
        width: Math.max(this.clientWidth, 120),
        height,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false }, y: chart.logarithmic ? { distr: 3 } : {} },
        axes: [
          // What stands on an x axis here is counted: steps, layers, positions.
          { ...axis, label: chart.xLabel, incrs: wholeIncrements },
          { ...axis, label: chart.yLabel, size: widthOfTicks, ...(format ? { values: (_, ticks) => ticks.map((tick) => (tick === null ? '' : format(tick))) } : {}) },
        ],
        series: [
          {},
          ...chart.lines.map((line) => ({
            label: line.label,
            stroke: this.colour(line.colour),
            width: 2,
            dash: [...(line.dash ?? [])],
            points: { show: chart.x.length < 2 },
          })),
        ],
      },
      [[...chart.x], ...chart.lines.map((line) => [...line.values])],
      this.renderRoot.querySelector('.plot') as HTMLElement,
    );
  }

  private resize(): void {
    if (this.plot && this.clientWidth > 0) this.plot.setSize({ width: this.clientWidth, height });
  }

  override render(): TemplateResult {
    const { chart } = this;
    if (chart === null) return html``;
    return html`
      <div class="plot" role="img" aria-label=${chart.label}></div>
      <ul class="legend small" @transitionend=${() => void this.draw()}>
        ${chart.lines.map(
          (line) => html`
            <li>
              <svg width="28" height="10" aria-hidden="true">
                <line class="key" data-colour=${line.colour} x1="0" y1="5" x2="28" y2="5" stroke-dasharray=${(line.dash ?? []).join(' ') || 'none'}></line>
              </svg>
              ${line.label}
            </li>
          `,
        )}
      </ul>
      ${['--ink-soft', '--line'].map((property) => html`<span hidden data-colour=${property}></span>`)}
    `;
  }

  static override styles = [
    shared,
    unsafeCSS(uplotStyles),
    css`
      .plot {
        direction: ltr;
        min-height: ${height}px;
        overflow: hidden;
      }

      .legend {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-1) var(--space-4);
        margin: var(--space-2) 0 0;
        padding: 0;
        list-style: none;
        color: var(--ink-soft);
      }

      .key {
        stroke: currentcolor;
        stroke-width: 2;
        /* Its end tells that the colours are others, whatever changed them: the canvas is drawn anew. */
        transition: color 1ms;
      }

      ${unsafeCSS(
        ['--cached', '--full', '--bad', '--ink', '--ink-soft', '--line', '--line-strong', '--ghost']
          .map((property) => `[data-colour="${property}"] { color: var(${property}); }`)
          .join('\n'),
      )}

      /* A forced colour is as strong as the lines of the chart: no grid is drawn in it. */
      @media (forced-colors: active) {
        [data-colour='--line'] {
          color: Canvas;
        }
      }
    `,
  ];
}

customElements.define('vitrine-line-chart', VitrineLineChart);
