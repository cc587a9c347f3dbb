// The size of the residual stream by layer, as data for the line chart and its caption. Pure functions of what the engine
// recorded; <vitrine-line-chart> draws.

import type { Inside } from '../engine/protocol';
import { fill, messages } from '../messages';
import type { FigureTable } from './figure';

const texts = messages('residual-norms', {
  label: 'Root mean square of the residual stream by layer. {conclusion}',
  layer: 'layer',
  rms: 'root mean square',
  before: 'before the layer',
  attention: 'after attention',
  mlp: 'after the MLP',
  conclusion: 'The stream grows from {first} to {last} over {layers} layers, {factor} times; the largest single step is that of {part} in layer {layer}.',
  shrinks: 'The stream goes from {first} to {last} over {layers} layers; the largest single step is that of {part} in layer {layer}.',
  attentionPart: 'attention',
  mlpPart: 'the MLP',
  table: 'Root mean square of the residual stream at the chosen position',
});

type Layers = Inside['layers'];

export function residualConclusion(layers: Layers): string {
  const first = layers[0]?.residual_rms.before ?? 0;
  const last = layers.at(-1)?.residual_rms.after_mlp ?? 0;
  const steps = layers.flatMap(({ residual_rms: { before, after_attention, after_mlp } }, layer) => [
    { layer, part: texts.attentionPart, size: Math.abs(after_attention - before) },
    { layer, part: texts.mlpPart, size: Math.abs(after_mlp - after_attention) },
  ]);
  const largest = steps.reduce((best, step) => (step.size > best.size ? step : best));
  return fill(last > first ? texts.conclusion : texts.shrinks, {
    first: first.toFixed(2),
    last: last.toFixed(2),
    layers: layers.length,
    factor: (last / first).toFixed(1),
    part: largest.part,
    layer: largest.layer,
  });
}

/** For <vitrine-line-chart>. */
export function residualChart(layers: Layers) {
  const values = (key: keyof Layers[number]['residual_rms']): number[] => layers.map(({ residual_rms }) => residual_rms[key]);
  return {
    label: fill(texts.label, { conclusion: residualConclusion(layers) }),
    xLabel: texts.layer,
    yLabel: texts.rms,
    x: layers.map((_, layer) => layer),
    lines: [
      { label: texts.before, colour: '--ink-soft', dash: [2, 4], values: values('before') },
      { label: texts.attention, colour: '--full', dash: [8, 4], values: values('after_attention') },
      { label: texts.mlp, colour: '--cached', values: values('after_mlp') },
    ],
    format: (value: number) => value.toFixed(1),
  };
}

export function residualTable(layers: Layers): FigureTable {
  return {
    caption: texts.table,
    head: [texts.layer, texts.before, texts.attention, texts.mlp],
    rows: layers.map(({ residual_rms: { before, after_attention, after_mlp } }, layer) => [
      layer,
      ...[before, after_attention, after_mlp].map((value) => Number(value.toFixed(4))),
    ]),
  };
}
