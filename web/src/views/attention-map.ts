// Attention weights of one position: every head of every layer as a row of squares whose area is the weight, and one
// head's weights token by token. Pure views of what the engine recorded.

import { html, svg, type TemplateResult } from 'lit';

import type { Inside, TokenPiece } from '../engine/protocol';
import { fill, messages } from '../messages';
import { figureView } from './figure';
import { percent, visible } from './format';

const texts = messages('attention-map', {
  map: 'Attention weights of "{token}" at position {position}, a row for each head, a column for each token. {conclusion}',
  none: 'The sharpest gaze is that of layer {layer}, head {head}: {weight} of it rests on "{token}". No head looks most at position 0, where a text begins.',
  some: '{first} of {heads} heads look most at position 0, where a text begins. Of the others the sharpest gaze is that of layer {layer}, head {head}: {weight} of it rests on "{token}".',
  every: 'All {heads} heads look most at position 0, where a text begins: the sharpest is layer {layer}, head {head}, with {weight} on "{token}".',
  table: 'What each head looks at most',
  head: 'Layer and head',
  token: 'Token',
  position: 'Position',
  weight: 'Weight',
  name: 'layer {layer}, head {head}',
  oneLabel: 'Weights of layer {layer}, head {head}, token by token. {conclusion}',
  oneConclusion: 'Layer {layer}, head {head} gives "{first}" {weight}, the most; 90\u00a0% of its attention takes {few} of {all} positions.',
  oneTable: 'Weights of layer {layer}, head {head}',
});

export interface Gaze {
  layer: number;
  head: number;
  position: number;
  weight: number;
}

/** Where each head looks most: the first position of its largest weight. */
export function gazes(layers: Inside['layers']): Gaze[] {
  return layers.flatMap(({ attention }, layer) =>
    attention.map((weights, head) => {
      const weight = Math.max(...weights);
      return { layer, head, position: weights.indexOf(weight), weight };
    }),
  );
}

const spelling = (tokens: readonly TokenPiece[], position: number): string => visible(tokens[position]?.piece ?? '');

/** The sharpest gaze among those that do not rest on position 0, if there is one: nearly every head can rest there. */
export function sharpestGaze(layers: Inside['layers']): Gaze {
  const all = gazes(layers);
  const elsewhere = all.filter(({ position }) => position > 0);
  return (elsewhere.length > 0 ? elsewhere : all).reduce((best, gaze) => (gaze.weight > best.weight ? gaze : best));
}

export function attentionConclusion({ layers, tokens }: Inside): string {
  const all = gazes(layers);
  const sharpest = sharpestGaze(layers);
  const first = all.filter(({ position }) => position === 0).length;
  return fill(first === 0 ? texts.none : first === all.length ? texts.every : texts.some, {
    layer: sharpest.layer,
    head: sharpest.head,
    weight: percent(sharpest.weight),
    token: spelling(tokens, sharpest.position),
    first,
    heads: all.length,
  });
}

const cell = 18;
const left = 34;
const layerGap = 6;
const letter = 7;

/** Where a head's row begins: layers stand apart. */
const rowAt = (layer: number, head: number, heads: number): number => layer * (heads * cell + layerGap) + head * cell;

export function attentionMapView(
  inside: Inside,
  chosen: { layer: number; head: number },
): TemplateResult {
  const { layers, tokens, position } = inside;
  const heads = layers[0]?.attention.length ?? 0;
  const width = left + tokens.length * cell + 2;
  const floor = rowAt(layers.length, 0, heads);
  // The spellings stand on end below the columns.
  const longest = Math.max(...tokens.map((_, at) => spelling(tokens, at).length));
  const height = floor + longest * letter + 8;
  const conclusion = attentionConclusion(inside);
  const label = fill(texts.map, { token: spelling(tokens, position), position, conclusion });
  const rows = layers.flatMap(({ attention }, layer) =>
    attention.map((weights, head) => {
      const y = rowAt(layer, head, heads);
      const isChosen = layer === chosen.layer && head === chosen.head;
      return svg`
        <rect class=${isChosen ? 'row chosen' : 'row'} x=${left} y=${y} width=${tokens.length * cell} height=${cell}></rect>
        <text class="head" x=${left - 6} y=${y + cell - 5} text-anchor="end">${layer}.${head}</text>
        ${weights.map((weight, at) => {
          const side = Math.sqrt(weight) * (cell - 2);
          return svg`<rect class="weight" x=${left + at * cell + (cell - side) / 2} y=${y + (cell - side) / 2} width=${side} height=${side}></rect>`;
        })}
      `;
    }),
  );
  const names = tokens.map((_, at) => {
    const x = left + at * cell + cell / 2 + 4;
    return svg`<text class="column-name" transform="translate(${x} ${floor + 2}) rotate(-90)" text-anchor="end">${spelling(tokens, at)}</text>`;
  });
  return figureView(
    html`
      <div class="scroll map" tabindex="0" role="group" aria-label=${texts.table}>
        <svg width=${width} height=${height} viewBox="0 0 ${width} ${height}" role="img" aria-label=${label}>${rows} ${names}</svg>
      </div>
    `,
    conclusion,
    {
      caption: texts.table,
      head: [texts.head, texts.token, texts.position, texts.weight],
      rows: gazes(layers).map((gaze) => [
        fill(texts.name, { layer: gaze.layer, head: gaze.head }),
        spelling(tokens, gaze.position),
        gaze.position,
        percent(gaze.weight),
      ]),
    },
  );
}

/** How many positions, largest weights first, hold this share of the whole. */
export function positionsHolding(weights: readonly number[], share: number): number {
  let held = 0;
  const descending = [...weights].sort((a, b) => b - a);
  return descending.findIndex((weight) => (held += weight) >= share) + 1 || weights.length;
}

/** One head's weights under the tokens that they belong to. */
export function headView({ layers, tokens }: Inside, { layer, head }: { layer: number; head: number }): TemplateResult {
  const weights = layers[layer]?.attention[head] ?? [];
  const largest = Math.max(...weights);
  const conclusion = fill(texts.oneConclusion, {
    layer,
    head,
    first: spelling(tokens, weights.indexOf(largest)),
    weight: percent(largest),
    few: positionsHolding(weights, 0.9),
    all: weights.length,
  });
  return figureView(
    html`
      <div class="scroll" tabindex="0" role="group" aria-label=${fill(texts.oneTable, { layer, head })}>
        <div class="columns" role="img" aria-label=${fill(texts.oneLabel, { layer, head, conclusion })}>
          ${weights.map((weight, position) => {
            const height = (46 * weight) / largest;
            return html`
              <div class="column">
                <bdi class="share">${percent(weight)}</bdi>
                <svg width="18" height="48">
                  <rect class="weight" x="1" y=${48 - height} width="16" height=${height}></rect>
                  <line class="floor" x1="0" x2="18" y1="47.5" y2="47.5"></line>
                </svg>
                <bdi class="spelling">${spelling(tokens, position)}</bdi>
              </div>
            `;
          })}
        </div>
      </div>
    `,
    conclusion,
    {
      caption: fill(texts.oneTable, { layer, head }),
      head: [texts.token, texts.position, texts.weight],
      rows: weights.map((weight, position) => [spelling(tokens, position), position, percent(weight)]),
    },
  );
}
